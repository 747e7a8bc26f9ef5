// Causal attention of a batch of query rows over the cache that already holds their own K and V.
#pragma once

#include <cstdint>

namespace assay {

// Row i attends to positions 0 .. past + i. Row-invariant: its bits do not depend on t.
struct AttentionPrefillArgs {
  const float* q;               // (t, heads, head_dim)
  const std::uint16_t* k_cache; // f16, strides in elements as in KvStoreArgs
  const std::uint16_t* v_cache;
  std::int64_t position_stride;
  std::int64_t head_stride;
  float* out;                   // (t, heads, head_dim)
  int t;
  int past;                     // positions before row 0
  int heads;
  int kv_heads;                 // divides heads
  int head_dim;                 // multiple of 8
  float scale;
};

}  // namespace assay
