// Appends rows of K and V to the f16 cache.
#pragma once

#include <cstdint>

namespace assay {

struct KvStoreArgs {
  const float* k;         // (t, kv_heads, head_dim)
  const float* v;         // (t, kv_heads, head_dim)
  std::uint16_t* k_cache; // f16, this layer: position p, head h at p * position_stride + h * head_stride
  std::uint16_t* v_cache;
  std::int64_t position_stride;  // elements
  std::int64_t head_stride;      // elements
  int t;
  int kv_heads;
  int head_dim;
  int first_position;
  std::uint64_t* nonfinite;  // one counter: += stored values that are not finite in f16
};

}  // namespace assay
