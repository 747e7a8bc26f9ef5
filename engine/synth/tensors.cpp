#include "engine/synth/tensors.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "engine/core/half.h"

namespace assay {
namespace {

// Root mean squares of codes and scales, and so what d is divided by. Only + - * / and sqrt, which
// IEEE defines to the last bit, stand between here and d.
const double kUniformRms = std::sqrt((16.0 * 16.0 - 1) / 12);   // of 16 equidistant codes
const double kOddRms = std::sqrt((4.0 * 64 * 64 - 1) / 3);      // of the odd numbers of -127..127
const double kWideRms = std::sqrt(4 * (16.0 * 16.0 - 1) / 12);  // of four nibbles' sum
const double kScaleRms = std::sqrt(23.5 * 23.5 + 255.0 / 12);   // of 16..31

std::uint16_t half_of(double value) {
  return float_to_half(static_cast<float>(value));
}

// The nearest number of seven bits that is a multiple of 2^-23: 7.5 times it is an f16 as well, be
// it a subnormal one.
double seven_bits(double value) {
  double step = 0x1p-23;
  while (value / step >= 127.5) step *= 2;
  return std::floor(value / step + 0.5) * step;
}

class TensorList {
 public:
  explicit TensorList(const SynthModel& model)
      : model_(model), shape_(*model.shape), map_(succession_of(model)) {}

  std::vector<SynthTensor> build() {
    const auto vocab = static_cast<std::uint32_t>(shape_.vocab);
    const auto width = static_cast<std::uint32_t>(shape_.embedding);
    matrix("token_embd.weight", vocab, width, std::sqrt(shape_.embedding), usual_type());
    vector("output_norm.weight", width, SynthKind::kOnes);
    add_output(vocab, width);
    for (int layer = 0; layer < shape_.layers; ++layer) add_layer(layer);
    return std::move(tensors_);
  }

 private:
  DType usual_type() const {
    switch (model_.quant) {
      case SynthQuant::kQ4KM:
        return DType::kQ4K;
      case SynthQuant::kQ8_0:
        return DType::kQ8_0;
      case SynthQuant::kF16:
        return DType::kF16;
    }
    return DType::kF16;
  }
  // attn_v and ffn_down: the first and last eighth of the layers, and every third between, are
  // finer.
  DType finer_type(int layer) const {
    const int eighth = shape_.layers / 8;
    const bool finer =
        layer < eighth || layer >= 7 * shape_.layers / 8 || (layer - eighth) % 3 == 2;
    return finer && usual_type() == DType::kQ4K ? DType::kQ6K : usual_type();
  }

  SynthTensor& add(const std::string& name, DType dtype, std::uint32_t rows, std::uint32_t columns,
                   SynthKind kind) {
    SynthTensor tensor;
    tensor.name = name;
    tensor.dtype = dtype;
    tensor.columns = columns;
    tensor.rows = rows;
    tensor.kind = kind;
    tensor.recipe.key = synth_key(model_.seed, tensors_.size());
    tensor.recipe.row_blocks = columns / tensor.block_elements();
    tensor.offset = (end_ + 31) / 32 * 32;
    end_ = tensor.offset + tensor.bytes();
    tensors_.push_back(std::move(tensor));
    return tensors_.back();
  }

  void vector(const std::string& name, std::uint32_t length, SynthKind kind) {
    add(name, DType::kF32, 0, length, kind);
  }

  // An input of rms 1 gives outputs of rms `gain`.
  SynthTensor& matrix(const std::string& name, std::uint32_t rows, std::uint32_t columns,
                      double gain, DType dtype, bool planted = false) {
    SynthTensor& tensor = add(name, dtype, rows, columns, SynthKind::kCodes);
    SynthRecipe& recipe = tensor.recipe;
    const double deviation = gain / std::sqrt(columns);
    if (dtype == DType::kQ4K) {
      const double d = seven_bits(deviation / (kUniformRms * kScaleRms));
      recipe.d = half_of(d);
      recipe.d_min = half_of(7.5 * d);
    } else if (dtype == DType::kQ6K) {
      recipe.d = half_of(deviation / (kWideRms * kScaleRms));
    } else {
      const double d = deviation / (planted ? kWideRms : kOddRms);
      recipe.d = half_of(d);
      for (int code = -128; dtype == DType::kF16 && code < 128; ++code) {
        recipe.halves[static_cast<std::uint8_t>(code)] = half_of(code * d);
      }
    }
    return tensor;
  }

  void add_output(std::uint32_t vocab, std::uint32_t width) {
    const DType dtype = usual_type() == DType::kQ4K ? DType::kQ6K : usual_type();
    SynthPlant plant;
    plant.signs = usual_type() == DType::kQ4K ? SynthSigns::kQ4K : SynthSigns::kCodes;
    plant.embedding_key = tensors_.front().recipe.key;
    plant.vocab = map_.vocab;
    plant.inverse = map_.inverse;
    plant.shift = map_.shift;
    plant.weak = static_cast<std::uint32_t>(16 * std::sqrt(1.386 * std::bit_width(map_.vocab)));
    double places = 2;  // the share of a row, for a firmness of 12
    while (places > 1) {
      ++plant.code;
      const double logit = std::sqrt(1 + 0.74 * plant.code * plant.code / (kWideRms * kWideRms));
      places = 15 * 12 * logit / (std::sqrt(width) * plant.code);
    }
    plant.density = static_cast<std::uint32_t>(65536.0 * 256 * places / (16 * 12));
    matrix("output.weight", vocab, width, 2, dtype, true).recipe.plant = plant;
  }

  void add_layer(int layer) {
    const auto name = [layer](const char* part) { return fmt::format("blk.{}.{}", layer, part); };
    const auto width = static_cast<std::uint32_t>(shape_.embedding);
    const auto q = static_cast<std::uint32_t>(shape_.heads * shape_.head_dim);
    const auto kv = static_cast<std::uint32_t>(shape_.kv_heads * shape_.head_dim);
    const auto ff = static_cast<std::uint32_t>(shape_.feed_forward);
    const DType usual = usual_type();
    const double normed = 1 / std::sqrt(1 + 2040.0 / shape_.embedding);  // 2040 = 8 (16^2 - 1)
    const double added = 1 / std::sqrt(2.0 * shape_.layers);
    vector(name("attn_norm.weight"), width, SynthKind::kOutlierNorm);
    matrix(name("attn_q.weight"), q, width, normed, usual);
    matrix(name("attn_k.weight"), kv, width, normed, usual);
    matrix(name("attn_v.weight"), kv, width, normed, finer_type(layer));
    if (shape_.architecture == "qwen2") {
      vector(name("attn_q.bias"), q, SynthKind::kBias);
      vector(name("attn_k.bias"), kv, SynthKind::kBias);
      vector(name("attn_v.bias"), kv, SynthKind::kBias);
    }
    matrix(name("attn_output.weight"), width, q, added, usual);
    vector(name("ffn_norm.weight"), width, SynthKind::kOutlierNorm);
    matrix(name("ffn_gate.weight"), ff, width, normed, usual);
    matrix(name("ffn_up.weight"), ff, width, normed, usual);
    matrix(name("ffn_down.weight"), width, ff, added / 0.6, finer_type(layer));
  }

  const SynthModel& model_;
  const SynthShape& shape_;
  Succession map_;
  std::vector<SynthTensor> tensors_;
  std::uint64_t end_ = 0;
};

std::uint32_t vector_element(const SynthTensor& tensor, std::uint32_t i) {
  switch (tensor.kind) {
    case SynthKind::kOutlierNorm:
      return outlier_norm_element(tensor.recipe.key, tensor.columns, i);
    case SynthKind::kBias:
      return bias_element(tensor.recipe.key, i);
    default:
      return 0x3f800000u;  // 1
  }
}

using BlockFunction = void (*)(const SynthRecipe&, std::uint64_t, std::uint8_t*);

BlockFunction block_function(DType dtype) {
  switch (dtype) {
    case DType::kQ4K:
      return q4k_block;
    case DType::kQ6K:
      return q6k_block;
    case DType::kQ8_0:
      return q8_0_block;
    default:
      return f16_block;
  }
}

}  // namespace

std::uint32_t SynthTensor::block_elements() const {
  if (dtype == DType::kF32) return 1;
  return dtype == DType::kF16 ? 32 : static_cast<std::uint32_t>(traits(dtype).block);
}

std::uint32_t SynthTensor::block_bytes() const {
  return static_cast<std::uint32_t>(row_bytes(dtype, block_elements()));
}

std::uint64_t SynthTensor::blocks() const {
  const std::uint64_t elements = std::uint64_t{columns} * (rows == 0 ? 1 : rows);
  return elements / block_elements();
}

Succession succession_of(const SynthModel& model) {
  return succession_of(static_cast<std::uint32_t>(model.shape->vocab), model.seed);
}

std::vector<SynthTensor> tensors_of(const SynthModel& model) {
  return TensorList(model).build();
}

void generate_blocks(const SynthTensor& tensor, std::uint64_t first, std::uint64_t count,
                     std::byte* out) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(out);
  if (tensor.kind != SynthKind::kCodes) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t bits = vector_element(tensor, static_cast<std::uint32_t>(first + i));
      for (int b = 0; b < 4; ++b) bytes[4 * i + static_cast<unsigned>(b)] = byte_of(bits, b);
    }
    return;
  }
  const BlockFunction write = block_function(tensor.dtype);
  const std::uint32_t size = tensor.block_bytes();
  for (std::uint64_t i = 0; i < count; ++i) write(tensor.recipe, first + i, bytes + i * size);
}

void generate_blocks(const SynthTensor& tensor, std::uint64_t first, std::uint64_t count,
                     std::byte* out, ThreadPool& pool) {
  constexpr std::int64_t kGrain = 64;  // blocks
  pool.parallel_for(static_cast<std::int64_t>(count), kGrain,
                    [&](std::int64_t begin, std::int64_t end) {
                      const auto from = static_cast<std::uint64_t>(begin);
                      generate_blocks(tensor, first + from, static_cast<std::uint64_t>(end - begin),
                                      out + from * tensor.block_bytes());
                    });
}

}  // namespace assay
