// The embedded model against llama.cpp: twelve prompts, greedy, as llama-cpp-python 0.3.36 wrote
// them.
//
// The engines quantise activations differently (blocks of 32 here, of 256 there for K types), which
// moves logits by about 0.05; the text may fork where two tokens are that close, and only there. So
// most prompts must give the same 16 tokens, and under llama.cpp's tokens every step whose margin
// is clear must have the same argmax.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/backend/cpu/service_of_level.h"
#include "engine/worker/worker.h"

namespace assay {
namespace {

using Json = nlohmann::json;

constexpr float kClearMargin = 0.25f;  // five times the usual difference of the engines' logits

struct Golden {
  std::string prompt;
  std::vector<std::int32_t> prompt_tokens;
  std::vector<std::int32_t> greedy_tokens;  // 32
  std::vector<float> margins;               // of llama.cpp, for each
};

class GoldenTest : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(ASSAY_SOURCE_ROOT "/engine/worker/golden_embedded.json");
    const Json golden = Json::parse(file);
    for (const Json& one : golden.at("completions")) {
      goldens_.push_back({.prompt = one.at("prompt"),
                          .prompt_tokens = one.at("prompt_tokens"),
                          .greedy_tokens = one.at("greedy_tokens"),
                          .margins = one.at("greedy_margins")});
    }
    Json load = LoadRequest{.model = "embedded",
                            .backend = "cpu",
                            .service = service_of_level(cpu_level()),
                            .context = 256,
                            .threads = 0};
    load["request"] = "load";
    ASSERT_EQ(ask(load)["sha256"], golden.at("model_sha256")) << "made for another model";
    ASSERT_EQ(goldens_.size(), 12u);
  }
  Json ask(const Json& request) { return Json::parse(worker_.answer(request.dump())); }

  std::vector<Golden> goldens_;
  ProgressCounter progress_;
  Worker worker_{progress_};
};

TEST_F(GoldenTest, PromptsBecomeTheSameTokens) {
  for (const Golden& golden : goldens_) {
    const Json reply = ask({{"request", "tokenize"}, {"text", golden.prompt}, {"special", true}});
    EXPECT_EQ(reply["tokens"].get<std::vector<std::int32_t>>(), golden.prompt_tokens)
        << golden.prompt;
  }
}

TEST_F(GoldenTest, MostPromptsGiveTheSameText) {
  int same = 0;
  for (const Golden& golden : goldens_) {
    const Json reply = ask({{"request", "work"}, {"prompt", golden.prompt_tokens}, {"steps", 16}});
    const std::vector<std::int32_t> expected(golden.greedy_tokens.begin(),
                                             golden.greedy_tokens.begin() + 16);
    same += reply["tokens"].get<std::vector<std::int32_t>>() == expected ? 1 : 0;
  }
  EXPECT_GE(same, 9) << "of 12";
}

TEST_F(GoldenTest, WhereTheMarginIsClearTheArgmaxIsTheSame) {
  int clear = 0;
  for (const Golden& golden : goldens_) {
    const WorkReply reply = ask({{"request", "work"},
                                 {"prompt", golden.prompt_tokens},
                                 {"steps", 32},
                                 {"forced", golden.greedy_tokens}})
                                .get<WorkReply>();
    ASSERT_EQ(reply.top.size(), 33u);
    for (std::size_t step = 0; step < 32; ++step) {
      if (golden.margins[step] < kClearMargin) continue;
      ++clear;
      EXPECT_EQ(reply.top[step], golden.greedy_tokens[step])
          << golden.prompt << ", step " << step << ", margin " << golden.margins[step];
    }
  }
  EXPECT_GE(clear, 250) << "of 384: the test has no power without clear margins";
}

}  // namespace
}  // namespace assay
