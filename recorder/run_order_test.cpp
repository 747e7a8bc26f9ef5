// The ordinals of runs whose openings do not say them: those of older programs.
#include "recorder/run_order.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Lines = std::vector<std::string>;

// A run whose events are its opening only.
Store::RunTexts run(const std::string& id, int ordinal, const char* at, const char* body,
                    const std::string& previous) {
  Store::RunTexts of;
  of.run = {id, "tile", "seal " + id, previous, ordinal};
  of.events.push_back({0, "run-opened", at, body});
  return of;
}

Lines faults_of(std::vector<std::string> ids, const std::vector<int>& ordinals = {0, 1, 2}) {
  std::vector<Store::RunTexts> runs;
  const auto add = [&](const std::string& id, int ordinal) {
    if (id == "a") runs.push_back(run("a", ordinal, "2026-01-01T00:00:01.000Z", "{}", ""));
    if (id == "b") runs.push_back(run("b", ordinal, "2026-01-01T00:00:02.000Z", "{}", "seal a"));
    if (id == "c") runs.push_back(run("c", ordinal, "2026-01-01T00:00:03.000Z", "{}", "seal b"));
  };
  for (std::size_t i = 0; i < ids.size(); ++i) add(ids[i], ordinals[i]);
  return run_order_faults(runs);
}

TEST(RunOrder, IsThatOfTheChainAndTheTimes) {
  EXPECT_EQ(faults_of({"a", "b", "c"}), Lines{});
  EXPECT_EQ(faults_of({"a", "c", "b"}), Lines{"run 2 (b): was opened and ended before run 1"});
  EXPECT_EQ(faults_of({"c", "b", "a"}), (Lines{"run 1 (b): was opened and ended before run 0",
                                               "run 2 (a): was opened and ended before run 1"}));
}

TEST(RunOrder, HasNoGap) {
  EXPECT_EQ(faults_of({"a", "b", "c"}, {0, 1, 5}), Lines{"run 5 (c): there is no run 2 before it"});
  EXPECT_EQ(faults_of({"a"}, {-1}), Lines{"run -1 (a): there is no run 0 before it"});
}

TEST(RunOrder, RunsThatOverlapMayEndTheOtherWayRound) {
  std::vector<Store::RunTexts> runs;
  runs.push_back(run("long", 0, "2026-01-01T00:00:01.000Z", "{}", "seal short"));
  runs.push_back(run("short", 1, "2026-01-01T00:00:02.000Z", "{}", ""));
  EXPECT_EQ(run_order_faults(runs), Lines{});
}

TEST(RunOrder, AClockThatIsBehindIsNoFault) {
  std::vector<Store::RunTexts> runs;
  runs.push_back(run("ahead", 0, "2026-01-01T00:00:09.000Z", "{}", ""));
  runs.push_back(run("behind", 1, "2026-01-01T00:00:02.000Z", "{}", "seal ahead"));
  EXPECT_EQ(run_order_faults(runs), Lines{});
}

TEST(RunOrder, AnOpeningThatSaysItIsBelieved) {
  std::vector<Store::RunTexts> runs;
  runs.push_back(run("a", 3, "2026-01-01T00:00:01.000Z", R"({"ordinal":3})", ""));
  EXPECT_EQ(run_order_faults(runs), Lines{}) << "runs before it may still be going elsewhere";
  runs.push_back(run("b", 4, "2026-01-01T00:00:02.000Z", R"({"ordinal":5})", "seal a"));
  EXPECT_EQ(run_order_faults(runs), Lines{"run 4 (b): was opened as run 5"});
}

TEST(RunOrder, OnlyTheOpeningsOwnOrdinalCounts) {
  const auto faults_of_one = [](const char* body) {
    std::vector<Store::RunTexts> runs;
    runs.push_back(run("a", 0, "2026-01-01T00:00:01.000Z", body, ""));
    return run_order_faults(runs);
  };
  const Lines another{"run 0 (a): was opened as run 7"}, wrong{"run 0 (a): was opened as run -1"};
  EXPECT_EQ(faults_of_one(R"({"argv":"run a","command":"run","ordinal":7,"z":{}})"), another);
  EXPECT_EQ(faults_of_one(R"({"argv":"run {\"ordinal\":3}","ordinal":7})"), another);
  EXPECT_EQ(faults_of_one(R"({"a":{"ordinal":3},"ordinal":7})"), another);
  EXPECT_EQ(faults_of_one(R"({"a":{"ordinal":3}})"), Lines{});
  EXPECT_EQ(faults_of_one(R"({"a":[{"ordinal":3}]})"), Lines{});
  EXPECT_EQ(faults_of_one(R"({"ordinal":0,"z":{},"ordinal":7})"), another) << "the last one counts";
  EXPECT_EQ(faults_of_one(R"({"ordinal" :7})"), another);
  EXPECT_EQ(faults_of_one(R"(["ordinal":7})"), Lines{});
  EXPECT_EQ(faults_of_one(R"({"ordinal":7.5})"), wrong);
  EXPECT_EQ(faults_of_one(R"({"ordinal":"7"})"), wrong);
  EXPECT_EQ(faults_of_one(R"({"ordinal":7)"), Lines{}) << "is no JSON, which others tell";
}

}  // namespace
}  // namespace assay
