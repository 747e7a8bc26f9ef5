// Another comment: the same machine code from other sources, and often another build of the worker.
#include <gtest/gtest.h>

#include "engine/core/sha256.h"
#include "gates/adversaries/adversary.h"
#include "gates/gate_ab.h"

namespace assay::adversaries {
namespace {

using Lines = std::vector<std::string>;
const std::string kFile = std::string("sources/") + SimulatedWorkspace::kCandidate + ".cpp";

class Commenting : public testing::Test {
 protected:
  void pairs(int count) {
    const RunOutcome outcome = lab.run([count, seen = 0](EventKind kind, const auto&) mutable {
      return kind == EventKind::kSample && ++seen >= count;
    });
    EXPECT_EQ(outcome.exit_code, 12) << outcome.message;
  }
  AttemptView attempt() const { return lab.view().attempts.at(0); }
  Laboratory lab;
};

TEST_F(Commenting, IsTheSameAttemptAndItsPairsArePooled) {
  lab.begin(41);
  pairs(5);
  lab.workspace.edit_source(kFile, "// faster now\n");
  pairs(4);
  EXPECT_EQ(lab.view().attempts.size(), 1U);
  EXPECT_EQ(attempt().samples.size(), 9U);
  EXPECT_EQ(attempt().looks.at(0).pairs, 8);
  EXPECT_EQ(broken_rules(lab, "unroll-two"), Lines{});
}

TEST_F(Commenting, SourcesThatWereNotBuiltAreRefused) {
  lab.begin(42);
  pairs(1);
  write_whole(lab.workspace.path() + "/" + kFile, "// not built\n");
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.message, kFile + " differs on disk from the file that " +
                                 SimulatedWorkspace::kCandidate +
                                 " was built from: rebuild first, or run with --build");
}

TEST_F(Commenting, AnotherBuildSetsThePairsAsideOnce) {
  lab.begin(43);
  pairs(5);
  lab.rebuild_worker();
  pairs(1);
  const auto says = [&](const std::string& line) {
    return std::count(lab.said.begin(), lab.said.end(), line);
  };
  const std::string aside =
      "  the environment (build or machine) is another than that of the pairs so far: 5 pairs are "
      "set aside, and a look crosses only where it does with them as well; one more change before "
      "the first look ends the attempt";
  EXPECT_EQ(says(aside), 1);
  EXPECT_EQ(
      judge(attempt().plan->at("plan").get<AbPlan>(), launch_pairs(attempt().samples)).set_aside,
      5);
  lab.rebuild_worker();
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.message,
            "REVERT(unproven): the environment changed 2 times before the first look; the plan "
            "allows 1; one attempt is left");
  EXPECT_EQ(attempt().samples.size(), 7U) << "kept, all of them";
  EXPECT_EQ(lab.view().used_attempts(), 1);
  EXPECT_EQ(broken_rules(lab, "unroll-two"), Lines{});
}

TEST_F(Commenting, AnotherBuildAfterALookEndsTheAttempt) {
  lab.begin(44);
  pairs(8);
  ASSERT_EQ(attempt().looks.size(), 1U);
  lab.rebuild_worker();
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.message,
            "REVERT(unproven): the environment changed after a look; one attempt is left");
}

TEST_F(Commenting, TheWholeStoryKeepsTheRules) {
  const Played played = commenting(lab, 45);
  EXPECT_EQ(played.broken, Lines{});
  EXPECT_EQ(lab.view().attempts.size(), 1U);
}

}  // namespace
}  // namespace assay::adversaries
