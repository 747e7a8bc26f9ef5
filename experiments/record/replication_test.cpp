#include "experiments/record/replication.h"

#include <gtest/gtest.h>

#include "experiments/record/log_for_tests.h"

namespace assay {
namespace {

Finding timed(double estimate, double low, double high) {
  Finding finding;
  finding.verdict = "LAND";
  finding.effect = {{"estimate", estimate}, {"low", low}, {"high", high}, {"pairs", 8}};
  return finding;
}

Finding red(const std::string& reason) {
  Finding finding;
  finding.verdict = "REVERT";
  finding.reason = reason;
  return finding;
}

TEST(Replication, EffectsAgreeWithinTheirIntervalsTogether) {
  const Agreement near = compare(timed(0.10, 0.07, 0.13), timed(0.14, 0.10, 0.18));
  EXPECT_EQ(near.bearing, Bearing::kAgrees);
  EXPECT_EQ(near.sentence,
            "stored +10.00 % [+7.00, +13.00] of 8 pairs, again +14.00 % [+10.00, +18.00] of 8 "
            "pairs: agrees");
  const Agreement far = compare(timed(0.10, 0.07, 0.13), timed(0.16, 0.12, 0.20));
  EXPECT_EQ(far.bearing, Bearing::kDisagrees);
  EXPECT_TRUE(far.sentence.ends_with(": does not agree")) << far.sentence;
}

// Nearly every effect is within an interval that is wide enough; far away is far away all the same.
TEST(Replication, AWideIntervalBearsNothingOut) {
  EXPECT_EQ(compare(timed(0.10, 0.07, 0.13), timed(0.10, 0.015, 0.185)).bearing, Bearing::kAgrees);
  const Agreement wide = compare(timed(0.10, 0.07, 0.13), timed(0.10, 0.005, 0.195));
  EXPECT_EQ(wide.bearing, Bearing::kTooNoisy);
  EXPECT_EQ(wide.sentence,
            "stored +10.00 % [+7.00, +13.00] of 8 pairs, again +10.00 % [+0.50, +19.50] of 8 "
            "pairs: too noisy to say (an interval more than 3 times as wide as the stored one)");
  const Agreement apart = compare(timed(0.10, 0.07, 0.13), timed(0.40, 0.30, 0.50));
  EXPECT_EQ(apart.bearing, Bearing::kDisagrees);
}

TEST(Replication, ARunEndsAsItBears) {
  const RunEnded agrees = compare(red("identity"), red("identity")).ended();
  EXPECT_EQ(agrees.outcome + std::to_string(agrees.exit_code), "agrees0");
  const RunEnded differs = compare(red("identity"), red("parity")).ended();
  EXPECT_EQ(differs.outcome + std::to_string(differs.exit_code), "disagrees10");
  const RunEnded noisy = compare(timed(0.1, 0.09, 0.11), timed(0.1, 0.0, 0.2)).ended();
  EXPECT_EQ(noisy.outcome + std::to_string(noisy.exit_code), "inconclusive12");
}

TEST(Replication, RedAgreesWithTheSameRed) {
  EXPECT_EQ(compare(red("identity"), red("identity")).bearing, Bearing::kAgrees);
  EXPECT_EQ(compare(red("identity"), red("parity")).bearing, Bearing::kDisagrees);
  const Agreement now_green = compare(red("identity"), timed(0.1, 0.0, 0.2));
  EXPECT_EQ(now_green.bearing, Bearing::kDisagrees);
  EXPECT_EQ(now_green.sentence,
            "stored red (identity), again +10.00 % [+0.00, +20.00] of 8 pairs: does not agree");
}

TEST(Replication, ALandIsHeldAgainstItsConfirmation) {
  VerdictBody verdict;
  verdict.verdict = "LAND";
  verdict.effect = {{"estimate", 0.2},
                    {"confirmation", {{"estimate", 0.1}, {"low", 0.05}, {"high", 0.15}}}};
  EXPECT_EQ(finding_of(verdict).effect.at("estimate"), 0.1);
}

// Records may come from anywhere: what is not as it should be is not there.
TEST(Replication, ForeignValuesAreReadAsFarAsTheyGo) {
  Log log = proposed();
  log.revert("f1", "no-gain");
  log.open(kReproduce);
  log.events.back().body["provenance"] = {
      {"host", 7}, {"replicates", {{"attempt", "x"}, {"how", "rebuilt"}, {"same_code", 3}}}};
  GateResult ab{"ab", "green", "", "", nullptr, 0};
  ab.values = {{"stored", "words"},
               {"again", {{"reason", 5}, {"effect", {{"estimate", "high"}, {"low", 1}}}}}};
  log.add(EventKind::kGateResult, ab);
  log.end("agrees", 0);
  const std::vector<Replication> all = replications(log.view());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].host + all[0].how, "rebuilt");
  EXPECT_EQ(all[0].attempt, 0);
  EXPECT_TRUE(all[0].same_code);
  EXPECT_FALSE(all[0].stored.timed() || all[0].again.timed());
  EXPECT_EQ(all[0].again.reason, "");
}

// Its samples, looks and gates belong to no attempt, in whatever state the experiment is.
TEST(Replication, ChangesNothingOfTheAttempts) {
  Log log = proposed();
  log.revert("f1", "no-gain");
  log.revert("f2", "slower");
  const ExperimentView before = log.view();
  log.open(kReproduce);
  log.events.back().body["provenance"] = {
      {"host", "h"},
      {"device", "d"},
      {"tree", "abc"},
      {"replicates", {{"attempt", 2}, {"how", "as-built"}, {"same_code", true}}}};
  log.add(EventKind::kPlanFrozen, {{"plan", nullptr}});
  log.sample(0);
  log.look(8);
  GateResult ab{"ab", "green", "", "", nullptr, 0};
  ab.values = {{"stored", timed(0.1, 0.0, 0.2)}, {"again", timed(0.12, 0.0, 0.2)}};
  log.add(EventKind::kGateResult, ab);
  log.end("agrees", 0);
  const ExperimentView after = log.view();
  EXPECT_EQ(after.state, ExperimentState::kReverted);
  ASSERT_EQ(after.attempts.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(after.attempts[i].samples.size(), before.attempts[i].samples.size());
    EXPECT_EQ(after.attempts[i].looks.size(), before.attempts[i].looks.size());
    EXPECT_EQ(after.attempts[i].gates.size(), before.attempts[i].gates.size());
    EXPECT_EQ(after.attempts[i].verdict->reason, before.attempts[i].verdict->reason);
  }
  const std::vector<Replication> all = replications(after);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].attempt, 2);
  EXPECT_EQ(all[0].how, "as-built");
  EXPECT_EQ(all[0].commit, "abc");
  EXPECT_EQ(all[0].outcome, "agrees");
  EXPECT_EQ(all[0].again.effect.at("estimate"), 0.12);
}

}  // namespace
}  // namespace assay
