#include "engine/model/model.h"

#include <gtest/gtest.h>

#include <cstring>

#include "engine/core/error.h"
#include "engine/gguf/file.h"
#include "engine/model/tiny_model.h"

namespace assay {
namespace {

// A model with the bytes that its views look into.
struct Opened {
  explicit Opened(const TinyModel& options)
      : bytes(tiny_model_bytes(options)), file(GgufFile::from_memory(bytes, "tiny")) {}
  std::vector<std::byte> bytes;
  GgufFile file;
};

std::string refusal(const TinyModel& options) {
  const Opened opened(options);
  try {
    read_model(opened.file);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(Model, ShapeComesFromTheMetadataAndTheTensors) {
  const Opened opened({});
  const Model model = read_model(opened.file);
  const HyperParameters& hyper = model.hyper;
  EXPECT_EQ(hyper.name, "tiny");
  EXPECT_EQ(hyper.architecture, "qwen2");
  EXPECT_EQ(hyper.layers, 2);
  EXPECT_EQ(hyper.embedding, 256);
  EXPECT_EQ(hyper.heads, 2);
  EXPECT_EQ(hyper.kv_heads, 1);
  EXPECT_EQ(hyper.head_dim, 128);
  EXPECT_EQ(hyper.feed_forward, 512);
  EXPECT_EQ(hyper.vocab, 300);
  EXPECT_EQ(hyper.context, 1024);
  EXPECT_EQ(hyper.rms_eps, 1e-6f);
  EXPECT_EQ(hyper.rope_base, 10000.0);
  ASSERT_EQ(model.layers.size(), 2u);
  EXPECT_EQ(model.layers[1].q.dtype, DType::kQ8_0);
  EXPECT_EQ(model.layers[1].down.rows, 256);
  EXPECT_EQ(model.layers[1].down.k, 512);
}

TEST(Model, WeightsAreViewsIntoTheFile) {
  const Opened opened({});
  const Model model = read_model(opened.file);
  const GgufTensor* tensor = opened.file.find_tensor("blk.0.attn_k.weight");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(model.layers[0].k.data, tensor->data.data());
}

TEST(Model, WithoutAnOutputMatrixTheEmbeddingServesAndIsCountedOnce) {
  const Opened tied({});
  const Opened untied({.tied = false});
  const Model shared = read_model(tied.file);
  const Model own = read_model(untied.file);
  EXPECT_TRUE(shared.tied);
  EXPECT_EQ(shared.output.data, shared.token_embedding.data);
  EXPECT_FALSE(own.tied);
  EXPECT_EQ(own.output.name, "output.weight");
  EXPECT_EQ(own.weight_bytes - shared.weight_bytes, 300u * row_bytes(DType::kQ8_0, 256));
}

TEST(Model, RopeBaseIsTenThousandWhereTheFileIsSilent) {
  const Opened opened({.without = {"qwen2.rope.freq_base"}});
  EXPECT_EQ(read_model(opened.file).hyper.rope_base, 10000.0);
}

TEST(Model, AnotherArchitectureIsRefusedWithWhatIsKnown) {
  EXPECT_EQ(refusal({.without = {"general.architecture"},
                     .extend = [](GgufBuilder& f) { f.string("general.architecture", "gemma3"); }}),
            "tiny: general.architecture is 'gemma3'; known: llama, qwen2, qwen3");
}

TEST(Model, AMissingTensorIsNamed) {
  EXPECT_NE(refusal({.without = {"blk.1.attn_v.bias"}}).find("blk.1.attn_v.bias"),
            std::string::npos);
}

TEST(Model, AMissingKeyIsNamed) {
  EXPECT_NE(refusal({.without = {"qwen2.block_count"}}).find("qwen2.block_count"),
            std::string::npos);
}

TEST(Model, AWrongShapeSaysWhatWasExpected) {
  const auto wrong = [](GgufBuilder& f) {
    f.tensor("blk.0.ffn_up.weight", {256, 100}, static_cast<std::uint32_t>(DType::kF16),
             std::vector<std::byte>(256 * 100 * 2));
  };
  EXPECT_EQ(refusal({.without = {"blk.0.ffn_up.weight"}, .extend = wrong}),
            "tiny: tensor blk.0.ffn_up.weight has shape [256, 100]; expected [256, 512] from the "
            "metadata");
}

TEST(Model, ANormOfAnotherTypeIsRefused) {
  const auto wrong = [](GgufBuilder& f) {
    f.tensor("output_norm.weight", {256}, static_cast<std::uint32_t>(DType::kF16),
             std::vector<std::byte>(256 * 2));
  };
  EXPECT_EQ(refusal({.without = {"output_norm.weight"}, .extend = wrong}),
            "tiny: tensor output_norm.weight has type f16; expected f32");
}

void add_vector(GgufBuilder& file, const std::string& name, const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  file.tensor(name, {values.size()}, static_cast<std::uint32_t>(DType::kF32), bytes);
}

TEST(Model, ATensorThatNobodyComputesWithIsRefused) {
  EXPECT_EQ(refusal({.extend =
                         [](GgufBuilder& f) {
                           add_vector(f, "extra.weight", {1, 2});
                         }}),
            "tiny: tensor extra.weight [2] belongs to no qwen2 model that this engine knows");
  EXPECT_EQ(
      refusal({.architecture = "llama",
               .extend =
                   [](GgufBuilder& f) {
                     add_vector(f, "blk.0.attn_q_norm.weight", std::vector<float>(128, 1));
                   }}),
      "tiny: tensor blk.0.attn_q_norm.weight [128] belongs to no llama model that this engine "
      "knows");
}

TEST(Model, ArchitecturesDifferInRotationBiasesAndHeadNorms) {
  const Opened llama({.architecture = "llama"});
  const Opened qwen2({});
  const Opened qwen3({.architecture = "qwen3"});
  EXPECT_TRUE(read_model(llama.file).hyper.rope_interleaved);
  EXPECT_FALSE(read_model(qwen2.file).hyper.rope_interleaved);
  EXPECT_FALSE(read_model(qwen3.file).hyper.rope_interleaved);
  EXPECT_FALSE(read_model(llama.file).layers[0].q_bias.there());
  EXPECT_TRUE(read_model(qwen2.file).layers[0].q_bias.there());
  EXPECT_FALSE(read_model(qwen3.file).layers[0].q_bias.there());
  EXPECT_FALSE(read_model(qwen2.file).layers[0].q_norm.there());
  EXPECT_EQ(read_model(qwen3.file).layers[1].k_norm.k, 128);
  EXPECT_NE(refusal({.architecture = "qwen3", .without = {"blk.1.attn_k_norm.weight"}})
                .find("blk.1.attn_k_norm.weight"),
            std::string::npos);
}

TEST(Model, ALlamaMayHaveBiases) {
  const Opened opened({.architecture = "llama", .extend = [](GgufBuilder& f) {
                         add_vector(f, "blk.1.attn_v.bias", std::vector<float>(128, 0.5f));
                       }});
  const Model model = read_model(opened.file);
  EXPECT_FALSE(model.layers[1].q_bias.there());
  EXPECT_EQ(model.layers[1].v_bias.k, 128);
}

TEST(Model, FrequencyFactorsArePositive) {
  std::vector<float> factors(64, 8.0f);
  const auto with = [&](GgufBuilder& f) { add_vector(f, "rope_freqs.weight", factors); };
  const Opened opened({.architecture = "llama", .extend = with});
  EXPECT_EQ(read_model(opened.file).rope_factors.k, 64);
  factors[3] = 0;
  EXPECT_EQ(refusal({.architecture = "llama", .extend = with}),
            "tiny: tensor rope_freqs.weight has 0 at 3; expected positive numbers");
}

TEST(Model, PositionsAreScaledAsTheMetadataSays) {
  const auto scaling = [](const char* type, float factor) {
    return [type, factor](GgufBuilder& f) {
      f.string("qwen2.rope.scaling.type", type);
      if (factor != 0) f.scalar("qwen2.rope.scaling.factor", GgufType::kF32, factor);
    };
  };
  const Opened linear({.extend = scaling("linear", 4.0f)});
  const Opened none({.extend = scaling("none", 4.0f)});
  EXPECT_EQ(read_model(linear.file).hyper.rope_scale, 4.0);
  EXPECT_EQ(read_model(none.file).hyper.rope_scale, 1.0);
  EXPECT_EQ(refusal({.extend = scaling("linear", 0.0f)}),
            "tiny: qwen2.rope.scaling.type is 'linear', and there is no qwen2.rope.scaling.factor");
  EXPECT_EQ(refusal({.extend = scaling("linear", -1.0f)}),
            "tiny: qwen2.rope.scaling.factor is -1; expected a positive number");
  EXPECT_EQ(refusal({.extend = scaling("yarn", 4.0f)}),
            "tiny: qwen2.rope.scaling.type is 'yarn'; known: none, linear");
}

TEST(Model, ArithmeticThatTheEngineDoesNotDoIsRefusedByItsKey) {
  const auto number = [](const char* key, std::uint32_t value) {
    return refusal({.extend = [=](GgufBuilder& f) { f.u32(key, value); }});
  };
  const auto factor = [](const char* key, float value) {
    return refusal({.extend = [=](GgufBuilder& f) { f.scalar(key, GgufType::kF32, value); }});
  };
  EXPECT_EQ(number("qwen2.attention.sliding_window", 1023),
            "tiny: qwen2.attention.sliding_window is 1023, less than the context of 1024; this "
            "engine attends to all positions");
  EXPECT_EQ(number("qwen2.attention.sliding_window", 1024), "accepted");
  EXPECT_EQ(number("qwen2.attention.sliding_window", 0), "accepted");
  EXPECT_EQ(number("qwen2.expert_count", 8),
            "tiny: qwen2.expert_count is 8; this engine has no mixtures of experts");
  EXPECT_EQ(number("qwen2.expert_count", 0), "accepted");
  for (const char* key : {"qwen2.attn_logit_softcapping", "qwen2.final_logit_softcapping",
                          "qwen2.logit_scale", "qwen2.embedding_scale", "qwen2.residual_scale",
                          "qwen2.attention.scale", "qwen2.rope.scaling.attn_factor"}) {
    EXPECT_EQ(factor(key, 30),
              std::string("tiny: ") + key + " is 30; this engine computes without it");
    EXPECT_EQ(factor(key, 1), "accepted");
  }
  EXPECT_EQ(refusal({.extend =
                         [](GgufBuilder& f) {
                           f.scalar("qwen2.attention.causal", GgufType::kBool, std::uint8_t{0});
                         }}),
            "tiny: qwen2.attention.causal is false; this engine generates text, from left to "
            "right");
  EXPECT_EQ(refusal({.extend = [](GgufBuilder& f) { f.string("general.type", "adapter"); }}),
            "tiny: general.type is 'adapter'; expected 'model'");
}

TEST(Model, TextOfTheFileIsQuotedWithoutItsControlCharacters) {
  EXPECT_EQ(
      refusal({.without = {"general.architecture"},
               .extend = [](GgufBuilder& f) { f.string("general.architecture", "a\x1b[2J\xff"); }}),
      "tiny: general.architecture is 'a\\x1b[2J\\xff'; known: llama, qwen2, qwen3");
  EXPECT_EQ(refusal({.extend =
                         [](GgufBuilder& f) {
                           add_vector(f, "x\ny", {1, 2});
                         }}),
            "tiny: tensor x\\x0ay [2] belongs to no qwen2 model that this engine knows");
}

TEST(Model, HeadsThatDoNotDivideAreRefused) {
  EXPECT_EQ(refusal({.without = {"qwen2.attention.head_count_kv"},
                     .extend = [](GgufBuilder& f) { f.u32("qwen2.attention.head_count_kv", 3); }}),
            "tiny: 2 query heads cannot share 3 KV heads evenly");
}

TEST(Model, ACountOfZeroIsRefused) {
  EXPECT_EQ(refusal({.without = {"qwen2.attention.head_count"},
                     .extend = [](GgufBuilder& f) { f.u32("qwen2.attention.head_count", 0); }}),
            "tiny: qwen2.attention.head_count is 0; expected 1..16777216");
}

TEST(Model, AVocabularySizeThatContradictsTheEmbeddingIsRefused) {
  EXPECT_EQ(refusal({.without = {"qwen2.vocab_size"},
                     .extend = [](GgufBuilder& f) { f.u32("qwen2.vocab_size", 301); }}),
            "tiny: qwen2.vocab_size is 301, but token_embd.weight has 300 rows");
}

TEST(Model, AKeyLengthOtherThanTheQuotientIsHonoured) {
  EXPECT_EQ(refusal({.extend = [](GgufBuilder& f) { f.u32("qwen2.attention.key_length", 64); }}),
            "tiny: tensor blk.0.attn_q.weight has shape [256, 256]; expected [256, 128] from the "
            "metadata");
}

}  // namespace
}  // namespace assay
