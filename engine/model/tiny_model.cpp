#include "engine/model/tiny_model.h"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/core/dtype.h"
#include "engine/core/half.h"
#include "engine/core/mix_stream.h"

namespace assay {
namespace {

constexpr int kHidden = 256;
constexpr int kLayers = 2;
constexpr int kHeads = 2;
constexpr int kHeadDim = 128;
constexpr int kFeedForward = 512;
constexpr int kVocab = 300;

class Random {
 public:
  explicit Random(std::uint64_t seed) : stream_(seed) {}
  std::uint64_t next() { return stream_.next(); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(next() >> 56); }
  // Uniform in [-sd * sqrt(3), sd * sqrt(3)): standard deviation sd.
  float uniform(double sd) {
    return static_cast<float>((2.0 * stream_.uniform() - 1.0) * sd * std::sqrt(3.0));
  }

 private:
  MixStream stream_;
};

// One block of a type, its values of about standard deviation `sd`.
void put_block(ByteWriter& out, DType dtype, double sd, Random& random) {
  switch (dtype) {
    case DType::kF32:
      out.put(random.uniform(sd));
      return;
    case DType::kF16:
      out.put(float_to_half(random.uniform(sd)));
      return;
    case DType::kBF16:
      out.put(float_to_bfloat(random.uniform(sd)));
      return;
    case DType::kQ4_0:
    case DType::kQ4_1:
    case DType::kQ5_0:
    case DType::kQ5_1: {
      const bool five = dtype == DType::kQ5_0 || dtype == DType::kQ5_1;
      const auto d = static_cast<float>(sd / (five ? 9.2 : 4.6));
      out.put(float_to_half(d));
      const bool offset = dtype == DType::kQ4_1 || dtype == DType::kQ5_1;
      if (offset) out.put(float_to_half(five ? -15.5f * d : -7.5f * d));
      const int rest = traits(dtype).block_bytes - (offset ? 4 : 2);
      for (int i = 0; i < rest; ++i) out.u8(random.byte());
      return;
    }
    case DType::kQ8_0:
      out.put(float_to_half(static_cast<float>(sd / 73.0)));
      for (int i = 0; i < 32; ++i) out.put(static_cast<std::int8_t>(random.next() % 255 - 127));
      return;
    case DType::kQ4K:
    case DType::kQ5K: {
      const bool five = dtype == DType::kQ5K;
      const auto d = static_cast<float>(sd / ((five ? 9.2 : 4.6) * 20.0));
      out.put(float_to_half(d)).put(float_to_half((five ? 15.5f : 7.5f) * d));
      // Six-bit scales and mins of 16..23, the same number for both.
      std::uint8_t scale[8];
      for (std::uint8_t& s : scale) s = static_cast<std::uint8_t>(16 + random.byte() % 8);
      for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < 4; ++j) {
          out.u8(static_cast<std::uint8_t>(scale[j] | ((scale[j + 4] >> 4) << 6)));
        }
      }
      for (int j = 4; j < 8; ++j) {
        out.u8(static_cast<std::uint8_t>((scale[j] & 15) | ((scale[j] & 15) << 4)));
      }
      for (int i = 0; i < (five ? 160 : 128); ++i) out.u8(random.byte());
      return;
    }
    case DType::kQ6K:
      for (int i = 0; i < 192; ++i) out.u8(random.byte());
      for (int i = 0; i < 16; ++i) {
        const int magnitude = 40 + random.byte() % 40;
        out.put(static_cast<std::int8_t>(random.byte() % 2 == 0 ? magnitude : -magnitude));
      }
      out.put(float_to_half(static_cast<float>(sd / (18.5 * 60.0))));
      return;
  }
}

class TinyBuilder {
 public:
  explicit TinyBuilder(const TinyModel& options) : options_(options) {}

  std::vector<std::byte> build() {
    metadata();
    matrix("token_embd.weight", kVocab, kHidden, DType::kQ6K, 1.0);
    for (int layer = 0; layer < kLayers; ++layer) add_layer(layer);
    constant("output_norm.weight", kHidden, 1.0);
    if (!options_.tied) linear("output.weight", kVocab, kHidden, DType::kQ8_0);
    if (options_.extend) options_.extend(file_);
    return file_.build();
  }

 private:
  bool wanted(const std::string& name) const {
    return std::find(options_.without.begin(), options_.without.end(), name) ==
           options_.without.end();
  }
  void number(const std::string& key, int value) {
    if (wanted(key)) file_.u32(key, static_cast<std::uint32_t>(value));
  }
  void real(const std::string& key, float value) {
    if (wanted(key)) file_.scalar(key, GgufType::kF32, value);
  }
  void text(const std::string& key, const std::string& value) {
    if (wanted(key)) file_.string(key, value);
  }

  std::string key(const char* name) const { return options_.architecture + "." + name; }

  void metadata() {
    text("general.architecture", options_.architecture);
    text("general.name", "tiny");
    number(key("block_count"), kLayers);
    number(key("context_length"), options_.context);
    number(key("embedding_length"), kHidden);
    number(key("feed_forward_length"), kFeedForward);
    number(key("attention.head_count"), kHeads);
    number(key("attention.head_count_kv"), 1);
    real(key("attention.layer_norm_rms_epsilon"), 1e-6f);
    real(key("rope.freq_base"), 10000.0f);
    number(key("vocab_size"), kVocab);
    text("tokenizer.ggml.model", "no_vocab");
  }

  void matrix(const std::string& name, int rows, int k, DType dtype, double sd) {
    if (!wanted(name)) return;
    const std::uint64_t blocks =
        static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(k / traits(dtype).block);
    ByteWriter data;
    for (std::uint64_t i = 0; i < blocks; ++i) put_block(data, dtype, sd, random_);
    file_.tensor(name, {static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(rows)},
                 static_cast<std::uint32_t>(dtype), data.bytes());
  }
  void linear(const std::string& name, int rows, int k, DType dtype) {
    matrix(name, rows, k, dtype, 1.0 / std::sqrt(static_cast<double>(k)));
  }
  void vector(const std::string& name, int k, double mean, double sd) {
    if (!wanted(name)) return;
    ByteWriter data;
    for (int i = 0; i < k; ++i) data.put(static_cast<float>(mean) + random_.uniform(sd));
    file_.tensor(name, {static_cast<std::uint64_t>(k)}, static_cast<std::uint32_t>(DType::kF32),
                 data.bytes());
  }
  void constant(const std::string& name, int k, double value) { vector(name, k, value, 0.1); }

  // Types are mixed so that every matmul and matvec op runs in one architecture or another.
  void add_layer(int layer) {
    const auto name = [layer](const char* part) { return fmt::format("blk.{}.{}", layer, part); };
    const Types& types = types_of(layer == 0);
    const int q = kHeads * kHeadDim;
    constant(name("attn_norm.weight"), kHidden, 1.0);
    linear(name("attn_q.weight"), q, kHidden, types.q);
    linear(name("attn_k.weight"), kHeadDim, kHidden, types.k);
    linear(name("attn_v.weight"), kHeadDim, kHidden, types.v);
    if (options_.architecture == "qwen2") {
      vector(name("attn_q.bias"), q, 0.0, 0.5);
      vector(name("attn_k.bias"), kHeadDim, 0.0, 0.5);
      vector(name("attn_v.bias"), kHeadDim, 0.0, 0.2);
    }
    if (options_.architecture == "qwen3") {
      constant(name("attn_q_norm.weight"), kHeadDim, 1.0);
      constant(name("attn_k_norm.weight"), kHeadDim, 1.0);
    }
    linear(name("attn_output.weight"), kHidden, q, types.output);
    constant(name("ffn_norm.weight"), kHidden, 1.0);
    linear(name("ffn_gate.weight"), kFeedForward, kHidden, types.gate);
    linear(name("ffn_up.weight"), kFeedForward, kHidden, types.up);
    linear(name("ffn_down.weight"), kHidden, kFeedForward, types.down);
  }

  struct Types {
    DType q, k, v, output, gate, up, down;
  };
  const Types& types_of(bool first) const {
    using enum DType;
    static constexpr Types kQwen2[2] = {{kQ4K, kQ4K, kQ6K, kQ4K, kQ4K, kQ4K, kQ6K},
                                        {kQ8_0, kF16, kQ6K, kF32, kF16, kF32, kQ8_0}};
    static constexpr Types kOthers[2] = {{kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ5K, kBF16, kQ4_1},
                                         {kQ5K, kBF16, kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ5K}};
    return (options_.architecture == "qwen2" ? kQwen2 : kOthers)[first ? 0 : 1];
  }

  const TinyModel& options_;
  GgufBuilder file_;
  Random random_{20261129};
};

}  // namespace

std::vector<std::byte> tiny_model_bytes(const TinyModel& options) {
  return TinyBuilder(options).build();
}

std::string write_tiny_model(const TinyModel& options) {
  static std::atomic<int> made{0};
  const std::string path = (std::filesystem::temp_directory_path() /
                            fmt::format("assay_tiny_{}_{}.gguf", ::getpid(), made++))
                               .string();
  const std::vector<std::byte> bytes = tiny_model_bytes(options);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return path;
}

}  // namespace assay
