#include "gates/launch_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>

#include "engine/core/device.h"
#include "engine/core/or_null.h"
#include "gates/environment.h"
#include "gates/foreign_work.h"
#include "gates/gate.h"
#include "gates/shared_core.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

// Worker's and runner's clocks agree within 2 % and the setup's slack per request.
constexpr double kClockShare = 0.02;
// A GPU is warm when an arm's last three requests agree within 1 %, and at the latest after 2 s.
constexpr std::size_t kPlateau = 3;
constexpr double kPlateauTolerance = 0.01;
constexpr double kWarmUpLimit_s = 2;

// The same work, but of decode steps only as many as bring caches and clock to their state.
WorkRequest filler_of(WorkRequest request) {
  request.steps = std::min(request.steps, std::max(8, request.steps / 4));
  request.forced.resize(std::min(request.forced.size(), static_cast<std::size_t>(request.steps)));
  return request;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Segment {
  std::int64_t worker_ns = 0;   // of the timed phase
  std::int64_t runner_ns = 0;   // around the requests
  std::int64_t claimed_ns = 0;  // all that the worker says it spent
  std::int64_t device_ns = 0;   // of the timed phase on the GPU's timer
  std::int64_t cycles = 0;      // of its multiprocessors meanwhile
};

class PairRunner {
 public:
  PairRunner(const PairSetup& setup, const std::string& labels)
      : setup_(setup), on_gpu_(setup.load_a.backend == to_string(BackendKind::kCuda)) {
    const auto start = Clock::now();
    // The coin orders the launches, too: as the arms' first segments come.
    std::vector<ArmStart> starts;
    for (const char label : labels) {
      if (arms_in_order_.find(label) != std::string::npos) continue;
      arms_in_order_ += label;
      starts.push_back(label == 'B' ? ArmStart{ArmRole::kCandidate, &setup.load_b}
                                    : ArmStart{ArmRole::kBaseline, &setup.load_a});
    }
    arms_ = start_arms(setup.worker, starts, on_gpu_ ? Loading::kInTurn : Loading::kTogether);
    for (const auto& one : arms_) pids_.push_back(one->pid());
    if (on_gpu_) core_ = share_core(pids_);
    result.spent.launch_s = seconds_since(start);
    const auto launched = Clock::now();
    warm_up();
    result.spent.warm_up_s = seconds_since(launched);
  }

  PairSample measure(const TimedPart& part, const std::string& labels) {
    PairSample sample;
    sample.stage = part.stage;
    sample.labels = labels;
    sample.environment = setup_.environment;
    nlohmann::json before = telemetry_now(setup_.gpu.get());
    ForeignWatch watch(pids_);
    int disagreements = 0;
    std::vector<std::int64_t> device_ns;
    std::vector<std::int64_t> cycles;
    nlohmann::json gpu = nlohmann::json::array();
    std::string digest = part.digest;
    for (const char label : labels) {
      Arm& arm = *arms_[arms_in_order_.find(label)];
      const Segment segment =
          run_segment(arm, part, label == 'B' ? part.plan_b : part.plan_a, digest);
      sample.worker_ns.push_back(segment.worker_ns);
      sample.runner_ns.push_back(segment.runner_ns);
      if (setup_.gpu != nullptr) {
        device_ns.push_back(segment.device_ns);
        cycles.push_back(segment.cycles);
        gpu.push_back(setup_.gpu->reading());
        watch.look(setup_.gpu.get());
      }
      disagreements += check_clocks(arm, part, segment) ? 0 : 1;
      ++result.segments;
    }
    const ForeignWork foreign = watch.seen(setup_.gpu.get());
    if (setup_.drop_foreign) {
      sample.dropped = drop_reason(foreign, usable_cores(), arms_.front()->model().threads);
    }
    result.clock_disagreements += disagreements;
    sample.telemetry = {{"before", std::move(before)},
                        {"after", telemetry_now(setup_.gpu.get())},
                        {"foreign", to_json_value(foreign)},
                        {"requests", part.repeats},  // of a segment
                        {"clock_disagreements", disagreements}};
    if (setup_.gpu != nullptr) {
      sample.telemetry["core"] = or_null(core_);
      sample.telemetry["segments"] = {
          {"device_ns", device_ns}, {"cycles", cycles}, {"gpu", std::move(gpu)}};
    }
    return sample;
  }

  PairResult result;

 private:
  // Requests in turns until each arm has had its time and, on a GPU, runs evenly or never will.
  void warm_up() {
    const auto start = Clock::now();
    std::vector<std::deque<std::int64_t>> latest(arms_.size());
    double passed_s = 0;
    do {
      for (std::size_t i = 0; i < arms_.size(); ++i) {
        latest[i].push_back(arms_[i]->work(setup_.parts.front().request).elapsed_ns);
        if (latest[i].size() > kPlateau) latest[i].pop_front();
      }
      passed_s = std::chrono::duration<double>(Clock::now() - start).count();
    } while (passed_s < static_cast<double>(arms_.size()) * setup_.warm_up_s ||
             (on_gpu_ && passed_s < kWarmUpLimit_s &&
              !std::all_of(latest.begin(), latest.end(), is_even)));
  }

  static bool is_even(const std::deque<std::int64_t>& times) {
    if (times.size() < kPlateau) return false;
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    return static_cast<double>(*most) <= (1 + kPlateauTolerance) * static_cast<double>(*least);
  }

  void fault(const Arm& arm, const std::string& reason, const std::string& sentence) {
    result.faults.push_back({arm.role(), reason, sentence});
  }

  Segment run_segment(Arm& arm, const TimedPart& part, const PlanReply& plan, std::string& digest) {
    Segment segment;
    arm.work(filler_of(part.request));  // not counted
    result.spent.filler_s += static_cast<double>(arm.last_request_ns()) / 1e9;
    WorkRequest request = part.request;
    request.device_clock = setup_.gpu != nullptr;
    for (int i = 0; i < part.repeats; ++i) {
      const WorkReply reply = arm.work(request);
      segment.runner_ns += arm.last_request_ns();
      result.spent.measure_s += static_cast<double>(arm.last_request_ns()) / 1e9;
      segment.worker_ns += reply.elapsed_ns;
      segment.claimed_ns += reply.prefill_ns + reply.decode_ns;
      segment.device_ns += reply.device_ns;
      segment.cycles += reply.device_cycles;
      if (digest.empty()) digest = reply.digest;
      if (reply.digest != digest) {
        fault(arm, "identity",
              fmt::format("a timed segment of the {} produced digest {} instead of {}",
                          to_string(arm.role()), reply.digest, digest));
      }
      const std::string live = liveness_fault(plan, reply);
      if (!live.empty()) fault(arm, "not-live", "in a timed segment: " + live);
    }
    return segment;
  }

  // False when the runner's clock saw more than the worker's (a busy machine, or a worker that
  // reports too little). A worker that reports more than passed on the runner's clock is a fault.
  bool check_clocks(const Arm& arm, const TimedPart& part, const Segment& segment) {
    const double claimed = static_cast<double>(segment.claimed_ns);
    const double seen = static_cast<double>(segment.runner_ns);
    const double slack = kClockShare * seen + 1e9 * setup_.clock_slack_s * part.repeats;
    if (claimed > seen + slack || segment.worker_ns > segment.claimed_ns ||
        segment.worker_ns <= 0) {
      fault(arm, "clock",
            fmt::format("the worker of the {} claims {:.3f} ms in a segment that took "
                        "{:.3f} ms on the runner's clock",
                        to_string(arm.role()), claimed / 1e6, seen / 1e6));
    }
    return seen <= claimed + slack;
  }

  const PairSetup& setup_;
  const bool on_gpu_;
  std::string arms_in_order_;  // labels of arms_, in the order of their launch
  std::vector<std::unique_ptr<Arm>> arms_;
  std::vector<int> pids_;
  std::optional<int> core_;
};

}  // namespace

TimeSpent& TimeSpent::operator+=(const TimeSpent& other) {
  launch_s += other.launch_s;
  warm_up_s += other.warm_up_s;
  filler_s += other.filler_s;
  measure_s += other.measure_s;
  return *this;
}

PairResult run_launch_pair(const PairSetup& setup, const std::string& labels) {
  PairRunner runner(setup, labels);
  for (const TimedPart& part : setup.parts) {
    runner.result.samples.push_back(runner.measure(part, labels));
  }
  return std::move(runner.result);
}

}  // namespace assay
