#include "engine/replay/byte_digest.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace assay::replay {

struct ByteDigest::State {
  XXH3_state_t xxh;
};

ByteDigest::ByteDigest() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}

ByteDigest::~ByteDigest() = default;

void ByteDigest::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

std::string ByteDigest::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace assay::replay
