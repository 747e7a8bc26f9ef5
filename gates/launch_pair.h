// One launch pair: a fresh process per arm, all alive at once, interleaved segments: eight of two
// arms, or eighteen of three, where the baseline has two processes (A and C).
//
// Each segment repeats one request a fixed number of times and proves itself: the digest of what it
// produced equals the digest that passed the gates, the launches equal the plan, and the runner's
// own clock around the requests agrees with the worker's. On a GPU the arms load one after the
// other and share one core of the host (arm.h, shared_core.h say why). Guards share the launches of
// the primary workload and run after it. Before each segment its arm answers a request (in decode a
// shorter one) that is not counted: the filler that brings caches and clock to the same state in
// either order.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/record/event.h"
#include "gates/arm.h"
#include "gates/gpu_monitor.h"

namespace assay {

// How a pair is run on a GPU, in words: part of an A/A effect's key there, since effects of another
// procedure say nothing about this one.
inline constexpr std::string_view kGpuProcedure = "arms load in turn on one core";

// One timed workload of a pair.
struct TimedPart {
  std::string stage;  // "ab", "confirmation" or "guard:N"
  WorkRequest request;
  int repeats = 1;     // requests per segment
  std::string digest;  // that passed the gates; empty: the first one seen is the measure
  PlanReply plan_a, plan_b;
};

struct PairSetup {
  WorkerOptions worker;
  LoadRequest load_a, load_b;
  std::vector<TimedPart> parts;  // the primary workload first
  std::string environment;
  // Asked before, after and between; null on a CPU.
  std::shared_ptr<const GpuMonitor> gpu;
  double warm_up_s = 0.3;       // per arm, at least
  double clock_slack_s = 1e-3;  // per request, beside 2 %
  bool drop_foreign = false;    // foreign work marks a sample as dropped
};

// Why a pair cannot count, beyond faults of a process.
struct PairFault {
  ArmRole role;
  std::string reason;  // "identity", "not-live", "clock"
  std::string sentence;
};

// Where a pair's time went, seconds.
struct TimeSpent {
  double launch_s = 0;  // starting processes and loading
  double warm_up_s = 0;
  double filler_s = 0;   // requests between segments, not counted
  double measure_s = 0;  // segments

  TimeSpent& operator+=(const TimeSpent& other);
};

struct PairResult {
  std::vector<PairSample> samples;  // one per part; `ordinal` left to the caller
  std::vector<PairFault> faults;    // empty when every segment proved itself
  int segments = 0;
  int clock_disagreements = 0;  // segments where the runner's clock saw more than the worker's
  TimeSpent spent;
};

// `labels` as gates/statistics/pair_value.h has them. Throws ArmFault.
PairResult run_launch_pair(const PairSetup& setup, const std::string& labels);

}  // namespace assay
