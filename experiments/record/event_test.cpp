#include "experiments/record/event.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/core/error.h"

namespace assay {
namespace {

TEST(EventKindWords, EveryKindHasItsOwnAndComesBack) {
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(EventKind::kRunEnded); ++i) {
    const auto kind = static_cast<EventKind>(i);
    EXPECT_TRUE(words.insert(to_string(kind)).second);
    EXPECT_EQ(event_kind(to_string(kind)), kind);
  }
  EXPECT_EQ(to_string(EventKind::kAttemptOpened), "attempt-opened");
}

TEST(EventKindWords, AnUnknownWordIsNamed) {
  try {
    event_kind("rumour");
    FAIL() << "known";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(
        error.what(),
        "there is no event kind `rumour`: this history was written by a newer assay, or is "
        "damaged");
  }
}

TEST(EventJson, IsExactlyTheStoredForm) {
  const Event event{"some-slug",
                    "0123",
                    4,
                    EventKind::kLook,
                    "2026-11-29T20:15:04.123Z",
                    Look{"ab", 8, {{"p", 0.5}}}};
  const nlohmann::json json = event;
  EXPECT_EQ(
      json.dump(),
      R"({"at":"2026-11-29T20:15:04.123Z","body":{"pairs":8,"stage":"ab","values":{"p":0.5}},)"
      R"("index":4,"kind":"look","run":"0123","slug":"some-slug"})");
  const auto back = json.get<Event>();
  EXPECT_EQ(nlohmann::json(back), json);
  EXPECT_EQ(back.kind, EventKind::kLook);
}

TEST(EventJson, BodiesComeBackWhole) {
  VerdictBody verdict{1, "REVERT", "identity", nullptr, {{"se", 0.1}}, {{"p", "b", "t"}}};
  const nlohmann::json json = verdict;
  const auto back = json.get<VerdictBody>();
  EXPECT_TRUE(back.effect.is_null());
  EXPECT_EQ(nlohmann::json(back), json);
  PairSample sample{"ab", 3, "ABBABAAB", {1, 2, 3}, {4, 5, 6}, "env", {{"load", 0.1}}, ""};
  EXPECT_EQ(nlohmann::json(nlohmann::json(sample).get<PairSample>()), nlohmann::json(sample));
}

TEST(EventJson, KeysThatAnOlderHistoryLacksHaveDefaults) {
  const auto ended = nlohmann::json::parse(R"({"outcome": "red"})").get<RunEnded>();
  EXPECT_EQ(ended.outcome, "red");
  EXPECT_EQ(ended.exit_code, 0);
}

}  // namespace
}  // namespace assay
