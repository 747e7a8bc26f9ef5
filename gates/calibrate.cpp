// One A/A run: the arm in service against itself, measured exactly as an A/B is.
//
// Its pair values say how far apart two equal arms come out on this machine; the statistics take
// the root mean square of such effects as a lower bound of the standard error of every verdict.
// A planted run puts a variant of known cost into one arm: it asks whether the instrument is right.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/utc_time.h"
#include "experiments/op_facts.h"
#include "gates/environment.h"
#include "gates/gpu_lock.h"
#include "gates/judged_device.h"
#include "gates/launch_pair.h"
#include "gates/prompts.h"
#include "gates/proposal.h"
#include "gates/provenance.h"
#include "gates/statistics/judge.h"
#include "gates/statistics/look.h"
#include "gates/statistics/pair_value.h"
#include "gates/subject.h"
#include "gates/twin_effect.h"

namespace assay {
namespace {

struct Bench {
  Manifest manifest;
  HelloReply device;
  LoadReply model;
  std::string key;
  PairSetup setup;
};

// The op of a planted variant that this worker has. An ungated measurement is for these alone: what
// may land is measured by an experiment, which counts its attempts.
std::string served_op(const std::string& variant, const Manifest& manifest) {
  const std::string op = planted_op(variant);
  if (op.empty()) {
    throw Error(ErrorKind::kUsage,
                variant +
                    ": no planted variant (kernels/planted): a variant that may land is "
                    "measured by an experiment, `assay propose` and `assay run`");
  }
  if (std::none_of(manifest.variants.begin(), manifest.variants.end(),
                   [&](const ManifestVariant& known) { return known.id == variant; })) {
    throw Error(ErrorKind::kUsage,
                variant +
                    ": this worker was built without it: run `assay-planted calibrate` with "
                    "--worker assay-worker-planted (its whole path)");
  }
  return op;
}

ServiceSelection with_planted(ServiceSelection service, const std::string& variant,
                              const Manifest& manifest) {
  if (variant.empty()) return service;
  ServiceRow row;
  row.variant = variant;
  service[served_op(variant, manifest)] = {row};
  return service;
}

PlanReply plan_of(const Bench& bench, const LoadRequest& load, const WorkRequest& request) {
  WorkerClient planner(bench.setup.worker);
  value_or_throw(planner.hello());
  value_or_throw(planner.load(load));
  return value_or_throw(planner.plan(request));
}

Bench prepare(const CalibrateOptions& options, const RunContext& context) {
  Bench bench;
  bench.manifest = read_manifest(context.worker_path);
  bench.setup.worker = {.path = context.worker_path, .stop = context.stop};
  WorkerClient probe(bench.setup.worker);
  const BackendKind backend = backend_of_key(options.device);
  bench.device = as_device(value_or_throw(probe.hello()), backend);
  const ServiceMap map = read_service_map(context.workspace + "/experiments/" + options.service);
  LoadRequest load;
  load.model = model_path(options.workload.model, context.workspace);
  load.threads = options.workload.threads;
  load.backend = to_string(backend);
  const ServiceSelection in_service = selection(resolve(map, bench.device.device_key));
  load.service = with_planted(in_service, options.control, bench.manifest);
  LoadRequest load_b = load;
  load_b.service = with_planted(load.service, options.planted, bench.manifest);
  bench.model = value_or_throw(probe.load(load));
  TimedPart part;
  part.stage = options.planted.empty() ? "aa" : "planted";
  part.request = workload_request(options.workload, bench.model.vocab);
  part.plan_a = part.plan_b = value_or_throw(probe.plan(part.request));
  std::int64_t shortest = 0;
  for (int i = 0; i < 5; ++i) {
    const WorkReply reply = value_or_throw(probe.work(part.request));
    part.digest = reply.digest;
    shortest = i == 0 ? reply.elapsed_ns : std::min(shortest, reply.elapsed_ns);
  }
  part.repeats = segment_repeats(options.segment_s, shortest);
  bench.key = aa_key(bench.manifest, bench.device, bench.model.sha256, options.workload);
  if (!options.planted.empty()) part.plan_b = plan_of(bench, load_b, part.request);
  bench.setup.load_a = load;
  bench.setup.load_b = load_b;
  bench.setup.parts = {part};
  bench.setup.warm_up_s = options.warm_up_s;
  bench.setup.gpu = monitor_of(bench.device);
  bench.setup.environment = environment_fingerprint(bench.device, bench.manifest.worker_sha256);
  return bench;
}

[[noreturn]] void throw_interrupted() {
  throw Error(ErrorKind::kInconclusive,
              "calibration interrupted: this A/A run does not count, those before it do");
}

std::vector<PairSample> measure(const Bench& bench, const std::string& run,
                                const CalibrateOptions& options, const RunContext& context) {
  std::vector<PairSample> samples;
  for (int i = 0; i < options.pairs; ++i) {
    if (context.stop()) throw_interrupted();
    const std::string labels = coin_labels("aa", 0, run, "aa", i, options.arms);
    try {
      PairResult pair = run_launch_pair(bench.setup, labels);
      if (!pair.faults.empty()) throw Error(ErrorKind::kBaseline, pair.faults.front().sentence);
      PairSample& sample = pair.samples.front();
      sample.ordinal = i;
      context.journal.append(run, EventKind::kSample, sample);
      samples.push_back(std::move(sample));
    } catch (const ArmFault& fault) {
      if (fault.fault.kind == FaultKind::kStopped) throw_interrupted();
      if (fault.fault.kind == FaultKind::kKilled) {
        throw Error(ErrorKind::kInconclusive,
                    fault.fault.detail + ": killed from outside; run again to go on");
      }
      throw_fault(fault.fault);
    }
  }
  return samples;
}

// What the run leaves to the A/A history: its pairs, or of three arms the contrasts of the twins.
std::vector<double> aa_values(const CalibrateOptions& options,
                              const std::vector<PairSample>& samples) {
  std::vector<double> values;
  for (const PairSample& sample : samples) {
    const PairMeasure pair = measure_pair(sample.labels, sample.worker_ns);
    if (options.planted.empty()) values.push_back(pair.d);
    if (!options.planted.empty() && options.arms == 3) {
      values.push_back(pair.contrast / aa_scale(3));
    }
  }
  return values;
}

// The run read as an A/B of the same code at `bar`: would it have gone on to confirmation?
bool would_cross(const AaEffect& effect, double bar, const std::vector<AaEffect>& history) {
  const int pairs = static_cast<int>(effect.pair_values.size());
  if (pairs < 8 || pairs % 4 != 0) return false;
  std::vector<AaRun> runs;
  for (const AaEffect& earlier : history) runs.push_back(aa_run_of(earlier, 2));
  for (const LookRule& look : make_plan(bar, pairs, 0).looks) {
    std::vector<PairMeasure> first;
    for (int i = 0; i < look.pairs; ++i) {
      first.push_back({.arms = 2, .d = effect.pair_values[static_cast<std::size_t>(i)]});
    }
    if (take_look(first, runs, bar, look.p).says == "above the bar") return true;
  }
  return false;
}

}  // namespace

int segment_repeats(double segment_s, std::int64_t request_ns) {
  return std::max(1,
                  static_cast<int>(std::lround(segment_s * 1e9 / static_cast<double>(request_ns))));
}

CalibrateOutcome calibrate(const CalibrateOptions& options, double bar, const RunContext& context) {
  if (options.planted.empty() && (options.arms != 2 || !options.control.empty())) {
    throw Error(ErrorKind::kInternal, "an A/A run has two arms, both in service");
  }
  Bench bench = prepare(options, context);
  const auto gpu = options.device_locked ? nullptr : lock_gpu(bench.device);
  const std::vector<AaEffect> history = context.history.aa_history(bench.key, aa_since());
  RunOpened opened;
  opened.command = "calibrate";
  opened.argv = context.argv;
  opened.provenance = provenance(bench.manifest, bench.device, bench.model, options.workload);
  CalibrateOutcome outcome;
  AaEffect& effect = outcome.effect;
  effect.id = context.journal.open_run("", opened);
  effect.key = bench.key;
  effect.host = host_name();
  if (options.begins) options.begins();
  try {
    outcome.samples = measure(bench, effect.id, options, context);
  } catch (const Error& error) {
    const bool interrupted = error.kind() == ErrorKind::kInconclusive;
    context.journal.end_run(
        effect.id, {interrupted ? "inconclusive" : "error", error.exit_code(), error.what()});
    throw;
  }
  effect.at = utc_now();
  effect.pair_values = aa_values(options, outcome.samples);
  if (!effect.pair_values.empty()) {
    context.journal.append(effect.id, EventKind::kCalibrated, effect);
  }
  std::vector<double> values;
  for (const PairSample& sample : outcome.samples) {
    values.push_back(pair_value(sample.labels, sample.worker_ns));
  }
  const LookRow row = measure_row("aa", values, {}, bar, 0.05);
  outcome.pair_sd = row.pair_sd;
  outcome.estimate = row.estimate;
  outcome.low = row.low;
  outcome.high = row.high;
  outcome.excludes_zero = row.low > 0 || row.high < 0;
  outcome.would_land = options.planted.empty() && would_cross(effect, bar, history);
  const std::string of = options.planted.empty() ? "" : " with " + options.planted;
  context.journal.end_run(effect.id,
                          {"calibrated", 0, fmt::format("{:+.2f} %{}", 100 * row.estimate, of)});
  return outcome;
}

}  // namespace assay
