// Attention of one query row over the cache.
#pragma once

#include <cstdint>

namespace assay {

// out[h] = softmax(scale * q[h] . K[0..nkv)) V, query head h reading kv head h / (heads / kv_heads).
struct AttentionDecodeArgs {
  const float* q;               // (heads, head_dim)
  const std::uint16_t* k_cache; // f16, strides in elements as in KvStoreArgs
  const std::uint16_t* v_cache;
  std::int64_t position_stride;
  std::int64_t head_stride;
  float* out;                   // (heads, head_dim)
  int nkv;                      // >= 1
  int heads;
  int kv_heads;                 // divides heads
  int head_dim;                 // multiple of 8
  float scale;
};

}  // namespace assay
