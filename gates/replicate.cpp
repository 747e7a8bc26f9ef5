#include "gates/replicate.h"

#include <fmt/format.h>

#include <chrono>

#include "gates/gate_ab.h"
#include "gates/gpu_lock.h"
#include "gates/judged_device.h"
#include "gates/proposal.h"
#include "gates/provenance.h"
#include "gates/run_plan.h"
#include "gates/subject_changes.h"

namespace assay {
namespace {

RunOptions options_of(const Replicated& replicated, const ReplicationOptions& options) {
  RunOptions run = options.run;
  for (const auto& [op, variant] : replicated.attempt.opened.candidate) run.candidate[op] = variant;
  if (replicated.attempt.plan) {
    const AbPlan plan = replicated.attempt.plan->at("plan").get<AbPlan>();
    run.pairs_max = plan.pairs_max;
    run.arms = plan.arms;
    run.drop_foreign = plan.drop_rule != "none";
  }
  return run;
}

class Replicator {
 public:
  Replicator(const Replicated& replicated, const ReplicationOptions& options,
             const RunContext& context)
      : replicated_(replicated),
        how_(options),
        options_(options_of(replicated, options)),
        context_(context),
        stored_(finding_of(*replicated.attempt.verdict)) {}

  RunOutcome run() {
    check_answerable(replicated_.definition);
    subject_ = resolve_subject(replicated_.definition, options_, context_);
    const std::unique_ptr<LockFile> gpu = lock_gpu(subject_.device);
    open_run();
    try {
      return gates();
    } catch (const ArmFault& fault) {
      return arm_fault(fault);
    } catch (const Error& error) {
      const bool stopped = error.kind() == ErrorKind::kInconclusive;
      return end(stopped ? "inconclusive" : "error", error.exit_code(), error.what());
    }
  }

 private:
  WorkerOptions worker_options() const {
    return {.path = context_.worker_path,
            .stall_limit_s = options_.stall_limit_s,
            .stop = context_.stop};
  }

  void open_run() {
    const Workload& primary = replicated_.definition.workloads.front();
    load_.model = model_path(primary.model, context_.workspace);
    load_.threads = primary.threads;
    load_.backend = to_string(backend_of_key(replicated_.definition.scope.device));
    LoadRequest load = load_;
    load.service = subject_.baseline;
    WorkerClient probe(worker_options());
    value_or_throw(probe.hello());
    model_ = value_or_throw(probe.load(load));
    check_context(replicated_.definition, model_.context);
    RunOpened opened;
    opened.command = kReproduce;
    opened.argv = context_.argv;
    opened.provenance = provenance(subject_.manifest, subject_.device, model_, primary);
    opened.provenance["replicates"] = {{"attempt", replicated_.attempt.opened.ordinal},
                                       {"fingerprint", replicated_.attempt.opened.fingerprint},
                                       {"how", how_.how},
                                       {"same_code", how_.same_code}};
    run_ = context_.journal.open_run(replicated_.definition.slug, opened);
  }

  GateInput gate_input() const {
    return {subject_, options_, context_, run_, facts_, load_, model_, worker_options()};
  }

  void start(const std::string& gate) {
    current_gate_ = gate;
    started_ = std::chrono::steady_clock::now();
  }

  void record(GateResult& result) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    result.seconds = spent.count();
    context_.journal.append(run_, EventKind::kGateResult, result);
    context_.say(fmt::format("{:<9} {:<7} {}", result.gate, result.outcome, result.sentence));
  }

  RunOutcome end(const std::string& outcome, int exit_code, const std::string& message) {
    context_.journal.end_run(run_, {outcome, exit_code, message});
    return {exit_code, outcome, message, run_};
  }

  void preflight() {
    start("preflight");
    GateResult result{
        .gate = "preflight",
        .outcome = "green",
        .reason = "",
        .sentence = fmt::format("attempt {} again, {}{}", replicated_.attempt.opened.ordinal,
                                how_.how, how_.same_code ? "" : ", its code is another"),
        .values = nlohmann::json::object(),
        .seconds = 0};
    for (const OpChange& change : subject_.changes) {
      result.values["changes"][change.op] = {{"incumbent", change.incumbent},
                                             {"candidate", change.candidate},
                                             {"incumbent_hash", change.incumbent_hash},
                                             {"candidate_hash", change.candidate_hash},
                                             {"row", change.device_key}};
    }
    record(result);
  }

  RunOutcome gates() {
    facts_ = facts_of(subject_);
    preflight();
    const GateInput input = gate_input();
    for (const GateStep& step : gate_steps(options_)) {
      start(step.name);
      GateResult result = step.run(input, memory_);
      if (result.outcome == "red") return red(std::move(result));
      record(result);
      if (result.outcome != "green") return unfit(result);
    }
    return measure(input);
  }

  RunOutcome unfit(const GateResult& result) {
    const bool invalid = result.outcome == "invalid";
    return end(invalid ? "invalid" : "error",
               static_cast<int>(invalid ? ErrorKind::kEnvironment : ErrorKind::kBaseline),
               fmt::format("{}: {}", result.gate, result.sentence));
  }

  // The last gate of a replication that found something: its values hold both findings.
  RunOutcome found(GateResult result, const Finding& again) {
    if (result.values.is_null()) result.values = nlohmann::json::object();
    result.values["stored"] = stored_;
    result.values["again"] = again;
    record(result);
    const RunEnded ended = compare(stored_, again).ended();
    return end(ended.outcome, ended.exit_code, ended.message);
  }

  RunOutcome red(GateResult result) {
    Finding again;
    again.reason = result.reason;
    again.verdict = "REVERT";
    return found(std::move(result), again);
  }

  RunOutcome measure(const GateInput& input) {
    start("ab");
    AttemptView fresh;  // no earlier samples, looks or plan: nothing is pooled
    fresh.opened = replicated_.attempt.opened;
    fresh.opened.fingerprint += "-" + run_;  // its A/A effects are its own, too
    AbResult ab = gate_ab(input, memory_, fresh);
    if (ab.stop == AbStop::kRed) return red(std::move(ab.gate));
    if (ab.stop == AbStop::kJudged) {
      VerdictBody verdict;
      verdict.verdict = ab.judgement.action == AbAction::kLand ? "LAND" : "REVERT";
      verdict.reason = ab.judgement.reason;
      verdict.effect = ab.effect;
      return found(std::move(ab.gate), finding_of(verdict));
    }
    record(ab.gate);
    if (ab.stop != AbStop::kInterrupted) return unfit(ab.gate);
    return end("inconclusive", static_cast<int>(ErrorKind::kInconclusive),
               ab.gate.sentence + "; a replication is not continued: run it again");
  }

  RunOutcome arm_fault(const ArmFault& arm) {
    GateResult result{.gate = current_gate_,
                      .outcome = "error",
                      .reason = "",
                      .sentence = to_string(arm.role) + ": " + arm.fault.detail,
                      .values = nlohmann::json::object(),
                      .seconds = 0};
    const FaultKind kind = arm.fault.kind;
    if (kind == FaultKind::kStopped || kind == FaultKind::kKilled) {
      result.outcome = "skipped";
      record(result);
      return end("inconclusive", static_cast<int>(ErrorKind::kInconclusive),
                 result.sentence + "; a replication is not continued: run it again");
    }
    if (kind == FaultKind::kRefused && arm.fault.error_kind == ErrorKind::kEnvironment) {
      result.outcome = "invalid";
      record(result);
      return unfit(result);
    }
    if (arm.role == ArmRole::kCandidate && kind != FaultKind::kRefused) {
      result.outcome = "red";
      result.reason = kind == FaultKind::kHang ? "hang" : "crash";
      return red(std::move(result));
    }
    record(result);
    return unfit(result);
  }

  const Replicated& replicated_;
  const ReplicationOptions& how_;
  const RunOptions options_;
  const RunContext& context_;
  const Finding stored_;
  Subject subject_;
  OpFacts facts_;
  GateMemory memory_;
  LoadRequest load_;
  LoadReply model_;
  std::string run_;
  std::string current_gate_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace

RunOutcome run_replication(const Replicated& replicated, const ReplicationOptions& options,
                           const RunContext& context) {
  return Replicator(replicated, options, context).run();
}

}  // namespace assay
