#include "engine/model/model.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "engine/gguf/file.h"
#include "engine/model/hyper_parameters.h"

namespace assay {
namespace {

// Takes tensors by name and remembers which, so that a file with tensors that nobody computes with
// is refused: leaving one out would give another model's numbers.
class TensorReader {
 public:
  explicit TensorReader(const GgufFile& file) : file_(file) {}

  // (rows, k) of any type that the engine computes with.
  Weight matrix(const std::string& name, int rows, int k) {
    Weight weight = take(name, rows, k, fmt::format("[{}, {}]", k, rows));
    if (k % 32 != 0) {
      refuse(fmt::format("tensor {} has rows of {} elements; expected a multiple of 32", name, k));
    }
    return weight;
  }

  // (k) of f32.
  Weight vector(const std::string& name, int k) {
    Weight weight = take(name, 1, k, fmt::format("[{}]", k));
    if (weight.dtype != DType::kF32) {
      refuse(fmt::format("tensor {} has type {}; expected f32", name, traits(weight.dtype).name));
    }
    return weight;
  }

  // (k) of f32, or an absent weight.
  Weight vector_if_there(const std::string& name, int k) {
    return has(name) ? vector(name, k) : Weight{};
  }

  bool has(const std::string& name) const { return file_.find_tensor(name) != nullptr; }
  std::uint64_t bytes() const { return bytes_; }

  void refuse_others(const std::string& architecture) const {
    for (const GgufTensor& tensor : file_.tensors()) {
      if (taken_.count(std::string(tensor.name)) > 0) continue;
      refuse(fmt::format("tensor {} {} belongs to no {} model that this engine knows",
                         printable(tensor.name), tensor.shape_text(), architecture));
    }
  }

  [[noreturn]] void refuse(const std::string& text) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}", file_.name(), text));
  }

 private:
  Weight take(const std::string& name, int rows, int k, const std::string& expected) {
    const GgufTensor& tensor = file_.require_tensor(name);
    const bool shape_fits = tensor.ne[0] == static_cast<std::uint64_t>(k) &&
                            tensor.elements() / tensor.ne[0] == static_cast<std::uint64_t>(rows) &&
                            tensor.ne[1] == static_cast<std::uint64_t>(rows);
    if (!shape_fits) {
      refuse(fmt::format("tensor {} has shape {}; expected {} from the metadata", name,
                         tensor.shape_text(), expected));
    }
    taken_.insert(name);
    bytes_ += tensor.data.size();
    return {.name = name, .dtype = *tensor.dtype, .data = tensor.data.data(), .rows = rows, .k = k};
  }

  const GgufFile& file_;
  std::set<std::string> taken_;
  std::uint64_t bytes_ = 0;
};

LayerWeights read_layer(TensorReader& reader, const HyperParameters& hyper, int layer) {
  const auto name = [layer](const char* part) { return fmt::format("blk.{}.{}", layer, part); };
  const int q = hyper.heads * hyper.head_dim;
  const int kv = hyper.kv_heads * hyper.head_dim;
  // qwen2 always has biases, qwen3 always norms of queries and keys; llama may have biases.
  const auto bias = [&](const char* part, int k) {
    return hyper.architecture == "qwen2"   ? reader.vector(name(part), k)
           : hyper.architecture == "llama" ? reader.vector_if_there(name(part), k)
                                           : Weight{};
  };
  const auto head_norm = [&](const char* part) {
    return hyper.architecture == "qwen3" ? reader.vector(name(part), hyper.head_dim) : Weight{};
  };
  return {.attn_norm = reader.vector(name("attn_norm.weight"), hyper.embedding),
          .q = reader.matrix(name("attn_q.weight"), q, hyper.embedding),
          .k = reader.matrix(name("attn_k.weight"), kv, hyper.embedding),
          .v = reader.matrix(name("attn_v.weight"), kv, hyper.embedding),
          .q_bias = bias("attn_q.bias", q),
          .k_bias = bias("attn_k.bias", kv),
          .v_bias = bias("attn_v.bias", kv),
          .q_norm = head_norm("attn_q_norm.weight"),
          .k_norm = head_norm("attn_k_norm.weight"),
          .attn_output = reader.matrix(name("attn_output.weight"), hyper.embedding, q),
          .ffn_norm = reader.vector(name("ffn_norm.weight"), hyper.embedding),
          .gate = reader.matrix(name("ffn_gate.weight"), hyper.feed_forward, hyper.embedding),
          .up = reader.matrix(name("ffn_up.weight"), hyper.feed_forward, hyper.embedding),
          .down = reader.matrix(name("ffn_down.weight"), hyper.embedding, hyper.feed_forward)};
}

// The number of tokens, which the embedding's shape gives and the metadata must not contradict.
int read_vocab(const GgufFile& file, TensorReader& reader, const std::string& architecture) {
  const std::uint64_t rows = file.require_tensor("token_embd.weight").ne[1];
  if (rows > (1u << 24)) {
    reader.refuse(fmt::format("tensor token_embd.weight has {} rows; at most {} are possible", rows,
                              1u << 24));
  }
  const auto stated = file.find_u32(architecture + ".vocab_size");
  if (stated && *stated != rows) {
    reader.refuse(fmt::format("{}.vocab_size is {}, but token_embd.weight has {} rows",
                              architecture, *stated, rows));
  }
  return static_cast<int>(rows);
}

// Divisors of the rotation's frequencies, where a file has them.
Weight read_rope_factors(TensorReader& reader, const HyperParameters& hyper) {
  Weight factors = reader.vector_if_there("rope_freqs.weight", hyper.head_dim / 2);
  for (int i = 0; factors.there() && i < factors.k; ++i) {
    const float factor = factors.floats()[i];
    if (!std::isfinite(factor) || factor <= 0) {
      reader.refuse(fmt::format("tensor rope_freqs.weight has {} at {}; expected positive numbers",
                                factor, i));
    }
  }
  return factors;
}

}  // namespace

Model read_model(const GgufFile& file) {
  Model model;
  model.hyper = read_hyper_parameters(file);
  TensorReader reader(file);
  model.hyper.vocab = read_vocab(file, reader, model.hyper.architecture);
  const HyperParameters& hyper = model.hyper;
  model.token_embedding = reader.matrix("token_embd.weight", hyper.vocab, hyper.embedding);
  for (int layer = 0; layer < hyper.layers; ++layer) {
    model.layers.push_back(read_layer(reader, hyper, layer));
  }
  model.output_norm = reader.vector("output_norm.weight", hyper.embedding);
  model.rope_factors = read_rope_factors(reader, hyper);
  model.tied = !reader.has("output.weight");
  model.output = model.tied ? model.token_embedding
                            : reader.matrix("output.weight", hyper.vocab, hyper.embedding);
  reader.refuse_others(hyper.architecture);
  model.weight_bytes = reader.bytes();
  return model;
}

}  // namespace assay
