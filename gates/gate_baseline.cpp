// Baseline: is the instrument sound?
//
// The arm in service runs twice, in two fresh processes: token streams and logits digests must be
// equal, and every activation, cache value and logit finite. Then the behavioural anchor: the
// digest and the median time of this very baseline on this host, recorded by the first run that
// gets here. Another digest later means that the baseline is not the code it claims to be (exit
// 14); a time more than a tenth slower means that the machine is not in the state it was in (exit
// 13). A time more than a tenth faster means that the anchor was taken on a busy machine, and is
// anchored anew: a baseline can flatter a candidate by being slow, never by being fast. A machine
// that is only busy for a moment is given time to settle: the time is measured up to ten times, two
// seconds apart, and the closest median counts. An anchor itself is taken only once two medians in
// a row agree, and is the smaller of them, since one that was taken in a busy moment would make
// every quiet run after it look unfit.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "engine/core/sha256.h"
#include "gates/environment.h"
#include "gates/gate.h"

namespace assay {
namespace {

constexpr double kAnchorAgreement = 0.03;  // of two medians in a row
constexpr int kTimeTries = 10;

// Median time of the timed request after a warm-up, ns.
std::int64_t median_request(Arm& arm, const WorkRequest& request, const RunOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto warm = Clock::now() + std::chrono::duration<double>(options.warm_up_s);
  while (Clock::now() < warm) arm.work(request);
  std::vector<std::int64_t> times;
  const auto end = Clock::now() + std::chrono::duration<double>(options.baseline_measure_s);
  while (Clock::now() < end || times.size() < 5) times.push_back(arm.work(request).elapsed_ns);
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

// Identifies this baseline on this host: machine, build, model, workload, and the code that serves.
std::string anchor_key(const Subject& subject, const LoadReply& model) {
  std::string text =
      host_name() + "\n" +
      aa_key(subject.manifest, subject.device, model.sha256, subject.definition.workloads.front()) +
      "\n";
  for (const auto& [op, rows] : subject.baseline) {
    for (const ServiceRow& row : rows) {
      const ManifestVariant* variant = subject.manifest.find(row.variant);
      text += fmt::format("{} {} {}..{} {} {}\n", op, row.key, row.low, row.high, row.variant,
                          variant == nullptr ? "" : variant->code_hash);
    }
  }
  return sha256_hex(text);
}

struct Stream {
  std::string digest;
  std::uint64_t nonfinite = 0;  // values that were not finite
};

// The timed request and the workload with logits of every row, digested together.
Stream stream_of(Arm& arm, const Subject& subject) {
  std::string digests;
  std::uint64_t nonfinite = 0;
  const auto work = [&](const WorkRequest& request) {
    const WorkReply reply = arm.work(request);
    digests += reply.digest;
    nonfinite += reply.nonfinite;
  };
  for (const Workload& workload : subject.definition.workloads) {
    WorkRequest request = workload_request(workload, arm.model().vocab);
    work(request);
    request.all_rows = workload.phase == "prefill";
    request.steps = std::max(request.steps, 32);
    if (static_cast<int>(request.prompt.size()) + request.steps <= arm.model().context) {
      work(request);
    }
  }
  return {sha256_hex(digests), nonfinite};
}

// What makes the instrument unsound, from two runs of it; empty when nothing does.
std::string fault_in(const Stream& stream, const std::string& digest_again) {
  if (stream.nonfinite > 0) {
    return fmt::format(
        "{} activations, cache values or logits of the arm in service were not finite: the model "
        "file or a kernel is wrong",
        stream.nonfinite);
  }
  if (stream.digest == digest_again) return "";
  return "two runs of the arm in service gave different digests: the baseline is not "
         "deterministic";
}

// Waits, but not for somebody who wants to stop.
void wait(double seconds, const std::function<bool()>& stop) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end && !stop()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

double slower_by(std::int64_t measured, double anchor) {
  return static_cast<double>(measured) / anchor - 1;
}

// The median that counts: the fastest until one meets the anchor; without an anchor, the smaller of
// the first two in a row that agree.
std::int64_t settled_ns(const std::function<std::int64_t(int)>& measure, double anchor_ns,
                        const std::function<void()>& settle) {
  std::int64_t best = measure(0);
  for (int tries = 1; tries < kTimeTries; ++tries) {
    if (anchor_ns > 0) {
      if (slower_by(best, anchor_ns) <= kAnchorTolerance) return best;
      settle();
    }
    const std::int64_t next = measure(tries);
    const double apart = std::fabs(slower_by(next, static_cast<double>(best)));
    if (anchor_ns <= 0 && apart <= kAnchorAgreement) return std::min(best, next);
    best = anchor_ns > 0 ? std::min(best, next) : next;
  }
  return best;
}

}  // namespace

GateResult gate_baseline(const GateInput& input, GateMemory& memory) {
  GateResult result{.gate = "baseline",
                    .outcome = "green",
                    .reason = "",
                    .sentence = "",
                    .values = nlohmann::json::object(),
                    .seconds = 0};
  const LoadRequest load = load_with(input, input.subject.baseline);
  Arm first(ArmRole::kBaseline, input.worker, load);
  Arm second(ArmRole::kBaseline, input.worker, load);
  memory.model = first.model();
  const Stream stream = stream_of(first, input.subject);
  const std::string& digest = stream.digest;
  const std::string again = stream_of(second, input.subject).digest;
  const std::string key = anchor_key(input.subject, memory.model);
  result.values = {{"anchor_key", key}, {"digest", digest}, {"model_sha256", memory.model.sha256}};
  result.sentence = fault_in(stream, again);
  if (!result.sentence.empty()) {
    result.outcome = "error";
    return result;
  }
  const auto anchor = input.context.history.anchor(key);
  if (anchor && anchor->value("digest", "") != digest) {
    result.outcome = "error";
    result.sentence = fmt::format(
        "the baseline's stream digest is {}, recorded earlier on this host as "
        "{}: the code or the model is not what it was",
        digest.substr(0, 12), anchor->value("digest", "").substr(0, 12));
    return result;
  }
  const WorkRequest request =
      workload_request(input.subject.definition.workloads.front(), memory.model.vocab);
  const double anchor_ns = anchor ? anchor->value("median_ns", 0.0) : 0.0;
  const auto measure = [&](int tries) {
    return median_request(tries % 2 == 0 ? first : second, request, input.options);
  };
  const auto settle = [&] { wait(input.options.settle_s, input.context.stop); };
  memory.request_ns = settled_ns(measure, anchor_ns, settle);
  result.values["median_ns"] = memory.request_ns;
  const bool faster = anchor_ns > 0 && slower_by(memory.request_ns, anchor_ns) < -kAnchorTolerance;
  memory.anchor_ns = anchor_ns > 0 && !faster ? anchor_ns : static_cast<double>(memory.request_ns);
  if (anchor_ns > 0) result.values[faster ? "former_anchor_ns" : "anchor_ns"] = anchor_ns;
  if (anchor_ns > 0 && slower_by(memory.request_ns, anchor_ns) > kAnchorTolerance) {
    result.outcome = "invalid";
    result.sentence = fmt::format(
        "the baseline takes {:.3f} ms, {:+.1f} % from its anchor of {:.3f} ms: "
        "the machine is not as it was (load, clock, another host?)",
        static_cast<double>(memory.request_ns) / 1e6, 100 * slower_by(memory.request_ns, anchor_ns),
        anchor_ns / 1e6);
    return result;
  }
  result.sentence = fmt::format("in service twice: digest {} both times; {:.3f} ms per request{}",
                                digest.substr(0, 12), static_cast<double>(memory.request_ns) / 1e6,
                                !anchor  ? ", anchored now"
                                : faster ? ", faster than its anchor: anchored anew"
                                         : ", as anchored");
  return result;
}

}  // namespace assay
