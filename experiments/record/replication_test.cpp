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
  EXPECT_TRUE(near.agrees);
  EXPECT_EQ(near.sentence,
            "stored +10.00 % [+7.00, +13.00] of 8 pairs, again +14.00 % [+10.00, +18.00] of 8 "
            "pairs: agrees");
  const Agreement far = compare(timed(0.10, 0.07, 0.13), timed(0.16, 0.12, 0.20));
  EXPECT_FALSE(far.agrees);
  EXPECT_TRUE(far.sentence.ends_with(": does not agree")) << far.sentence;
}

TEST(Replication, RedAgreesWithTheSameRed) {
  EXPECT_TRUE(compare(red("identity"), red("identity")).agrees);
  EXPECT_FALSE(compare(red("identity"), red("parity")).agrees);
  const Agreement now_green = compare(red("identity"), timed(0.1, 0.0, 0.2));
  EXPECT_FALSE(now_green.agrees);
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
