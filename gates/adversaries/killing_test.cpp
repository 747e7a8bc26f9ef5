// kill -9 at every moment: after each event that a run commits, and run again.
#include <gtest/gtest.h>

#include "gates/adversaries/adversary.h"

namespace assay::adversaries {
namespace {

using Lines = std::vector<std::string>;

TEST(Killing, AtEveryEventLosesAndMovesNothing) {
  Laboratory lab;
  lab.begin(21);
  std::size_t before = 0;
  int kills = 0;
  // One commit later each time; a run commits seven events before its first pair.
  for (int commits = 1; !lab.run_and_kill(commits); ++commits) {
    ++kills;
    const ExperimentView view = lab.view();
    const std::size_t pairs = view.attempts.empty() ? 0 : view.attempts[0].samples.size();
    EXPECT_GE(pairs, before) << "a kill after " << commits << " events";
    EXPECT_EQ(broken_rules(lab, "unroll-two"), Lines{}) << "a kill after " << commits << " events";
    before = pairs;
  }
  EXPECT_GE(kills, 8);
  const ExperimentView view = lab.view();
  ASSERT_EQ(view.attempts.size(), 1U);
  EXPECT_TRUE(view.attempts[0].verdict);
  EXPECT_EQ(view.attempts[0].looks.at(0).pairs, 8);
  EXPECT_EQ(broken_rules(lab, "unroll-two"), Lines{});
}

TEST(Killing, AnyStoryOfItKeepsTheRules) {
  Laboratory lab;
  const Played played = killing(lab, 22);
  EXPECT_EQ(played.broken, Lines{});
  EXPECT_GT(played.runs, 0);
  EXPECT_TRUE(lab.view().judged() != nullptr);
}

}  // namespace
}  // namespace assay::adversaries
