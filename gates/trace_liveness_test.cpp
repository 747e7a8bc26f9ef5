#include "gates/trace_liveness.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// Two steps: one matvec of one kernel, one compound of three that has two in its first layer.
ProfileReply sound() {
  ProfileReply reply;
  reply.untraced.digest = reply.traced.digest = "aa";
  reply.traced.prefill_reused = true;
  reply.traced.decode_counts = {{"add_rms_norm_quantize.cuda.separate", 4},
                                {"matvec_q4k.cuda.warp[rows=1]", 2}};
  reply.variants = {
      {.variant = "add_rms_norm_quantize.cuda.separate", .planned = 4, .traced = 4, .kernels = 10},
      {.variant = "matvec_q4k.cuda.warp[rows=1]", .planned = 2, .traced = 2, .kernels = 2}};
  return reply;
}

TEST(TraceLiveness, SoundProfilesAgree) {
  EXPECT_EQ(trace_fault(sound()), "");
  EXPECT_EQ(replay_fault(sound(), sound()), "");
}

TEST(TraceLiveness, ALaunchThatWasCountedAndNeverRan) {
  ProfileReply reply = sound();
  reply.variants[1].traced = 1;
  EXPECT_EQ(trace_fault(reply),
            "matvec_q4k.cuda.warp[rows=1]: its counter says 2 launches, the trace shows 1");
}

TEST(TraceLiveness, ACounterThatRoseForNothingThatWasPlanned) {
  ProfileReply reply = sound();
  reply.traced.decode_counts["rope.cuda.pairs"] = 3;
  EXPECT_EQ(trace_fault(reply), "rope.cuda.pairs: its counter says 3 launches, the map plans none");
}

TEST(TraceLiveness, AVariantThatRanAndWasNotPlanned) {
  ProfileReply reply = sound();
  reply.traced.decode_counts["rope.cuda.pairs"] = 3;
  reply.variants.push_back({.variant = "rope.cuda.pairs", .traced = 3, .kernels = 3});
  EXPECT_EQ(trace_fault(reply), "rope.cuda.pairs: the map plans 0 launches, its counter says 3");
}

TEST(TraceLiveness, APromptCountsUnlessItWasReused) {
  ProfileReply reply = sound();
  reply.traced.prefill_counts = {{"matvec_q4k.cuda.warp[rows=1]", 5}};
  EXPECT_EQ(trace_fault(reply), "");
  reply.traced.prefill_reused = false;
  EXPECT_EQ(trace_fault(reply),
            "matvec_q4k.cuda.warp[rows=1]: the map plans 2 launches, its counter says 7");
}

TEST(TraceLiveness, LostRecordsAndOtherLogits) {
  ProfileReply reply = sound();
  reply.traced.digest = "bb";
  EXPECT_EQ(trace_fault(reply), "tracing changed the logits: digest aa untraced, bb traced");
  reply.dropped = 7;
  EXPECT_EQ(trace_fault(reply),
            "the tracer lost 7 records, so nothing can be compared: profile fewer steps");
  EXPECT_EQ(trace_fault(ProfileReply{}), "the trace shows no kernel");
}

TEST(TraceLiveness, AReplayWithOtherKernels) {
  ProfileReply eager = sound();
  eager.variants[0].kernels = 12;
  EXPECT_EQ(replay_fault(sound(), eager),
            "add_rms_norm_quantize.cuda.separate: 10 kernels in 4 launches replayed, 12 kernels in "
            "4 launches one by one");
  eager = sound();
  eager.variants.pop_back();
  EXPECT_EQ(
      replay_fault(sound(), eager),
      "matvec_q4k.cuda.warp[rows=1]: 2 kernels in 2 launches replayed, 0 kernels in 0 launches "
      "one by one");
  EXPECT_EQ(replay_fault(eager, sound()),
            "matvec_q4k.cuda.warp[rows=1]: no launch replayed, 2 one by one");
  eager = sound();
  eager.traced.digest = "cc";
  EXPECT_EQ(replay_fault(sound(), eager),
            "the logits differ: digest aa replayed, cc launched one by one");
}

}  // namespace
}  // namespace assay
