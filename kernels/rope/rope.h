// Rotary position embedding, in place, half-split pairs (i, i + d/2) as in qwen2.
#pragma once

namespace assay {

struct RopeArgs {
  float* x;            // (t, heads, head_dim), rotated in place
  const float* cosine; // (context, head_dim / 2), fp64 values rounded to f32
  const float* sine;   // (context, head_dim / 2)
  int t;
  int heads;
  int head_dim;        // even
  int first_position;  // of row 0
};

}  // namespace assay
