#include "engine/generate/check_work.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/graph/plan.h"

namespace assay {
namespace {

constexpr int kVocab = 300;
constexpr int kContext = 16;

struct Refused {
  const char* what;
  WorkRequest request;
  const char* message;
};

WorkRequest work(std::vector<std::int32_t> prompt, int steps = 0,
                 std::vector<std::int32_t> forced = {}) {
  WorkRequest request;
  request.prompt = std::move(prompt);
  request.steps = steps;
  request.forced = std::move(forced);
  return request;
}

template <typename Change>
WorkRequest changed(Change change) {
  WorkRequest request = work({1});
  change(request);
  return request;
}

std::vector<Refused> refused() {
  return {
      {"phase", changed([](WorkRequest& r) { r.phase = "warm"; }),
       "work: phase is 'warm'; expected 'prefill' or 'decode'"},
      {"no prompt", work({}), "work: prompt is empty; at least one token is needed"},
      {"negative steps", work({1}, -1), "work: steps is -1; expected 0 or more"},
      {"chunk too long", changed([](WorkRequest& r) { r.chunk = 513; }),
       "work: chunk is 513; expected 0 (for 512) or 1..512"},
      {"chunk negative", changed([](WorkRequest& r) { r.chunk = -1; }),
       "work: chunk is -1; expected 0 (for 512) or 1..512"},
      {"prompt too long", work(std::vector<std::int32_t>(17, 1)),
       "work: the prompt has 17 tokens; the context holds 16 positions"},
      {"steps too many", work({1, 2}, 15),
       "work: 2 prompt tokens and 15 steps need 17 positions; the context holds 16"},
      {"steps overflow", work({1, 2}, 2147483647),
       "work: 2 prompt tokens and 2147483647 steps need 2147483649 positions; the context holds "
       "16"},
      {"forced of another length", work({1}, 2, {3}),
       "work: forced has 1 tokens for 2 steps; expected none or one for each"},
      {"logits without a folder", changed([](WorkRequest& r) { r.logits = true; }),
       "work: logits are asked for, but dir, the folder to write them to, is empty"},
      {"temperature negative", changed([](WorkRequest& r) { r.temperature = -1; }),
       "work: temperature is -1; expected 0 (the likeliest token) to 100"},
      {"temperature too high", changed([](WorkRequest& r) { r.temperature = 100.5; }),
       "work: temperature is 100.5; expected 0 (the likeliest token) to 100"},
      {"top_k", changed([](WorkRequest& r) { r.top_k = -1; }),
       "work: top_k is -1; expected 0 (all tokens) or more"},
      {"top_p zero", changed([](WorkRequest& r) { r.top_p = 0; }),
       "work: top_p is 0; expected above 0, at most 1"},
      {"top_p above one", changed([](WorkRequest& r) { r.top_p = 1.01; }),
       "work: top_p is 1.01; expected above 0, at most 1"},
      {"seed", changed([](WorkRequest& r) { r.seed = -5; }),
       "work: seed is -5; expected 0 or more"},
      {"token too large", work({1, 300}),
       "work: prompt[1] is 300; tokens of this model are 0..299"},
      {"token negative", work({-1}), "work: prompt[0] is -1; tokens of this model are 0..299"},
      {"forced token too large", work({1}, 1, {4096}),
       "work: forced[0] is 4096; tokens of this model are 0..299"},
  };
}

TEST(CheckWork, RefusesWhatCannotBeDone) {
  for (const Refused& one : refused()) {
    SCOPED_TRACE(one.what);
    try {
      check_work(one.request, kVocab, kContext, kMaxChunk);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_STREQ(error.what(), one.message);
    }
  }
}

TEST(CheckWork, RefusesToDrawFromMoreTokensThanWeightsAddUpFor) {
  WorkRequest request = work({1});
  EXPECT_NO_THROW(check_work(request, 1 << 21, kContext, kMaxChunk));
  request.temperature = 0.5;
  EXPECT_NO_THROW(check_work(request, 1 << 20, kContext, kMaxChunk));
  try {
    check_work(request, 1 << 21, kContext, kMaxChunk);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "work: temperature is 0.5, but tokens are drawn from at most 1048576, and this "
                 "model has 2097152; expected 0");
  }
}

TEST(CheckWork, AcceptsWorkThatFillsTheContextExactly) {
  EXPECT_NO_THROW(check_work(work({1, 2}, 14), kVocab, kContext, kMaxChunk));
  EXPECT_NO_THROW(
      check_work(work(std::vector<std::int32_t>(16, 299)), kVocab, kContext, kMaxChunk));
}

}  // namespace
}  // namespace assay
