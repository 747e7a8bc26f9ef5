#include "engine/backend/row/row_reading.h"

#include <cmath>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace assay {

RowDigest digest_of_row(std::span<const float> logits) {
  const XXH128_hash_t hash = XXH3_128bits(logits.data(), logits.size_bytes());
  return {.high = hash.high64, .low = hash.low64};
}

std::uint64_t count_nonfinite(std::span<const float> logits) {
  std::uint64_t count = 0;
  for (const float logit : logits) count += std::isfinite(logit) ? 0u : 1u;
  return count;
}

}  // namespace assay
