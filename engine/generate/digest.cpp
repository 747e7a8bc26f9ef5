#include "engine/generate/digest.h"

#include <fmt/format.h>
#include <cstddef>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace assay {
namespace {

std::string hex(XXH128_hash_t hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

std::string digest_of(std::span<const float> logits) {
  return hex(XXH3_128bits(logits.data(), logits.size_bytes()));
}

std::string digest_of(const std::vector<std::string>& rows, std::span<const std::int32_t> tokens) {
  std::string all;
  for (const std::string& row : rows) all += row;
  all.append(reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes());
  return hex(XXH3_128bits(all.data(), all.size()));
}

}  // namespace assay
