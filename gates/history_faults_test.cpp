// What an import refuses and `check --verdicts` reports: forged bodies, each with its place.
#include "gates/history_faults.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gates/simulated_workspace.h"

namespace assay {
namespace {

class HistoryFaults : public testing::Test {
 protected:
  HistoryFaults() {
    lab.propose();
    lab.calibrated();
    lab.set(SimulatedWorkspace::kCandidate, "factor", 0.9);
    EXPECT_EQ(lab.run().exit_code, 0);
    EXPECT_EQ(history_faults(lab.journal.events("unroll-two")), std::vector<std::string>{});
  }
  // The first fault once the first body of a kind has this patch; without its place.
  std::string fault(EventKind kind, const nlohmann::json& patch) const {
    std::vector<Event> events = lab.journal.events("unroll-two");
    for (Event& event : events) {
      if (event.kind != kind) continue;
      event.body.merge_patch(patch);
      const std::vector<std::string> faults = history_faults(events);
      if (faults.empty()) return "";
      const std::string place =
          fmt::format("run 1 ({}), event {} ({}): ", event.run, event.index, to_string(kind));
      return faults[0].starts_with(place) ? faults[0].substr(place.size()) : faults[0];
    }
    return "no such event";
  }
  SimulatedWorkspace lab;
};

TEST_F(HistoryFaults, Verdicts) {
  EXPECT_EQ(fault(EventKind::kVerdict, {{"verdict", "MAYBE"}}),
            "its verdict \"MAYBE\" is none that there is");
  EXPECT_EQ(fault(EventKind::kVerdict, {{"verdict", "REVERT"}, {"reason", "tired"}}),
            "its reason \"tired\" is none that there is");
  EXPECT_EQ(fault(EventKind::kVerdict, {{"effect", "x"}}), "its effect is none");
  EXPECT_EQ(fault(EventKind::kVerdict, {{"attempt", 1'000'000'000}}),
            "on attempt 1000000000 of at most 2");
  EXPECT_EQ(
      fault(EventKind::kVerdict,
            {{"verdict", "REVERT"}, {"reason", "slower"}, {"intents", nlohmann::json::array()}}),
      "unroll-two attempt 1: verdict is REVERT(slower), computed again LAND()");
  EXPECT_EQ(fault(EventKind::kVerdict, {{"intents", 7}}), "a part is missing or of the wrong type");
  EXPECT_EQ(fault(EventKind::kVerdict, {{"intents", nlohmann::json::array()}}),
            "unroll-two: its LAND names 0 changes of a map, and a LAND is one");
}

TEST_F(HistoryFaults, GatesAndAttempts) {
  EXPECT_EQ(fault(EventKind::kGateResult, {{"gate", nullptr}}),
            "its gate \"\" is none that there is");
  EXPECT_EQ(fault(EventKind::kGateResult, {{"outcome", "fine"}}),
            "its outcome \"fine\" is none that there is");
  EXPECT_EQ(fault(EventKind::kGateResult, {{"seconds", -1}}), "it took no time that can be");
  EXPECT_EQ(fault(EventKind::kAttemptOpened, {{"ordinal", 1'000'000'000}}),
            "attempt 1000000000 of at most 2");
}

TEST_F(HistoryFaults, PlansAndSamples) {
  EXPECT_EQ(fault(EventKind::kPlanFrozen, {{"plan", {{"pairs_max", -1}}}}),
            "A/B plan: -1 pairs; give a multiple of 4 from 8 to 96");
  EXPECT_EQ(fault(EventKind::kPlanFrozen, {{"plan", {{"segment_s", -1}}}}),
            "its segment or its limit of drops is none");
  EXPECT_EQ(fault(EventKind::kSample, {{"labels", "AB"}}),
            "its segments and times are not of one number");
  EXPECT_EQ(fault(EventKind::kSample, {{"ordinal", -1}}),
            "a time or its ordinal is negative, or none");
}

}  // namespace
}  // namespace assay
