#include "engine/generate/digest.h"

#include <fmt/format.h>
#include <cstddef>

#include "engine/backend/row/row_reading.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace assay {

std::string hex_of(const RowDigest& digest) {
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

std::string digest_of(std::span<const float> logits) {
  return hex_of(digest_of_row(logits));
}

std::string digest_of(const std::vector<std::string>& rows, std::span<const std::int32_t> tokens) {
  std::string all;
  for (const std::string& row : rows) all += row;
  all.append(reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes());
  const XXH128_hash_t hash = XXH3_128bits(all.data(), all.size());
  return hex_of({.high = hash.high64, .low = hash.low64});
}

}  // namespace assay
