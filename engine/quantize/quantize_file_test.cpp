#include "engine/quantize/quantize_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "engine/gguf/gguf_builder.h"
#include "kernels/blocks.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class QuantizeFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("assay_quantize_" + std::to_string(::getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return folder_ / name; }
  bool nothing_left() const { return fs::is_empty(folder_); }
  fs::path folder_;
};

std::vector<std::byte> floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.1f);
  std::vector<std::byte> bytes(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const float value = normal(random);
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
  return bytes;
}

constexpr int kLayers = 5;

// Five layers with the tensors that mixtures tell apart; rows of `width`.
std::vector<std::byte> model(std::uint64_t width, bool tied) {
  GgufBuilder builder;
  builder.string("general.architecture", "llama").u32("general.file_type", 0).u32("last", 7);
  unsigned seed = 0;
  const auto add = [&](const std::string& name, std::vector<std::uint64_t> ne) {
    std::uint64_t count = 1;
    for (const std::uint64_t extent : ne) count *= extent;
    builder.tensor(name, std::move(ne), 0, floats(count, ++seed));
  };
  add("token_embd.weight", {width, 4});
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string blk = "blk." + std::to_string(layer) + ".";
    add(blk + "attn_norm.weight", {width});
    add(blk + "attn_v.weight", {width, 2});
    add(blk + "ffn_up.weight", {width, 2});
    add(blk + "ffn_down.weight", {width, 2});
  }
  if (!tied) add("output.weight", {width, 4});
  return builder.build();
}

QuantizeOptions as(std::string_view mixture, int threads = 1) {
  return {.mixture = *find_mixture(mixture),
          .layers = kLayers,
          .threads = threads,
          .done = {},
          .stop = {}};
}

// "token_embd q6_K": names without ".weight" and "blk."
std::string types_of(const GgufFile& file, const std::string& part) {
  std::string text;
  for (const GgufTensor& t : file.tensors()) {
    if (t.name.find(part) == std::string_view::npos) continue;
    text += (text.empty() ? "" : " ") + std::string(traits(*t.dtype).name);
  }
  return text;
}

TEST_F(QuantizeFile, TheUsualMixture) {
  const std::vector<std::byte> bytes = model(256, true);
  const GgufFile file = GgufFile::from_memory(bytes, "m");
  const std::uint64_t size = quantize_file(file, at("q"), as("q4_k_m"));
  const GgufFile q = GgufFile::open(at("q"));
  EXPECT_EQ(q.size(), size);
  EXPECT_EQ(types_of(q, "token_embd"), "q6_K");
  EXPECT_EQ(types_of(q, "attn_v"), "q4_K q4_K q6_K q4_K q6_K");
  EXPECT_EQ(types_of(q, "ffn_down"), "q4_K q4_K q6_K q4_K q6_K");
  EXPECT_EQ(types_of(q, "ffn_up"), "q4_K q4_K q4_K q4_K q4_K");
  EXPECT_EQ(types_of(q, "norm"), "f32 f32 f32 f32 f32");
  EXPECT_EQ(q.get_u32("general.file_type"), 15u);
  EXPECT_EQ(q.get_u32("general.quantization_version"), 2u);
  EXPECT_EQ(q.get_u32("last"), 7u);
  EXPECT_EQ(q.metadata().entries()[1].key, "general.file_type");  // its place is kept

  const std::vector<std::byte> untied = model(256, false);
  quantize_file(GgufFile::from_memory(untied, "m"), at("untied"), as("q4_k_m"));
  EXPECT_EQ(types_of(GgufFile::open(at("untied")), "token_embd"), "q4_K");
  EXPECT_EQ(types_of(GgufFile::open(at("untied")), "output"), "q6_K");
}

TEST_F(QuantizeFile, EveryTensorIsItsOwnRowsQuantised) {
  const std::vector<std::byte> bytes = model(256, true);
  const GgufFile file = GgufFile::from_memory(bytes, "m");
  for (const Mixture& mixture : all_mixtures()) {
    const std::string path = at(std::string(mixture.name));
    quantize_file(file, path, as(mixture.name));
    const GgufFile q = GgufFile::open(path);
    ASSERT_EQ(q.tensors().size(), file.tensors().size());
    for (std::size_t i = 0; i < q.tensors().size(); ++i) {
      const GgufTensor& from = file.tensors()[i];
      const GgufTensor& to = q.tensors()[i];
      EXPECT_EQ(to.name, from.name);
      EXPECT_EQ(to.ne, from.ne);
      const auto k = static_cast<int>(from.ne[0]);
      std::vector<float> x(from.ne[0]), y(from.ne[0]);
      for (std::uint64_t row = 0; row < from.ne[1]; ++row) {
        dequantize_row(*from.dtype, from.data.data() + row * row_bytes(*from.dtype, x.size()), k,
                       x.data());
        dequantize_row(*to.dtype, to.data.data() + row * row_bytes(*to.dtype, y.size()), k,
                       y.data());
        for (std::size_t j = 0; j < x.size(); ++j) ASSERT_NEAR(x[j], y[j], 0.05f) << to.name;
      }
    }
  }
}

TEST_F(QuantizeFile, TheBytesDoNotDependOnThreads) {
  const std::vector<std::byte> bytes = model(256, true);
  const GgufFile file = GgufFile::from_memory(bytes, "m");
  quantize_file(file, at("one"), as("q4_k_m", 1));
  quantize_file(file, at("three"), as("q4_k_m", 3));
  EXPECT_EQ(read_whole_file(at("one")), read_whole_file(at("three")));
}

TEST_F(QuantizeFile, ShortRowsFallBackAndAreTold) {
  for (const auto& [width, expected] :
       {std::pair{std::uint64_t{64}, "q8_0"}, std::pair{std::uint64_t{40}, "f16"}}) {
    const std::vector<std::byte> bytes = model(width, true);
    int told = 0;
    QuantizeOptions options = as("q4_k_m");
    options.done = [&](const QuantizedTensor& tensor) {
      if (tensor.to.dtype == tensor.to.wanted) return;
      EXPECT_EQ(traits(tensor.to.dtype).name, expected);
      ++told;
    };
    quantize_file(GgufFile::from_memory(bytes, "m"), at(expected), options);
    EXPECT_EQ(told, 16);  // all but the norms
  }
}

TEST_F(QuantizeFile, QuantisedWeightsAreNotRoundedTwice) {
  const std::vector<std::byte> bytes = model(256, true);
  quantize_file(GgufFile::from_memory(bytes, "m"), at("eight"), as("q8_0"));
  const GgufFile eight = GgufFile::open(at("eight"));
  try {
    quantize_file(eight, at("four"), as("q4_k_m"));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(std::string(error.what()),
              at("eight") +
                  ": tensor 0 \"token_embd.weight\": is q8_0 already, and q6_K would round it a "
                  "second time: start from the f16 or f32 file, or make one with --type f16 first");
  }
  EXPECT_FALSE(fs::exists(at("four")));
  quantize_file(eight, at("wide"), as("f16"));   // this way always
  quantize_file(eight, at("same"), as("q8_0"));  // nothing to round
  EXPECT_EQ(read_whole_file(at("same")), read_whole_file(at("eight")));
}

TEST_F(QuantizeFile, StoppedItLeavesNothing) {
  const std::vector<std::byte> bytes = model(256, true);
  QuantizeOptions options = as("q8_0");
  int asked = 0;
  options.stop = [&] { return ++asked > 3; };
  try {
    quantize_file(GgufFile::from_memory(bytes, "m"), at("q"), options);
    ADD_FAILURE() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInconclusive);
    EXPECT_STREQ(error.what(), "stopped before all was written; no file was made");
  }
  EXPECT_TRUE(nothing_left());
}

TEST_F(QuantizeFile, AValueThatIsNotFiniteIsNamedAndNothingIsLeft) {
  std::vector<std::byte> data = floats(512, 1);
  const float infinite = -std::numeric_limits<float>::infinity();
  std::memcpy(data.data() + 4 * (256 + 3), &infinite, 4);
  const std::vector<std::byte> bytes = GgufBuilder().tensor("a.weight", {256, 2}, 0, data).build();
  try {
    quantize_file(GgufFile::from_memory(bytes, "m"), at("q"), as("q8_0"));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "m: tensor 0 \"a.weight\": row 1: element 3 is -inf: convert the model again");
  }
  EXPECT_TRUE(nothing_left());
}

}  // namespace
}  // namespace assay
