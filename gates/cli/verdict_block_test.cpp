// The last lines of `assay run`: each thing is said once.
#include "gates/cli/verdict_block.h"

#include <gtest/gtest.h>

#include "recorder/timed_attempt.h"

namespace assay {
namespace {

// A view of one attempt, judged by the run "r".
ExperimentView judged(const std::string& verdict, const std::string& reason) {
  ExperimentView view;
  view.slug = "kv-tile";
  view.state = verdict == "LAND" ? ExperimentState::kLanded : ExperimentState::kOpen;
  AttemptView attempt;
  attempt.opened.ordinal = 1;
  attempt.used = true;
  attempt.verdict = VerdictBody{.attempt = 1, .verdict = verdict, .reason = reason};
  attempt.verdict_run = "r";
  view.attempts.push_back(attempt);
  return view;
}

TEST(VerdictBlock, OfARedGate) {
  EXPECT_EQ(verdict_block(judged("REVERT", "identity"),
                          {10, "red", "identity is red: logits differ; one attempt is left", "r"},
                          2, "results/records/0002-kv-tile.md"),
            "\n"
            "REVERT identity   0002 kv-tile, attempt 1 of 2\n"
            "         identity is red: logits differ; one attempt is left\n"
            "record   results/records/0002-kv-tile.md\n"
            "next     change the kernel and run again, or `assay close kv-tile --as reverted "
            "--because TEXT`\n");
}

TEST(VerdictBlock, OfATimedRevert) {
  EXPECT_EQ(
      verdict_block(judged("REVERT", "no-gain"),
                    {10, "red", "REVERT(no-gain): +0.00 % after 8 pairs; one attempt is left", "r"},
                    2, ""),
      "\n"
      "REVERT no-gain   0002 kv-tile, attempt 1 of 2\n"
      "         +0.00 % after 8 pairs; one attempt is left\n"
      "next     change the kernel and run again, or `assay close kv-tile --as reverted "
      "--because TEXT`\n");
}

TEST(VerdictBlock, OfALand) {
  EXPECT_EQ(verdict_block(judged("LAND", ""), {0, "landed", "LAND: confirmed +8.00 %", "r"}, 2, ""),
            "\n"
            "LAND   0002 kv-tile, attempt 1 of 2\n"
            "         confirmed +8.00 %\n"
            "next     commit experiments/in_service.yaml and results/ with your change\n");
}

// A LAND as a timed run leaves it.
ExperimentView timed() {
  ExperimentView view = judged("LAND", "");
  view.attempts[0] = timed_attempt();
  view.attempts[0].used = true;
  view.attempts[0].verdict_run = "r";
  view.attempts[0].verdict->effect["confirmation"] = {
      {"estimate", 0.095}, {"low", 0.065}, {"high", 0.125}, {"pairs", 2}};
  return view;
}

TEST(VerdictBlock, SaysWhatATimedVerdictRestsOn) {
  EXPECT_EQ(verdict_block(timed(), {0, "landed", "LAND: confirmed", "r"}, 2, "results/r.md"), R"(
LAND   0002 kv-tile, attempt 1 of 2
         confirmed
effect   +9.50 %  (95 % interval +6.50 % to +12.50 %, 2 pairs)
A/A      provisional (2), rms 0.40 % at 8 pairs; oldest 2026-11-11, 18.5 days before the verdict
         own error 0.80 % at 8 pairs; ruled by: own spread
looks    at 8 pairs: above the bar, p 0.00041
         alpha spent 0.00041 of 0.0125
dropped  1 of 11 pairs
         ab pair 4: another process kept 0.9 cores busy
confirm  +9.50 % (+6.50 % to +12.50 %, lower bound +7.10 %, 2 pairs): passes
guards   guard:0, -0.10 % (-1.10 % to +0.90 %, lower bound -0.90 %, 8 pairs): passes
record   results/r.md
next     commit experiments/in_service.yaml and results/ with your change
)");
}

// Three arms on a GPU, as the gate's values have it.
TEST(VerdictBlock, SaysWhatStandsBesideAVerdict) {
  ExperimentView view = timed();
  GateInRun ab;
  ab.run = "r";
  ab.result.gate = "ab";
  ab.result.values = nlohmann::json::parse(R"({
    "judgement": {"separated": true, "twins": {"pairs": 10, "mean": 0.001, "p": 0.63}},
    "selection": {"lands": 0.934, "crossing": 0.0041, "confirmed": 0.0002},
    "carry_over": {"pairs": 8, "effect": 0.0001, "p": 0.8, "tagged": false},
    "clock_mediated": {"pairs": 8, "effect": 0.008, "p": 3e-5, "tagged": true, "by_cycles": 0.0913}
  })");
  view.attempts[0].gates.push_back(ab);
  const std::string text = verdict_block(view, {0, "landed", "LAND: confirmed", "r"}, 2, "r.md");
  EXPECT_EQ(text.substr(text.find("guards   ")),
            R"(guards   guard:0, -0.10 % (-1.10 % to +0.90 %, lower bound -0.90 %, 8 pairs): passes
twins    the baseline's two processes: +0.12 % apart over 10 pairs, p 0.63
grade    separated: the candidate's slowest process beats the baseline's fastest
selected at this effect 93.4 % of runs land, and the estimate at the crossing look lies +0.41 % too high on average
tags     CLOCK-MEDIATED: +0.80 % of the effect is the clock's (p 3e-05, 8 pairs); by cycles it is +9.13 %
record   r.md
next     commit experiments/in_service.yaml and results/ with your change
)");
}

TEST(VerdictBlock, JsonHasTheBasisOfAVerdict) {
  const nlohmann::json json = verdict_json(timed(), {0, "landed", "LAND: confirmed", "r"}, 2, "");
  EXPECT_EQ(json.at("basis").at("alpha").dump(), "{\"planned\":0.0125,\"spent\":0.00041}");
  EXPECT_EQ(json.at("basis").at("dropped").dump(),
            "[{\"pair\":4,\"reason\":\"another process kept 0.9 cores busy\",\"stage\":\"ab\"}]");
  const nlohmann::json red =
      verdict_json(judged("REVERT", "identity"), {10, "red", "red", "r"}, 2, "");
  EXPECT_EQ(red.at("verdict"), "REVERT");
  EXPECT_EQ(red.at("basis"), nullptr);
}

}  // namespace
}  // namespace assay
