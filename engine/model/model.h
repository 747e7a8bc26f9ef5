// A model as the engine sees it: hyper-parameters from the file's metadata and one Weight per
// tensor, checked for name, shape and type.
//
// Weights stay where they are (the mapped file, or bytes in the program) in the file's own layout;
// a Model is views only and must not outlive the GgufFile that it was read from. Everything that a
// later stage relies on is checked here, so that graph and backend never meet a surprise: row
// lengths are whole blocks and multiples of 32, norms and biases are f32, heads divide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/dtype.h"

namespace assay {

class GgufFile;

struct HyperParameters {
  std::string name;          // general.name; empty when the file has none
  std::string architecture;  // "llama", "qwen2" or "qwen3"
  int layers = 0;
  int embedding = 0;  // width of the residual stream
  int heads = 0;      // query heads
  int kv_heads = 0;   // divides heads
  int head_dim = 0;   // multiple of 8
  int feed_forward = 0;
  int vocab = 0;
  int context = 0;  // positions that the model was made for
  float rms_eps = 0;
  double rope_base = 0;           // of the rotation's frequencies
  double rope_scale = 1;          // positions are divided by it (linear scaling)
  bool rope_interleaved = false;  // pairs are neighbours, not halves
};

// One tensor: `rows` rows of `k` elements; a vector has one row.
struct Weight {
  std::string name;  // "blk.0.attn_q.weight"
  DType dtype = DType::kF32;
  const std::byte* data = nullptr;  // (rows, k), rows of row_bytes(dtype, k) bytes
  int rows = 0;
  int k = 0;
  bool there() const { return data != nullptr; }
  const float* floats() const { return reinterpret_cast<const float*>(data); }  // f32 only
};

struct LayerWeights {
  Weight attn_norm;               // (embedding)
  Weight q, k, v;                 // (heads or kv_heads * head_dim, embedding)
  Weight q_bias, k_bias, v_bias;  // (heads or kv_heads * head_dim); absent in some architectures
  Weight q_norm, k_norm;          // (head_dim), of every head alike; absent in most
  Weight attn_output;             // (embedding, heads * head_dim)
  Weight ffn_norm;                // (embedding)
  Weight gate, up;                // (feed_forward, embedding)
  Weight down;                    // (embedding, feed_forward)
};

struct Model {
  HyperParameters hyper;
  Weight token_embedding;  // (vocab, embedding)
  std::vector<LayerWeights> layers;
  Weight output_norm;  // (embedding)
  Weight output;       // (vocab, embedding); the token embedding's data when tied
  bool tied = false;
  Weight rope_factors;  // (head_dim / 2), divisors of the frequencies; absent in most files
  std::uint64_t weight_bytes = 0;  // of all tensors used, a tied one counted once
};

// Error(kUsage) names the metadata key or tensor, what was expected and what was found.
Model read_model(const GgufFile& file);

}  // namespace assay
