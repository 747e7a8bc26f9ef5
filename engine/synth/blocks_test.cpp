// Blocks against the formats' own definitions, and that they need no processor to be computed.
#include "engine/synth/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "engine/core/half.h"
#include "engine/synth/tensors.h"

namespace assay {
namespace {

// The compiler computes a planted block: no floating point, no library call.
constexpr std::uint32_t sum_of_a_block() {
  SynthRecipe recipe;
  recipe.key = synth_key(1, 2);
  recipe.row_blocks = 2;
  recipe.plant = {SynthSigns::kQ4K, synth_key(1, 0), 2000, 1, 7, 8, 72, 87'000};
  std::uint8_t bytes[210] = {};
  q6k_block(recipe, 5, bytes);
  std::uint32_t sum = 0;
  for (const std::uint8_t byte : bytes) sum = sum * 31 + byte;
  return sum;
}
static_assert(sum_of_a_block() != 0);

TEST(SynthBlocks, TheProgramAndTheCompilerAgree) {
  constexpr std::uint32_t kCompiled = sum_of_a_block();
  volatile std::uint64_t seed = 1;  // read when the program runs
  SynthRecipe recipe;
  recipe.key = synth_key(seed, 2);
  recipe.row_blocks = 2;
  recipe.plant = {SynthSigns::kQ4K, synth_key(seed, 0), 2000, 1, 7, 8, 72, 87'000};
  std::uint8_t bytes[210] = {};
  q6k_block(recipe, 5, bytes);
  std::uint32_t sum = 0;
  for (const std::uint8_t byte : bytes) sum = sum * 31 + byte;
  EXPECT_EQ(sum, kCompiled);
}

// Weights of blocks, by the definition of each format. (count * elements)
std::vector<double> weights_of(const SynthTensor& tensor, std::uint64_t first,
                               std::uint64_t count) {
  std::vector<std::uint8_t> bytes(count * tensor.block_bytes());
  generate_blocks(tensor, first, count, reinterpret_cast<std::byte*>(bytes.data()));
  std::vector<double> weights;
  const auto half_at = [](const std::uint8_t* at) {
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return static_cast<double>(half_to_float(bits));
  };
  for (std::uint64_t b = 0; b < count; ++b) {
    const std::uint8_t* at = bytes.data() + b * tensor.block_bytes();
    if (tensor.dtype == DType::kF16) {
      for (int i = 0; i < 32; ++i) weights.push_back(half_at(at + 2 * i));
    } else if (tensor.dtype == DType::kQ8_0) {
      for (int i = 0; i < 32; ++i) {
        weights.push_back(half_at(at) * static_cast<std::int8_t>(at[2 + i]));
      }
    } else if (tensor.dtype == DType::kQ4K) {
      for (int i = 0; i < 256; ++i) {
        const int j = i / 32;
        const std::uint8_t* s = at + 4;
        const int scale = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | (s[j - 4] >> 6 << 4);
        const int least = j < 4 ? s[j + 4] & 63 : (s[j + 4] >> 4) | (s[j] >> 6 << 4);
        const std::uint8_t two = at[16 + i / 64 * 32 + i % 32];
        const int code = i % 64 < 32 ? two & 15 : two >> 4;
        weights.push_back(half_at(at) * scale * code - half_at(at + 2) * least);
      }
    } else {
      for (int i = 0; i < 256; ++i) {
        const int in_half = i % 128, run = in_half / 32, l = in_half % 32;
        const std::uint8_t low = at[i / 128 * 64 + (run % 2) * 32 + l];
        const std::uint8_t high = at[128 + i / 128 * 32 + l];
        const int code = ((run < 2 ? low & 15 : low >> 4) | (high >> (2 * run) & 3) << 4) - 32;
        weights.push_back(half_at(at + 208) * static_cast<std::int8_t>(at[192 + i / 16]) * code);
      }
    }
  }
  return weights;
}

const SynthTensor& named(const std::vector<SynthTensor>& tensors, const std::string& name) {
  for (const SynthTensor& tensor : tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::runtime_error("no tensor " + name);
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(SynthBlocks, WeightsHaveTheMagnitudeOfTheirTensor) {
  for (const char* quant : {"q4_k_m", "q8_0", "f16"}) {
    SCOPED_TRACE(quant);
    const auto tensors = tensors_of(parse_synth_name(std::string("tiny-") + quant));
    const auto expect_rms = [&](const std::string& name, double expected) {
      const SynthTensor& tensor = named(tensors, name);
      const std::vector<double> weights = weights_of(tensor, 0, tensor.blocks());
      double sum = 0;
      for (const double weight : weights) sum += weight;
      EXPECT_NEAR(rms(weights) / expected, 1, 0.02) << name;
      EXPECT_NEAR(sum / static_cast<double>(weights.size()) / expected, 0, 0.02) << name;
    };
    const double normed = 1 / std::sqrt(512 * (1 + 2040.0 / 512));
    expect_rms("token_embd.weight", 1);
    expect_rms("blk.0.attn_q.weight", normed);
    expect_rms("blk.3.attn_v.weight", normed);
    expect_rms("blk.0.attn_output.weight", 1 / std::sqrt(8.0 * 512));
    expect_rms("blk.0.ffn_down.weight", 1 / (0.6 * std::sqrt(8.0 * 1024)));
    expect_rms("blk.3.ffn_down.weight", 1 / (0.6 * std::sqrt(8.0 * 1024)));
  }
}

TEST(SynthBlocks, AnOutputRowPointsAlongTheEmbeddingOfTheTokenBefore) {
  for (const char* quant : {"q4_k_m", "q8_0", "f16"}) {
    SCOPED_TRACE(quant);
    const SynthModel model = parse_synth_name(std::string("tiny-") + quant);
    const Succession map = succession_of(model);
    const auto tensors = tensors_of(model);
    const SynthTensor& embedding = named(tensors, "token_embd.weight");
    const SynthTensor& output = named(tensors, "output.weight");
    const std::uint64_t blocks = output.recipe.row_blocks;
    double before = 0, other = 0;
    for (std::uint32_t token = 0; token < 100; ++token) {
      const std::vector<double> in = weights_of(embedding, token * blocks, blocks);
      const auto logit = [&](std::uint32_t row) {
        const std::vector<double> out = weights_of(output, row * blocks, blocks);
        double sum = 0;
        for (std::size_t i = 0; i < in.size(); ++i) sum += in[i] * out[i];
        return sum;
      };
      before += logit(map.after(token)) / 100;
      other += std::abs(logit(map.after(token) + 1 == map.vocab ? 0 : map.after(token) + 1)) / 100;
    }
    EXPECT_GT(before, 30);  // 2.8 times a firmness of 8.9 times 1.5, without layers between
    EXPECT_LT(before, 42);
    EXPECT_LT(other, 4);
  }
}

TEST(SynthBlocks, ANormHasEightOutliers) {
  const auto tensors = tensors_of(parse_synth_name("tiny-q8_0"));
  const auto values_of = [&](const std::string& name) {
    const SynthTensor& tensor = named(tensors, name);
    std::vector<float> values(tensor.columns);
    generate_blocks(tensor, 0, tensor.blocks(), reinterpret_cast<std::byte*>(values.data()));
    return values;
  };
  const std::vector<float> norm = values_of("blk.1.ffn_norm.weight");
  EXPECT_EQ(std::count(norm.begin(), norm.end(), 16.0F), 8);
  EXPECT_EQ(std::count(norm.begin(), norm.end(), 1.0F), 504);
  const std::vector<float> last = values_of("output_norm.weight");
  EXPECT_EQ(std::count(last.begin(), last.end(), 1.0F), 512);
  int negative = 0;
  for (const float bias : values_of("blk.0.attn_q.bias")) {
    EXPECT_GE(std::abs(bias), 0.125F);
    EXPECT_LT(std::abs(bias), 0.25F);
    negative += bias < 0 ? 1 : 0;
  }
  EXPECT_GT(negative, 200);
  EXPECT_LT(negative, 312);
}

TEST(SynthBlocks, HalfOfTheLayersHaveTheFinerType) {
  const auto tensors = tensors_of(parse_synth_name("qwen2.5-7b-q4_k_m"));
  std::vector<int> finer;
  for (int layer = 0; layer < 28; ++layer) {
    const std::string prefix = "blk." + std::to_string(layer);
    const DType v = named(tensors, prefix + ".attn_v.weight").dtype;
    EXPECT_EQ(named(tensors, prefix + ".ffn_down.weight").dtype, v);
    EXPECT_EQ(named(tensors, prefix + ".attn_q.weight").dtype, DType::kQ4K);
    if (v == DType::kQ6K) finer.push_back(layer);
  }
  EXPECT_EQ(finer, (std::vector<int>{0, 1, 2, 5, 8, 11, 14, 17, 20, 23, 24, 25, 26, 27}));
  EXPECT_EQ(named(tensors, "output.weight").dtype, DType::kQ6K);
  EXPECT_EQ(named(tensors, "token_embd.weight").dtype, DType::kQ4K);
}

TEST(SynthBlocks, TheMinIsExactlySevenAndAHalfTimesTheFactor) {
  for (const SynthShape& shape : synth_shapes()) {
    for (const SynthTensor& tensor : tensors_of({.shape = &shape, .quant = SynthQuant::kQ4KM})) {
      if (tensor.dtype != DType::kQ4K) continue;
      EXPECT_GT(tensor.recipe.d, 0);
      EXPECT_EQ(half_to_float(tensor.recipe.d_min), 7.5F * half_to_float(tensor.recipe.d))
          << shape.name << " " << tensor.name;
    }
  }
}

}  // namespace
}  // namespace assay
