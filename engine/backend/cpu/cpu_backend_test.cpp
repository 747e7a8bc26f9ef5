// The backend against a plain forward pass in fp64, written from the model's definition: no
// kernels, no cache, no chunks. It rounds where the engine's contract rounds (activations to int8
// blocks before quantised weights, K and V to f16), so what remains is the engine's f32 arithmetic.
#include "engine/backend/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/backend/cpu/service_of_level.h"
#include "engine/core/error.h"
#include "engine/core/half.h"
#include "engine/gguf/file.h"
#include "engine/model/tiny_model.h"
#include "kernels/blocks.h"

namespace assay {
namespace {

using Vector = std::vector<double>;

class PlainForward {
 public:
  explicit PlainForward(const Model& model) : model_(model), hyper_(model.hyper) {}

  // Logits of the last of `tokens`.
  Vector logits(const std::vector<std::int32_t>& tokens) {
    std::vector<Vector> x;
    for (const std::int32_t token : tokens) x.push_back(row(model_.token_embedding, token));
    for (const LayerWeights& layer : model_.layers) {
      attention(layer, x);
      for (Vector& hidden : x) feed_forward(layer, hidden);
    }
    return linear(model_.output, normed(x.back(), model_.output_norm));
  }

 private:
  static Vector row(const Weight& weight, int index) {
    std::vector<float> values(static_cast<std::size_t>(weight.k));
    const std::size_t bytes = row_bytes(weight.dtype, values.size());
    dequantize_row(weight.dtype, weight.data + static_cast<std::size_t>(index) * bytes, weight.k,
                   values.data());
    return {values.begin(), values.end()};
  }

  Vector normed(const Vector& x, const Weight& weight) const {
    double sum = 0;
    for (const double value : x) sum += value * value;
    const double scale = 1.0 / std::sqrt(sum / static_cast<double>(x.size()) + hyper_.rms_eps);
    Vector y = row(weight, 0);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] *= x[i] * scale;
    return y;
  }

  static Vector as_int8_blocks(Vector x) {
    for (std::size_t block = 0; block < x.size(); block += 32) {
      double largest = 0;
      for (std::size_t i = 0; i < 32; ++i) largest = std::max(largest, std::abs(x[block + i]));
      const double d = largest / 127.0;
      for (std::size_t i = 0; i < 32; ++i) x[block + i] = d * std::nearbyint(x[block + i] / d);
    }
    return x;
  }

  static Vector linear(const Weight& weight, const Vector& input) {
    const Vector x = is_float(weight.dtype) ? input : as_int8_blocks(input);
    Vector y;
    for (int n = 0; n < weight.rows; ++n) {
      const Vector w = row(weight, n);
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += w[i] * x[i];
      y.push_back(sum);
    }
    return y;
  }

  static void add(Vector& x, const Vector& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  void rotate(Vector& heads, std::size_t position) const {
    const std::size_t d = static_cast<std::size_t>(hyper_.head_dim);
    for (std::size_t head = 0; head < heads.size(); head += d) {
      for (std::size_t i = 0; i < d / 2; ++i) {
        const double factor = model_.rope_factors.there() ? model_.rope_factors.floats()[i] : 1.0;
        const double frequency =
            std::pow(hyper_.rope_base, -2.0 * static_cast<double>(i) / static_cast<double>(d));
        const double angle = static_cast<double>(position) / hyper_.rope_scale * frequency / factor;
        const bool llama = hyper_.architecture == "llama";
        double& first = heads[llama ? head + 2 * i : head + i];
        double& second = heads[llama ? head + 2 * i + 1 : head + i + d / 2];
        const double a = first;
        const double b = second;
        first = a * std::cos(angle) - b * std::sin(angle);
        second = a * std::sin(angle) + b * std::cos(angle);
      }
    }
  }

  void norm_heads(Vector& heads, const Weight& weight) const {
    const std::size_t d = static_cast<std::size_t>(hyper_.head_dim);
    for (std::size_t head = 0; weight.there() && head < heads.size(); head += d) {
      const auto at = heads.begin() + static_cast<std::ptrdiff_t>(head);
      const Vector y = normed(Vector(at, at + static_cast<std::ptrdiff_t>(d)), weight);
      std::copy(y.begin(), y.end(), at);
    }
  }

  static void round_to_half(Vector& x) {
    for (double& value : x) value = half_to_float(float_to_half(static_cast<float>(value)));
  }

  void attention(const LayerWeights& layer, std::vector<Vector>& x) {
    std::vector<Vector> q, k, v;
    for (std::size_t position = 0; position < x.size(); ++position) {
      const Vector h = normed(x[position], layer.attn_norm);
      q.push_back(linear(layer.q, h));
      k.push_back(linear(layer.k, h));
      v.push_back(linear(layer.v, h));
      if (layer.q_bias.there()) add(q.back(), row(layer.q_bias, 0));
      if (layer.k_bias.there()) add(k.back(), row(layer.k_bias, 0));
      if (layer.v_bias.there()) add(v.back(), row(layer.v_bias, 0));
      norm_heads(q.back(), layer.q_norm);
      norm_heads(k.back(), layer.k_norm);
      rotate(q.back(), position);
      rotate(k.back(), position);
      round_to_half(k.back());
      round_to_half(v.back());
    }
    for (std::size_t position = 0; position < x.size(); ++position) {
      add(x[position], linear(layer.attn_output, attend(q[position], k, v, position)));
    }
  }

  Vector attend(const Vector& q, const std::vector<Vector>& k, const std::vector<Vector>& v,
                std::size_t position) const {
    const std::size_t d = static_cast<std::size_t>(hyper_.head_dim);
    Vector out(q.size(), 0.0);
    for (std::size_t head = 0; head < static_cast<std::size_t>(hyper_.heads); ++head) {
      const std::size_t from = head / static_cast<std::size_t>(hyper_.heads / hyper_.kv_heads) * d;
      Vector p;
      double total = 0;
      for (std::size_t j = 0; j <= position; ++j) {
        double score = 0;
        for (std::size_t i = 0; i < d; ++i) score += q[head * d + i] * k[j][from + i];
        p.push_back(std::exp(score / std::sqrt(static_cast<double>(d))));
        total += p.back();
      }
      for (std::size_t j = 0; j <= position; ++j) {
        for (std::size_t i = 0; i < d; ++i) out[head * d + i] += p[j] / total * v[j][from + i];
      }
    }
    return out;
  }

  void feed_forward(const LayerWeights& layer, Vector& x) {
    const Vector h = normed(x, layer.ffn_norm);
    Vector gate = linear(layer.gate, h);
    const Vector up = linear(layer.up, h);
    for (std::size_t i = 0; i < gate.size(); ++i) {
      gate[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
    }
    add(x, linear(layer.down, gate));
  }

  const Model& model_;
  const HyperParameters& hyper_;
};

struct Loaded {
  explicit Loaded(const TinyModel& tiny = {})
      : bytes(tiny_model_bytes(tiny)),
        file(GgufFile::from_memory(bytes, "tiny")),
        model(read_model(file)),
        graph(build_graph(model)),
        backend(model, graph, service_of_level(cpu_level()), {.context = 64, .threads = 2},
                progress) {}
  std::vector<std::byte> bytes;
  GgufFile file;
  Model model;
  Graph graph;
  std::atomic<std::uint64_t> progress{0};
  CpuBackend backend;
};

// Root of the mean squared difference, relative to the expected values' own.
double relative_difference(std::span<const float> found, const Vector& expected) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += (found[i] - expected[i]) * (found[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(difference / size);
}

const std::vector<std::int32_t> kTokens{17, 250, 3, 99, 99, 180, 44, 271, 8};

TEST(CpuBackend, PrefillComputesTheModel) {
  for (const bool tied : {true, false}) {
    Loaded loaded({.tied = tied});
    loaded.backend.prefill(kTokens, 0);
    loaded.backend.output(static_cast<int>(kTokens.size()) - 1);
    const Vector expected = PlainForward(loaded.model).logits(kTokens);
    EXPECT_LT(relative_difference(loaded.backend.logits(), expected), 1e-4) << "tied " << tied;
  }
}

// What an architecture may have besides: frequency factors, and positions scaled by four.
void add_rotation(GgufBuilder& file, const std::string& architecture) {
  std::vector<float> factors;
  for (int i = 0; i < 64; ++i) factors.push_back(1.0f + static_cast<float>(i) / 16.0f);
  std::vector<std::byte> bytes(factors.size() * 4);
  std::memcpy(bytes.data(), factors.data(), bytes.size());
  file.tensor("rope_freqs.weight", {64}, static_cast<std::uint32_t>(DType::kF32), bytes);
  file.string(architecture + ".rope.scaling.type", "linear");
  file.scalar(architecture + ".rope.scaling.factor", GgufType::kF32, 4.0f);
}

TEST(CpuBackend, EveryArchitectureIsComputedAsItsDefinitionSays) {
  for (const std::string architecture : {"llama", "qwen2", "qwen3"}) {
    for (const bool rotation : {false, true}) {
      SCOPED_TRACE(architecture + (rotation ? " with factors and scale" : ""));
      TinyModel tiny{.architecture = architecture};
      if (rotation) tiny.extend = [&](GgufBuilder& file) { add_rotation(file, architecture); };
      Loaded loaded(tiny);
      const std::span<const std::int32_t> tokens(kTokens);
      loaded.backend.prefill(tokens.first(6), 0);
      for (int position = 6; position < 9; ++position) {
        loaded.backend.decode(kTokens[static_cast<std::size_t>(position)], position);
      }
      loaded.backend.output(0);
      // An activation that lies on the edge between two codes may go either way: about 1e-3. A wrong
      // pair, factor or norm is above 0.1.
      const Vector expected = PlainForward(loaded.model).logits(kTokens);
      EXPECT_LT(relative_difference(loaded.backend.logits(), expected), 5e-3);
    }
  }
}

TEST(CpuBackend, DecodeComputesTheModel) {
  Loaded loaded;
  const std::span<const std::int32_t> tokens(kTokens);
  loaded.backend.prefill(tokens.first(3), 0);
  for (int position = 3; position < 9; ++position) {
    loaded.backend.decode(kTokens[static_cast<std::size_t>(position)], position);
  }
  loaded.backend.output(0);
  const Vector expected = PlainForward(loaded.model).logits(kTokens);
  EXPECT_LT(relative_difference(loaded.backend.logits(), expected), 1e-4);
}

TEST(CpuBackend, TopIsTheLargestLogitAndItsRunnerUp) {
  Loaded loaded;
  loaded.backend.prefill(kTokens, 0);
  const TopLogits top = loaded.backend.output(2);
  std::vector<float> sorted(loaded.backend.logits().begin(), loaded.backend.logits().end());
  EXPECT_EQ(top.value, sorted[static_cast<std::size_t>(top.index)]);
  std::sort(sorted.rbegin(), sorted.rend());
  EXPECT_EQ(top.value, sorted[0]);
  EXPECT_EQ(top.second, sorted[1]);
}

TEST(CpuBackend, RowsBeyondThePassAreRefused) {
  Loaded loaded;
  loaded.backend.prefill(kTokens, 0);
  EXPECT_THROW(loaded.backend.output(9), Error);
  EXPECT_THROW(loaded.backend.decode(300, 9), Error);
  EXPECT_THROW(loaded.backend.decode(0, 64), Error);
}

TEST(MemoryPlan, CountsTheCacheAndTheActivations) {
  Loaded loaded;
  const MemoryPlan plan = plan_memory(loaded.model, 64, 512);
  EXPECT_EQ(plan.kv, 2u * 2u * 2u * 64u * 128u);  // K and V, f16, layers, positions, head_dim
  // Per row: token, hidden, normed, projected, q, attended, k, v, gate, up, codes, scales, sums.
  const std::uint64_t row = 4 + 4 * (3 * 256 + 2 * 256 + 2 * 128 + 2 * 512) + 512 + 16 * 6;
  EXPECT_EQ(plan.activations, 512u * row + 4u * 300u + 4u * 64u * 128u);
}

TEST(MemoryPlan, MoreThanTheMachineHasIsAnError) {
  try {
    check_memory({.weights = 0, .kv = std::uint64_t{1} << 60, .activations = 0});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("out of memory: weights 0.0 MiB (mapped), KV cache "
                                 "1099511627776.0 MiB, activations 0.0 "
                                 "MiB, but "))
        << error.what();
  }
}

}  // namespace
}  // namespace assay
