// Somebody who stops a run after any pair, reads the numbers and tries to get other ones.
#include <gtest/gtest.h>

#include "gates/adversaries/adversary.h"
#include "gates/gate_ab.h"

namespace assay::adversaries {
namespace {

using Lines = std::vector<std::string>;

TEST(Peeking, NeitherRestartsALookNorGetsAnotherPlan) {
  Laboratory lab;
  const Played played = peeking(lab, 11);
  EXPECT_EQ(played.broken, Lines{});
  EXPECT_GT(played.runs, 2);
  const ExperimentView view = lab.view();
  ASSERT_EQ(view.attempts.size(), 1U);
  EXPECT_EQ(view.attempts[0].runs.size(), view.runs.size() - 1U) << "all but the proposal";
  const AbPlan plan = view.attempts[0].plan->at("plan").get<AbPlan>();
  EXPECT_EQ(plan.pairs_max, 16) << "it asked for 8 and 32 as well";
  EXPECT_EQ(plan.arms, 2) << "it asked for 3 as well";
}

// Whether a run is stopped changes which noise comes next, but not what becomes of pairs.
TEST(Peeking, ReadsWhatIsPooledAllTheSame) {
  Laboratory lab;
  lab.begin(12);
  std::vector<PairSample> seen;
  for (int run = 0; run < 3; ++run) {
    const RunOutcome outcome =
        lab.run([](EventKind kind, const nlohmann::json&) { return kind == EventKind::kSample; });
    EXPECT_EQ(outcome.exit_code, 12);
    EXPECT_EQ(outcome.message, "stopped before a verdict; run again to go on, pairs are kept");
    seen.push_back(lab.view().attempts.at(0).samples.back());
  }
  lab.run();
  const std::vector<PairSample> all = lab.view().attempts.at(0).samples;
  ASSERT_GE(all.size(), 8U);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(all[i].worker_ns, seen[i].worker_ns) << i;
  EXPECT_EQ(lab.view().attempts.at(0).looks.at(0).pairs, 8);
  EXPECT_EQ(broken_rules(lab, "unroll-two"), Lines{});
}

// What broken_rules is worth: a proposal that was forced into the log throws pairs away.
TEST(Peeking, PairsThatWereThrownAwayAreMissed) {
  Laboratory lab;
  lab.begin(13);
  lab.run([](EventKind kind, const nlohmann::json&) { return kind == EventKind::kSample; });
  lab.workspace.redefine("title: Two", "title: Still two");
  lab.propose();
  EXPECT_EQ(broken_rules(lab, "unroll-two"),
            (Lines{"unroll-two: 1 samples committed, 0 belong to an attempt",
                   "unroll-two: a plan was frozen again"}));
}

}  // namespace
}  // namespace assay::adversaries
