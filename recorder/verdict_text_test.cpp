// What a verdict rests on, in whole lines and as JSON; older records say less and never zero.
#include "recorder/verdict_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "recorder/timed_attempt.h"

namespace assay {
namespace {

std::string text_of(const AttemptView& attempt) {
  std::string text;
  for (const FactLines& fact : verdict_lines(verdict_facts(attempt))) {
    for (const std::string& line : fact.lines) text += fact.label + ": " + line + "\n";
  }
  return text;
}

TEST(VerdictText, SaysWhatALandRestsOn) {
  EXPECT_EQ(
      text_of(timed_attempt()),
      R"(A/A: provisional (2), rms 0.40 % at 8 pairs; oldest 2026-11-11, 18.5 days before the verdict
A/A: own error 0.80 % at 8 pairs; ruled by: own spread
looks: at 8 pairs: above the bar, p 0.00041
looks: alpha spent 0.00041 of 0.0125
dropped: 1 of 11 pairs
dropped: ab pair 4: another process kept 0.9 cores busy
confirm: +9.50 % (+6.50 % to +12.50 %, lower bound +7.10 %, 2 pairs): passes
guards: guard:0, -0.10 % (-1.10 % to +0.90 %, lower bound -0.90 %, 8 pairs): passes
)");
}

TEST(VerdictText, IsNotProvisionalWith20Effects) {
  EXPECT_EQ(verdict_lines(verdict_facts(timed_attempt(20)))[0].lines[0],
            "20 effects, rms 0.40 % at 8 pairs; oldest 2026-11-11, 18.5 days before the verdict");
}

TEST(VerdictText, OfAnOlderRecordSaysWhatItHas) {
  AttemptView attempt;
  attempt.samples = {sample_of("ab", 0, 0.01)};
  attempt.looks = {{"ab", 1, {{"estimate", 0.01}}}};
  EXPECT_EQ(text_of(attempt), R"(A/A: no history is on record
looks: at 1 pairs
dropped: none of 1 pairs
confirm: not reached
guards: none declared
)");
  EXPECT_EQ(
      verdict_facts_json(verdict_facts(attempt)).dump(),
      R"({"alpha":null,"calibration":{"effects":0,"oldest":null,"oldest_days":null,"own_error":null,"pairs":1,"provisional":true,"rms":null,"ruled_by":null},"carry_over":null,"clock_mediated":null,"confirmation":null,"dropped":[],"guards":[],"guards_declared":0,"looks":[{"aa_error":null,"estimate":0.01,"high":null,"low":null,"lower":null,"own_error":null,"p_boundary":null,"pairs":1,"says":"","stage":"ab"}],"pairs_run":1,"selection":null,"separated":null,"set_aside":0,"twins":null})");
}

// timed_attempt() with what a GPU's segments showed.
AttemptView tagged_attempt() {
  AttemptView attempt = timed_attempt();
  GateInRun ab;
  ab.result.gate = "ab";
  const auto tag = [](double effect, double p) {
    return nlohmann::json{{"pairs", 8},     {"effect", std::log1p(effect)},
                          {"error", 0.001}, {"df", 6.0},
                          {"p", p},         {"tagged", p < 0.001}};
  };
  ab.result.values = {{"carry_over", tag(0.004, 0.0002)}, {"clock_mediated", tag(0.008, 3e-5)}};
  ab.result.values["clock_mediated"]["by_cycles"] = 0.0913;
  attempt.gates.push_back(ab);
  return attempt;
}

TEST(VerdictText, TagsAreLinesWhereTheyHold) {
  AttemptView attempt = tagged_attempt();
  EXPECT_EQ(
      text_of(attempt),
      text_of(timed_attempt()) +
          R"(tags: CARRY-OVER: a segment takes +0.40 % longer after the candidate's (p 0.0002, 8 pairs)
tags: CLOCK-MEDIATED: +0.80 % of the effect is the clock's (p 3e-05, 8 pairs); by cycles it is +9.13 %
)");
  const nlohmann::json json = verdict_facts_json(verdict_facts(attempt));
  EXPECT_NEAR(json.at("clock_mediated").at("effect"), 0.008, 1e-12);
  EXPECT_EQ(json.at("clock_mediated").at("by_cycles"), 0.0913);
  EXPECT_EQ(json.at("carry_over").at("tagged"), true);
  EXPECT_EQ(json.at("carry_over").at("by_cycles"), nullptr);
  for (const char* key : {"carry_over", "clock_mediated"}) {
    attempt.gates[0].result.values[key]["tagged"] = false;
  }
  EXPECT_EQ(text_of(attempt), text_of(timed_attempt()));
}

TEST(VerdictText, PairsOfAnOlderEnvironmentAreNamed) {
  AttemptView attempt = timed_attempt();
  GateInRun ab;
  ab.result.gate = "ab";
  ab.result.values["judgement"] = {{"set_aside", 7}};
  attempt.gates.push_back(ab);
  EXPECT_NE(text_of(attempt).find("dropped: set aside: the first 7 of the A/B, of an older "
                                  "environment (build or machine)\n"),
            std::string::npos)
      << text_of(attempt);
  EXPECT_EQ(verdict_facts_json(verdict_facts(attempt)).at("set_aside"), 7);
}

TEST(VerdictText, TwinsAndGradeAreLinesOfTheJudgement) {
  AttemptView attempt = timed_attempt();
  GateInRun ab;
  ab.result.gate = "ab";
  ab.result.values["judgement"] = {
      {"separated", true},
      {"twins", {{"pairs", 10}, {"mean", 0.001}, {"error", 0.002}, {"df", 9.0}, {"p", 0.6291}}}};
  attempt.gates.push_back(ab);
  EXPECT_EQ(text_of(attempt),
            text_of(timed_attempt()) +
                R"(twins: the baseline's two processes: +0.12 % apart over 10 pairs, p 0.629
grade: separated: the candidate's slowest process beats the baseline's fastest
)");
  const nlohmann::json json = verdict_facts_json(verdict_facts(attempt));
  EXPECT_EQ(json.at("separated"), true);
  EXPECT_EQ(json.at("twins").at("pairs"), 10);
  EXPECT_NEAR(json.at("twins").at("difference"), 0.001155, 1e-6);
  attempt.gates[0].result.values["judgement"] = {{"separated", false}};
  EXPECT_EQ(
      text_of(attempt),
      text_of(timed_attempt()) +
          R"(grade: not separated: the candidate's slowest process does not beat the baseline's fastest
)");
}

TEST(VerdictText, ALandSaysWhatSelectionDidToIt) {
  AttemptView attempt = timed_attempt();
  GateInRun ab;
  ab.result.gate = "ab";
  ab.result.values["selection"] = {{"lands", 0.934}, {"crossing", 0.0041}, {"confirmed", 0.0002}};
  attempt.gates.push_back(ab);
  EXPECT_EQ(
      text_of(attempt),
      text_of(timed_attempt()) +
          R"(selected: at this effect 93.4 % of runs land, and the estimate at the crossing look lies +0.41 % too high on average
)");
  EXPECT_EQ(verdict_facts_json(verdict_facts(attempt)).at("selection"),
            ab.result.values["selection"]);
}

// A later run of the attempt says what it found and changes nothing.
TEST(VerdictText, TheGateOfTheRunThatGaveTheVerdictIsRead) {
  AttemptView attempt = timed_attempt();
  attempt.verdict_run = "second";
  for (const char* run : {"first", "second", "third"}) {
    GateInRun ab;
    ab.run = run;
    ab.result.gate = "ab";
    ab.result.values["judgement"] = {{"separated", run == attempt.verdict_run}};
    attempt.gates.push_back(ab);
  }
  EXPECT_EQ(verdict_facts(attempt).separated, true);
  attempt.verdict_run = "of another attempt";
  EXPECT_EQ(verdict_facts(attempt).separated, false);
}

TEST(VerdictText, OfNothingTimedIsEmpty) {
  EXPECT_EQ(text_of(AttemptView()), "");
  EXPECT_EQ(verdict_facts_json(verdict_facts(AttemptView())), nullptr);
}

TEST(VerdictText, Json) {
  EXPECT_EQ(verdict_facts_json(verdict_facts(timed_attempt())).dump(1), R"({
 "alpha": {
  "planned": 0.0125,
  "spent": 0.00041
 },
 "calibration": {
  "effects": 2,
  "oldest": "2026-11-11T08:00:00.000Z",
  "oldest_days": 18.5,
  "own_error": 0.008,
  "pairs": 8,
  "provisional": true,
  "rms": 0.004,
  "ruled_by": "own"
 },
 "carry_over": null,
 "clock_mediated": null,
 "confirmation": {
  "aa_error": 0.01,
  "estimate": 0.095,
  "high": 0.125,
  "low": 0.065,
  "lower": 0.07100000000000001,
  "own_error": 0.008,
  "p_boundary": 0.05,
  "pairs": 2,
  "says": "passes",
  "stage": "confirmation"
 },
 "dropped": [
  {
   "pair": 4,
   "reason": "another process kept 0.9 cores busy",
   "stage": "ab"
  }
 ],
 "guards": [
  {
   "aa_error": 0.004,
   "estimate": -0.001,
   "high": 0.009000000000000001,
   "low": -0.011,
   "lower": -0.009000000000000001,
   "own_error": 0.008,
   "p_boundary": 0.05,
   "pairs": 8,
   "says": "passes",
   "stage": "guard:0"
  }
 ],
 "guards_declared": 1,
 "looks": [
  {
   "aa_error": 0.004,
   "estimate": 0.1,
   "high": 0.12000000000000001,
   "low": 0.08,
   "lower": 0.084,
   "own_error": 0.008,
   "p_boundary": 0.00041,
   "pairs": 8,
   "says": "above the bar",
   "stage": "ab"
  }
 ],
 "pairs_run": 11,
 "selection": null,
 "separated": null,
 "set_aside": 0,
 "twins": null
})");
}

TEST(VerdictFacts, AlphaIsWhatThePlanSpendsByItsLooks) {
  VerdictFacts facts;
  EXPECT_FALSE(alpha_spent(facts));
  facts.pairs_max = 16;
  const auto look = [](int pairs, double p) {
    JudgedLook taken;
    taken.pairs = pairs;
    taken.p_boundary = p;
    return taken;
  };
  facts.looks = {look(8, 0.00041)};
  EXPECT_DOUBLE_EQ(alpha_spent(facts)->spent, 0.00041);
  facts.looks.push_back(look(12, 0.0038));
  EXPECT_NEAR(alpha_spent(facts)->spent, 0.003925, 1e-6);
  facts.looks.push_back(look(16, 0.0113));
  EXPECT_NEAR(alpha_spent(facts)->spent, 0.0125, 1e-9);
  EXPECT_EQ(alpha_spent(facts)->planned, 0.0125);
  // Another kind of plan: its boundaries add up to a bound, and no more is known.
  facts.looks[0].p_boundary = 0.002;
  EXPECT_NEAR(alpha_spent(facts)->spent, 0.002 + 0.0038 + 0.0113, 1e-12);
  EXPECT_FALSE(alpha_spent(facts)->planned);
}

TEST(VerdictFacts, OfThreeArmsTheBaselineIsTheMeanOfItsTwoProcesses) {
  PairSample pair;
  pair.labels = "ABCCBA";
  pair.worker_ns = {121, 100, 100, 100, 100, 121};
  EXPECT_NEAR(*pair_effect(pair), 0.1, 1e-12);
  pair.worker_ns[1] = 0;
  EXPECT_FALSE(pair_effect(pair));
}

TEST(VerdictFacts, DaysBetweenTwoTexts) {
  EXPECT_DOUBLE_EQ(*days_between("2026-02-28T12:00:00.000Z", "2026-03-01T18:00:00.000Z"), 1.25);
  EXPECT_FALSE(days_between("2026-02-30T12:00:00.000Z", "2026-03-01T18:00:00.000Z"));
  EXPECT_FALSE(days_between("", "2026-03-01T18:00:00.000Z"));
}

}  // namespace
}  // namespace assay
