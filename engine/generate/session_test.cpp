#include "engine/generate/session.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/core/error.h"
#include "engine/generate/digest.h"
#include "engine/generate/tiny_engine.h"

namespace assay {
namespace {

WorkRequest ask(std::vector<std::int32_t> prompt, int steps, const char* phase = "decode") {
  WorkRequest request;
  request.phase = phase;
  request.prompt = std::move(prompt);
  request.steps = steps;
  return request;
}

WorkRequest usual_work() {
  WorkRequest request = ask(tiny_prompt(40), 24, "prefill");
  request.all_rows = true;
  return request;
}

void expect_same_results(const WorkReply& a, const WorkReply& b) {
  EXPECT_EQ(a.top, b.top);
  EXPECT_EQ(a.margins, b.margins);
  EXPECT_EQ(a.digests, b.digests);
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.digest, b.digest);
  EXPECT_EQ(a.nonfinite, b.nonfinite);
}

std::vector<float> read_floats(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

class SessionFolder : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / ("assay_session_" + std::to_string(::getpid()));
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::filesystem::path dir_;
};

TEST(Session, AReplyHasARowForEachPromptTokenAndStep) {
  TinyEngine engine;
  const WorkReply reply = engine.session.work(usual_work());
  EXPECT_EQ(reply.top.size(), 64u);
  EXPECT_EQ(reply.margins.size(), 64u);
  EXPECT_EQ(reply.digests.size(), 64u);
  EXPECT_EQ(reply.tokens.size(), 24u);
  EXPECT_EQ(reply.nonfinite, 0u);
  EXPECT_GT(reply.prefill_ns, 0);
  EXPECT_EQ(reply.elapsed_ns, reply.prefill_ns);
  EXPECT_FALSE(reply.prefill_reused);
  for (const float margin : reply.margins) EXPECT_GE(margin, 0.0f);
}

WorkRequest drawn_work() {
  WorkRequest request = ask(tiny_prompt(40), 24);
  request.temperature = 100;
  request.top_k = 50;
  request.seed = 7;
  return request;
}

TEST(Session, DrawnStepsFeedWhatWasPicked) {
  TinyEngine engine;
  const WorkReply reply = engine.session.work(drawn_work());
  ASSERT_EQ(reply.picks.size(), 25u);
  EXPECT_TRUE(std::equal(reply.tokens.begin(), reply.tokens.end(), reply.picks.begin()));
  EXPECT_NE(reply.picks, reply.top);
}

TEST(Session, GreedyPicksAreTheTops) {
  TinyEngine engine;
  const WorkReply reply = engine.session.work(ask(tiny_prompt(40), 24));
  EXPECT_EQ(reply.picks, reply.top);
}

TEST(Session, TopKOneDrawsTheGreedyTokens) {
  TinyEngine engine;
  WorkRequest request = drawn_work();
  request.top_k = 1;
  EXPECT_EQ(engine.session.work(request).picks,
            engine.session.work(ask(tiny_prompt(40), 24)).picks);
}

TEST(Session, ASeedGivesTheSameTokensAtAnyThreadsChunksAndReuse) {
  TinyEngine two;
  TinyEngine three({.context = 1024, .threads = 3});
  const WorkReply first = two.session.work(drawn_work());
  const WorkReply again = two.session.work(drawn_work());
  EXPECT_FALSE(first.prefill_reused);
  EXPECT_TRUE(again.prefill_reused);
  EXPECT_EQ(again.picks, first.picks);
  WorkRequest chunked = drawn_work();
  chunked.chunk = 7;
  EXPECT_EQ(three.session.work(chunked).picks, first.picks);
  WorkRequest other = drawn_work();
  other.seed = 8;
  EXPECT_NE(two.session.work(other).picks, first.picks);
}

// The prompt of a greedy request left no logits behind.
TEST(Session, DrawingComputesAPromptWhoseLogitsWereNotKept) {
  TinyEngine engine;
  engine.session.work(ask(tiny_prompt(40), 4));
  const WorkReply drawn = engine.session.work(drawn_work());
  EXPECT_FALSE(drawn.prefill_reused);
  EXPECT_TRUE(engine.session.work(ask(tiny_prompt(40), 4)).prefill_reused);
  EXPECT_EQ(engine.session.work(drawn_work()).picks, drawn.picks);
}

// A shorter request is the beginning of a longer one: how `generate` shows words as they come.
TEST(Session, AShorterRequestDrawsTheSameBeginning) {
  TinyEngine engine;
  const WorkReply whole = engine.session.work(drawn_work());
  WorkRequest request = drawn_work();
  request.steps = 5;
  const WorkReply part = engine.session.work(request);
  ASSERT_EQ(part.picks.size(), 6u);
  EXPECT_TRUE(std::equal(part.picks.begin(), part.picks.end(), whole.picks.begin()));
}

TEST(Session, GreedyStepsFeedTheArgmaxOfTheRowBefore) {
  TinyEngine engine;
  const WorkReply reply = engine.session.work(usual_work());
  for (std::size_t step = 0; step < 24; ++step) {
    EXPECT_EQ(reply.tokens[step], reply.top[39 + step]) << step;
  }
}

TEST(Session, ForcedTokensAreFedWhateverTheArgmaxSays) {
  TinyEngine engine;
  WorkRequest request = ask(tiny_prompt(5), 3);
  request.forced = {11, 12, 13};
  const WorkReply reply = engine.session.work(request);
  EXPECT_EQ(reply.tokens, request.forced);
  const std::string before = reply.digest;
  request.forced[2] = 14;
  const WorkReply other = engine.session.work(request);
  EXPECT_EQ(other.digests[2], reply.digests[2]);
  EXPECT_NE(other.digests[3], reply.digests[3]);
  EXPECT_NE(other.digest, before);
}

TEST(Session, ForcingTheGreedyTokensGivesTheGreedyBits) {
  TinyEngine engine;
  WorkRequest request = usual_work();
  const WorkReply greedy = engine.session.work(request);
  request.forced = greedy.tokens;
  expect_same_results(engine.session.work(request), greedy);
}

TEST(Session, ThreadsDoNotChangeTheBits) {
  const WorkReply expected = TinyEngine({.context = 1024, .threads = 1}).session.work(usual_work());
  for (const int threads : {2, 3, 8}) {
    TinyEngine engine({.context = 1024, .threads = threads});
    SCOPED_TRACE(threads);
    expect_same_results(engine.session.work(usual_work()), expected);
  }
}

TEST(Session, ChunksDoNotChangeTheBits) {
  for (const char* architecture : {"llama", "qwen2", "qwen3"}) {
    TinyEngine engine({.context = 1024, .threads = 2}, service_of_level(cpu_level()),
                      {.architecture = architecture});
    WorkRequest request = ask(tiny_prompt(530), 4, "prefill");
    request.all_rows = true;
    const WorkReply expected = engine.session.work(request);
    for (const int chunk : {1, 7, 32, 511}) {
      request.chunk = chunk;
      SCOPED_TRACE(std::string(architecture) + ", chunks of " + std::to_string(chunk));
      expect_same_results(engine.session.work(request), expected);
    }
  }
}

TEST(Session, EarlierWorkDoesNotChangeTheBits) {
  const WorkReply expected = TinyEngine().session.work(usual_work());
  TinyEngine engine;
  engine.session.work(ask(tiny_prompt(300), 50));
  engine.session.work(ask({299, 0, 17}, 0, "prefill"));
  expect_same_results(engine.session.work(usual_work()), expected);
}

TEST(Session, ThePortableKernelsAndThoseOfThisProcessorGiveTheSameBits) {
  const CpuBackendOptions options{.context = 1024, .threads = 2};
  for (const char* architecture : {"llama", "qwen2", "qwen3"}) {
    const TinyModel tiny{.architecture = architecture};
    const WorkReply portable =
        TinyEngine(options, service_of_level(CpuLevel::kPortable), tiny).session.work(usual_work());
    for (const CpuLevel level : {CpuLevel::kAvx2, CpuLevel::kAvx512Vnni}) {
      if (level > cpu_level()) continue;
      TinyEngine engine(options, service_of_level(level), tiny);
      SCOPED_TRACE(std::string(architecture) + " " + std::string(device_key(level)));
      expect_same_results(engine.session.work(usual_work()), portable);
    }
  }
}

TEST(Session, ARepeatedPromptIsReusedInDecodeAndGivesTheSameResults) {
  TinyEngine engine;
  const WorkRequest request = ask(tiny_prompt(40), 10);
  const WorkReply fresh = engine.session.work(request);
  const WorkReply reused = engine.session.work(request);
  EXPECT_FALSE(fresh.prefill_reused);
  EXPECT_TRUE(reused.prefill_reused);
  EXPECT_EQ(reused.prefill_ns, 0);
  EXPECT_TRUE(reused.prefill_counts.empty());
  EXPECT_EQ(reused.decode_counts, fresh.decode_counts);
  expect_same_results(reused, fresh);
}

TEST(Session, ReuseServesFewerRowsButNeverMoreAndNeverAnotherPrompt) {
  TinyEngine engine;
  WorkRequest request = ask(tiny_prompt(40), 2);
  engine.session.work(request);
  request.all_rows = true;
  EXPECT_FALSE(engine.session.work(request).prefill_reused);
  EXPECT_TRUE(engine.session.work(request).prefill_reused);
  request.all_rows = false;
  const WorkReply last_row = engine.session.work(request);
  EXPECT_TRUE(last_row.prefill_reused);
  EXPECT_EQ(last_row.top.size(), 3u);
  request.prompt.pop_back();
  EXPECT_FALSE(engine.session.work(request).prefill_reused);
  request.phase = "prefill";
  EXPECT_FALSE(engine.session.work(request).prefill_reused);
}

TEST(Session, CountersEqualThePlan) {
  // Two variants of one op by cached positions, so that a wrong problem shows.
  ServiceSelection service = service_of_level(CpuLevel::kPortable);
  service["attention_decode"] = {
      {.key = "nkv", .low = 1, .high = 45, .variant = "attention_decode.cpu.portable[tkv=32]"},
      {.key = "nkv", .low = 46, .variant = "attention_decode.cpu.portable[tkv=64]"}};
  TinyEngine engine({.context = 1024, .threads = 2}, service);
  for (const bool all_rows : {false, true}) {
    WorkRequest request = ask(tiny_prompt(40), 10, "prefill");
    request.chunk = 16;
    request.all_rows = all_rows;
    const WorkReply reply = engine.session.work(request);
    const LaunchPlan plan =
        plan_launches(engine.graph, engine.service,
                      {.prompt = 40, .chunk = 16, .all_rows = all_rows, .steps = 10});
    EXPECT_EQ(reply.prefill_counts, plan.prefill);
    EXPECT_EQ(reply.decode_counts, plan.decode);
    EXPECT_EQ(plan.decode.at("attention_decode.cpu.portable[tkv=32]"), 5u * 2u);
    EXPECT_EQ(plan.decode.at("attention_decode.cpu.portable[tkv=64]"), 5u * 2u);
  }
}

TEST(Session, EveryLaunchIsProgress) {
  TinyEngine engine;
  const WorkReply reply = engine.session.work(usual_work());
  std::uint64_t launches = 0;
  for (const Counts& counts : {reply.prefill_counts, reply.decode_counts}) {
    for (const auto& [variant, count] : counts) launches += count;
  }
  EXPECT_EQ(engine.progress.load(), launches);
}

TEST_F(SessionFolder, LogitsOnDiskAreThoseOfTheDigests) {
  TinyEngine engine;
  WorkRequest request = ask(tiny_prompt(3), 2);
  request.all_rows = true;
  request.logits = true;
  request.dir = dir_.string();
  const WorkReply reply = engine.session.work(request);
  EXPECT_EQ(reply.logits_file, (dir_ / "logits.f32").string());
  const std::vector<float> logits = read_floats(reply.logits_file);
  ASSERT_EQ(logits.size(), 5u * 300u);
  for (std::size_t row = 0; row < 5; ++row) {
    const std::span<const float> one(logits.data() + row * 300, 300);
    EXPECT_EQ(digest_of(one), reply.digests[row]);
    const auto best = std::max_element(one.begin(), one.end());
    EXPECT_EQ(best - one.begin(), reply.top[row]);
    float second = -std::numeric_limits<float>::infinity();
    for (auto at = one.begin(); at != one.end(); ++at) {
      if (at != best) second = std::max(second, *at);
    }
    EXPECT_EQ(reply.margins[row], *best - second);
  }
}

// The two paths need not share bits, but they compute one function.
TEST_F(SessionFolder, DecodeContinuesWhatPrefillBegan) {
  TinyEngine engine;
  const std::vector<std::int32_t> tokens = tiny_prompt(70);
  WorkRequest request = ask(tokens, 0, "prefill");
  request.all_rows = true;
  request.logits = true;
  request.dir = dir_.string();
  engine.session.work(request);
  const std::vector<float> prefilled = read_floats((dir_ / "logits.f32").string());
  request.prompt.resize(30);
  request.forced.assign(tokens.begin() + 30, tokens.end());
  request.steps = 40;
  engine.session.work(request);
  const std::vector<float> decoded = read_floats((dir_ / "logits.f32").string());
  ASSERT_EQ(prefilled.size(), 70u * 300u);
  ASSERT_EQ(decoded.size(), prefilled.size());
  double largest = 0;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(decoded[i]) - prefilled[i]));
  }
  EXPECT_LT(largest, 1e-3);
}

TEST_F(SessionFolder, AFolderThatIsNotThereIsAnErrorAndTheSessionGoesOn) {
  TinyEngine engine;
  WorkRequest request = ask({1, 2}, 0);
  request.logits = true;
  request.dir = (dir_ / "absent").string();
  try {
    engine.session.work(request);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(std::string(error.what()),
              "cannot create " + request.dir + "/logits.f32: No such file or directory");
  }
  request.logits = false;
  EXPECT_EQ(engine.session.work(request).top.size(), 1u);
}

TEST(Session, NonFiniteValuesAreCountedAndTheReplyStaysReadable) {
  // An infinite norm weight makes every activation of the layer non-finite.
  const auto spoil = [](GgufBuilder& file) {
    ByteWriter data;
    for (int i = 0; i < 256; ++i) data.put(std::numeric_limits<float>::infinity());
    file.tensor("blk.0.attn_norm.weight", {256}, 0, data.bytes());
  };
  TinyEngine engine({.context = 64, .threads = 1}, service_of_level(cpu_level()),
                    {.without = {"blk.0.attn_norm.weight"}, .extend = spoil});
  const WorkReply reply = engine.session.work(ask({1, 2, 3}, 1));
  EXPECT_GT(reply.nonfinite, 0u);
  for (const float margin : reply.margins) EXPECT_TRUE(std::isfinite(margin));
}

}  // namespace
}  // namespace assay
