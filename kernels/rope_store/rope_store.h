// Q, K and V on their way from the linear layers to attention: biases, rotation of Q and K, and K
// and V appended to the f16 cache.
#pragma once

#include <cstdint>

namespace assay {

// add (of each bias that is there), rope of q and of k, and kv_store one after the other, bit for
// bit. Tables and pairs as in kernels/rope, cache as in kernels/kv_store.
struct RopeStoreArgs {
  float* q;                // (t, heads, head_dim)     rotated in place
  float* k;                // (t, kv_heads, head_dim)  a variant may overwrite it
  float* v;                // (t, kv_heads, head_dim)  a variant may overwrite it
  const float* q_bias;     // (heads, head_dim), or null
  const float* k_bias;     // (kv_heads, head_dim), or null
  const float* v_bias;     // (kv_heads, head_dim), or null
  const float* cosine;     // (context, head_dim / 2)
  const float* sine;       // (context, head_dim / 2)
  std::uint16_t* k_cache;  // f16, this layer
  std::uint16_t* v_cache;
  std::int64_t position_stride;  // elements
  std::int64_t head_stride;      // elements
  int t;
  int heads;
  int kv_heads;
  int head_dim;              // even
  int first_position;        // of row 0
  bool interleaved;          // pairs are neighbours
  std::uint64_t* nonfinite;  // one counter: += stored values that are not finite in f16
};

}  // namespace assay
