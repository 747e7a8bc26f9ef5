// Rotary position embedding, in place. Pairs are (i, i + d/2), half-split as in qwen2 and qwen3, or
// neighbours (2 i, 2 i + 1), interleaved as in llama.
#pragma once

namespace assay {

struct RopeArgs {
  float* x;             // (t, heads, head_dim), rotated in place
  const float* cosine;  // (context, head_dim / 2), fp64 values rounded to f32
  const float* sine;    // (context, head_dim / 2)
  int t;
  int heads;
  int head_dim;        // even
  int first_position;  // of row 0
  bool interleaved;    // pairs are neighbours
};

}  // namespace assay
