// The last lines of `assay run`: each thing is said once.
#include "gates/cli/verdict_block.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace assay
