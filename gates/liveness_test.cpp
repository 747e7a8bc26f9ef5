#include <gtest/gtest.h>

#include "gates/gate.h"

namespace assay {
namespace {

const PlanReply kPlan{{{"norm[u=2]", 4}, {"matmul", 6}}, {{"norm[u=2]", 8}}};

WorkReply as_planned() {
  WorkReply reply;
  reply.prefill_counts = kPlan.prefill_counts;
  reply.decode_counts = kPlan.decode_counts;
  return reply;
}

TEST(Liveness, EqualCounts) {
  EXPECT_EQ(liveness_fault(kPlan, as_planned()), "");
}

TEST(Liveness, PlannedVariantThatRanLessOften) {
  WorkReply reply = as_planned();
  reply.prefill_counts["norm[u=2]"] = 3;
  EXPECT_EQ(liveness_fault(kPlan, reply), "prefill: norm[u=2] ran 3 times, planned 4");
}

TEST(Liveness, PlannedVariantThatRanMoreOften) {
  WorkReply reply = as_planned();
  reply.decode_counts["norm[u=2]"] = 9;
  EXPECT_EQ(liveness_fault(kPlan, reply), "decode: norm[u=2] ran 9 times, planned 8");
}

TEST(Liveness, PlannedVariantThatNeverRan) {
  WorkReply reply = as_planned();
  reply.decode_counts.clear();
  EXPECT_EQ(liveness_fault(kPlan, reply), "decode: norm[u=2] ran 0 times, planned 8");
}

TEST(Liveness, VariantThatNobodyPlanned) {
  WorkReply reply = as_planned();
  reply.decode_counts["norm[u=1]"] = 1;
  EXPECT_EQ(liveness_fault(kPlan, reply), "decode: norm[u=1] ran 1 times, planned 0");
}

TEST(Liveness, ZeroCountsAreNoLaunches) {
  WorkReply reply = as_planned();
  reply.prefill_counts["norm[u=1]"] = 0;
  EXPECT_EQ(liveness_fault(kPlan, reply), "");
}

TEST(Liveness, AReusedPrefillHasNoLaunchesOfItsOwn) {
  WorkReply reply = as_planned();
  reply.prefill_counts.clear();
  EXPECT_NE(liveness_fault(kPlan, reply), "");
  reply.prefill_reused = true;
  EXPECT_EQ(liveness_fault(kPlan, reply), "");
  reply.decode_counts["norm[u=2]"] = 7;
  EXPECT_EQ(liveness_fault(kPlan, reply), "decode: norm[u=2] ran 7 times, planned 8");
}

}  // namespace
}  // namespace assay
