#include "gates/prompts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

Definition asked() {
  Definition definition;
  definition.workloads = {{.model = "embedded", .phase = "prefill", .tokens = 16, .threads = 1}};
  definition.guards = {
      {.model = "embedded", .phase = "decode", .depth = 40, .steps = 8, .threads = 1}};
  return definition;
}

std::vector<std::string> names(const std::vector<Context>& contexts) {
  std::vector<std::string> all;
  for (const Context& context : contexts) all.push_back(context.name);
  return all;
}

TEST(Prompts, DrawnTokensDependOnTheSeedAloneAndStayInTheVocabulary) {
  const std::vector<std::int32_t> tokens = drawn_tokens(1000, 37, 5);
  EXPECT_EQ(tokens, drawn_tokens(1000, 37, 5));
  EXPECT_NE(tokens, drawn_tokens(1000, 37, 6));
  EXPECT_EQ(*std::min_element(tokens.begin(), tokens.end()), 0);
  EXPECT_EQ(*std::max_element(tokens.begin(), tokens.end()), 36);
  // A longer draw continues a shorter one.
  const std::vector<std::int32_t> few = drawn_tokens(10, 37, 5);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), tokens.begin()));
}

TEST(Prompts, WorkloadBecomesOneRequest) {
  const WorkRequest prefill = workload_request(asked().workloads[0], 512);
  EXPECT_EQ(prefill.phase, "prefill");
  EXPECT_EQ(prefill.prompt.size(), 16U);
  EXPECT_EQ(prefill.steps, 0);
  EXPECT_FALSE(prefill.all_rows);
  const WorkRequest decode = workload_request(asked().guards[0], 512);
  EXPECT_EQ(decode.phase, "decode");
  EXPECT_EQ(decode.prompt.size(), 40U);
  EXPECT_EQ(decode.steps, 8);
}

TEST(Prompts, BothSidesOfEveryEdgeInPrefill) {
  const std::vector<Context> contexts = identity_contexts(asked(), {32}, true, false, 512, 512, 32);
  EXPECT_EQ(names(contexts), (std::vector<std::string>{"workload 0 (prefill)", "guard 0 (decode)",
                                                       "prompt 1", "prompt 2", "prompt 5",
                                                       "prompt 31", "prompt 32", "prompt 33"}));
  for (const Context& context : contexts) {
    EXPECT_EQ(context.request.steps, 32) << context.name;
    EXPECT_EQ(context.request.all_rows, context.request.phase == "prefill") << context.name;
  }
}

TEST(Prompts, GreedyStepsCrossEveryEdgeInDecode) {
  const std::vector<Context> contexts = identity_contexts(asked(), {64}, false, true, 512, 512, 32);
  ASSERT_EQ(names(contexts), (std::vector<std::string>{"workload 0 (prefill)", "guard 0 (decode)",
                                                       "prompt 1", "prompt 48"}));
  const WorkRequest& across = contexts.back().request;
  EXPECT_LT(across.prompt.size(), 64U);
  EXPECT_GT(across.prompt.size() + static_cast<std::size_t>(across.steps), 64U);
}

TEST(Prompts, LengthsThatDoNotFitAreLeftOut) {
  EXPECT_EQ(
      names(identity_contexts(asked(), {96, 1}, true, true, 512, 128, 32)),
      (std::vector<std::string>{"workload 0 (prefill)", "guard 0 (decode)", "prompt 1", "prompt 2",
                                "prompt 5", "prompt 95", "prompt 96", "prompt 1", "prompt 80"}));
}

}  // namespace
}  // namespace assay
