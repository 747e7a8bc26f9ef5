// The gates in their order, and what an outcome means for the attempt.
//
//   state, class -> subject -> admission -> preflight -> baseline -> identity -> parity -> margin
//   -> ab
//                                                                                     \-> verdict
//
// Invariants
//  1. Nothing is timed while a gate before ab is red.
//  2. A run that was opened is ended in every path but one: a LAND stays open until its intent has
//     been applied (gates/landing.h ends it).
//  3. Red stays red: an attempt with a red verdict is never measured, whatever a later run shows.
#include "gates/runner.h"

#include <fmt/format.h>

#include <chrono>

#include "engine/core/sha256.h"
#include "gates/ab_values.h"
#include "gates/gate_ab.h"
#include "gates/gpu_lock.h"
#include "gates/judged_device.h"
#include "gates/proposal.h"
#include "gates/provenance.h"
#include "gates/run_plan.h"
#include "gates/subject_changes.h"

namespace assay {
namespace {

class Runner {
 public:
  Runner(const Definition& definition, const RunOptions& options, const RunContext& context,
         const ExperimentView& view)
      : definition_(definition), options_(options), context_(context), view_(view) {}

  RunOutcome run() {
    check_answerable(definition_);
    subject_ = resolve_subject(definition_, options_, context_);
    const AdmissionResult admission = admit(view_, subject_.fingerprint);
    if (admission.admission == Admission::kStopped)
      return refused(ErrorKind::kStopped, admission.why);
    if (admission.admission == Admission::kFinished)
      return refused(ErrorKind::kUsage, admission.why);
    if (admission.admission == Admission::kVerdict) return stored_verdict();
    const std::unique_ptr<LockFile> gpu = lock_gpu(subject_.device);
    open_run();
    try {
      return gates();
    } catch (const ArmFault& fault) {
      return arm_fault(fault);
    } catch (const Error& error) {
      return end(outcome_of(error.kind()), error.exit_code(), error.what());
    }
  }

 private:
  static std::string outcome_of(ErrorKind kind) {
    if (kind == ErrorKind::kInconclusive) return "inconclusive";
    return kind == ErrorKind::kUsage ? "refused" : "error";
  }

  bool short_run() const { return options_.premise || !options_.until.empty(); }

  RunOutcome refused(ErrorKind kind, const std::string& why) const {
    return {static_cast<int>(kind), "refused", why, ""};
  }

  RunOutcome stored_verdict() const {
    const AttemptView* attempt = view_.find_attempt(subject_.fingerprint);
    const VerdictBody& verdict = *attempt->verdict;
    const bool land = verdict.verdict == "LAND";
    return {
        land ? 0 : static_cast<int>(ErrorKind::kRed), land ? "landed" : "reverted",
        fmt::format("attempt {} has its verdict already, {}{} of {}; nothing is measured again",
                    attempt->opened.ordinal, verdict.verdict,
                    verdict.reason.empty() ? "" : "(" + verdict.reason + ")", attempt->verdict_at),
        ""};
  }

  void open_run() {
    const Workload& primary = definition_.workloads.front();
    input_load_.model = model_path(primary.model, context_.workspace);
    input_load_.threads = primary.threads;
    input_load_.backend = to_string(backend_of_key(definition_.scope.device));
    LoadRequest load = input_load_;
    load.service = subject_.baseline;
    // Not an Arm: no run is open yet that could record its fault, so a fault ends the command.
    WorkerClient probe(worker_options());
    value_or_throw(probe.hello());
    model_ = value_or_throw(probe.load(load));
    check_context(definition_, model_.context);
    RunOpened opened;
    opened.command = options_.premise ? "premise" : options_.until.empty() ? "run" : "until";
    opened.argv = context_.argv;
    opened.provenance = provenance(subject_.manifest, subject_.device, model_, primary);
    run_ = context_.journal.open_run(definition_.slug, opened);
  }

  WorkerOptions worker_options() const {
    WorkerOptions worker;
    worker.path = context_.worker_path;
    worker.stall_limit_s = options_.stall_limit_s;
    worker.stop = context_.stop;
    return worker;
  }

  RunOutcome end(const std::string& outcome, int exit_code, const std::string& message) {
    context_.journal.end_run(run_, {outcome, exit_code, message});
    return {exit_code, outcome, message, run_};
  }

  GateInput gate_input() const {
    return {subject_, options_, context_, run_, facts_, input_load_, model_, worker_options()};
  }

  // Runs one gate, journals its result, says it.
  GateResult gate(const std::string& name, const std::function<GateResult()>& body) {
    current_gate_ = name;
    started_ = std::chrono::steady_clock::now();
    GateResult result = body();
    record(result);
    return result;
  }

  void record(GateResult& result) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    result.seconds = spent.count();
    context_.journal.append(run_, EventKind::kGateResult, result);
    context_.say(fmt::format("{:<9} {:<7} {}", result.gate, result.outcome, result.sentence));
  }

  RunOutcome gates() {
    facts_ = facts_of(subject_);
    const GateInput input = gate_input();
    gate("preflight", [&] { return gate_preflight(input); });
    if (subject_.no_op) {
      return end("no-op", static_cast<int>(ErrorKind::kNoOp),
                 "NO-OP: the candidate's code is the code in service; nothing to judge");
    }
    const AdmissionResult admission = open_attempt();
    if (admission.admission == Admission::kStopped) {
      return end("refused", static_cast<int>(ErrorKind::kStopped), admission.why);
    }
    for (const GateStep& step : gate_steps(options_)) {
      const GateResult result = gate(step.name, [&] { return step.run(input, memory_); });
      if (result.outcome == "red") return red(result);
      if (result.outcome != "green") return unfit(result);
      if (step.name == options_.until) break;
    }
    if (short_run()) return end("green", 0, "green, as far as it went; no attempt was used");
    if (admission.admission == Admission::kRedAgain) {
      return end("red", static_cast<int>(ErrorKind::kRed),
                 "every gate was green this time, but this code was red before, and red stays red");
    }
    return measure(input);
  }

  AdmissionResult open_attempt() {
    if (short_run()) return {};
    std::map<std::string, std::string> blobs;
    const AttemptOpened attempt = attempt_of(subject_, blobs);
    AdmissionResult admission = context_.journal.open_attempt(run_, attempt, blobs);
    attempt_ordinal_ = admission.ordinal;
    if (admission.admission == Admission::kNew) give_up_older();
    return admission;
  }

  // A new fingerprint after a look: the older attempt can no longer be finished.
  void give_up_older() {
    for (const AttemptView& older : view_.attempts) {
      if (!older.used || older.verdict || older.opened.fingerprint == subject_.fingerprint)
        continue;
      VerdictBody verdict;
      verdict.attempt = older.opened.ordinal;
      verdict.verdict = "REVERT";
      verdict.reason = "unproven";
      context_.journal.append(run_, EventKind::kVerdict, verdict);
      context_.say(fmt::format("attempt {} had no verdict yet; this other code makes it unproven",
                               older.opened.ordinal));
    }
  }

  RunOutcome red(const GateResult& result) {
    const int code = static_cast<int>(ErrorKind::kRed);
    const std::string message = fmt::format(
        "{} is red{}: {}", result.gate,
        result.reason == result.gate ? "" : " (" + result.reason + ")", result.sentence);
    if (short_run()) return end("red", code, message);
    VerdictBody verdict;
    verdict.reason = result.reason;
    return reverted(std::move(verdict), message);
  }

  // Environment or instrument.
  RunOutcome unfit(const GateResult& result) {
    const std::string message = fmt::format("{}: {}", result.gate, result.sentence);
    if (result.outcome == "invalid") return invalid(message);
    return end("error", static_cast<int>(ErrorKind::kBaseline), message);
  }

  RunOutcome reverted(VerdictBody verdict, const std::string& message) {
    verdict.attempt = attempt_ordinal_;
    verdict.verdict = "REVERT";
    context_.journal.append(run_, EventKind::kVerdict, verdict);
    behaviour_check();
    const ExperimentView now = fold(context_.history.events(definition_.slug));
    const bool final = now.state == ExperimentState::kReverted;
    return end(final ? "reverted" : "red", static_cast<int>(ErrorKind::kRed),
               message + (final ? "; the experiment is reverted" : "; one attempt is left"));
  }

  // After a REVERT: is the engine in service still what it was?
  void behaviour_check() {
    const GateInput input = gate_input();
    current_gate_ = "behaviour";
    started_ = std::chrono::steady_clock::now();
    GateResult result;
    try {
      GateMemory memory;
      result = gate_baseline(input, memory);
    } catch (const ArmFault& arm) {
      const bool stopped = arm.fault.kind == FaultKind::kStopped;
      result.outcome = stopped ? "skipped" : "error";
      result.sentence = stopped ? "stopped" : "the engine in service failed: " + arm.fault.detail;
    } catch (const Error& error) {
      result.outcome = "error";
      result.sentence = error.what();
    }
    result.gate = "behaviour";
    record(result);
  }

  RunOutcome measure(const GateInput& input) {
    const ExperimentView now = fold(context_.history.events(definition_.slug));
    const AttemptView attempt = *now.find_attempt(subject_.fingerprint);
    current_gate_ = "ab";
    started_ = std::chrono::steady_clock::now();
    AbResult ab = gate_ab(input, memory_, attempt);
    record(ab.gate);
    switch (ab.stop) {
      case AbStop::kRed:
        return red(ab.gate);
      case AbStop::kError:
        return end("error", static_cast<int>(ErrorKind::kBaseline), ab.gate.sentence);
      case AbStop::kInvalid:
        return invalid(ab.gate.sentence);
      case AbStop::kInterrupted:
        return interrupted(ab.gate.sentence);
      case AbStop::kJudged:
        break;
    }
    VerdictBody verdict;
    verdict.effect = ab.effect;
    verdict.basis = {{"aa", ab.aa}, {"plan", ab.plan}};
    if (ab.judgement.action == AbAction::kLand) return landed(std::move(verdict));
    verdict.reason = ab.judgement.reason;
    return reverted(std::move(verdict),
                    fmt::format("REVERT({}): {}", ab.judgement.reason, ab.judgement.sentence));
  }

  RunOutcome interrupted(const std::string& sentence) {
    return end("inconclusive", static_cast<int>(ErrorKind::kInconclusive),
               sentence + "; run again to go on, pairs are kept");
  }

  // A machine that is not fit, whichever gate found it: the third such run of an attempt that has
  // taken a look, and has no verdict, ends it as unproven. `message` speaks of one run.
  RunOutcome invalid(const std::string& message) {
    const ExperimentView now = fold(context_.history.events(definition_.slug));
    const AttemptView* attempt = short_run() ? nullptr : now.find_attempt(subject_.fingerprint);
    const bool looked = attempt != nullptr && attempt->used && !attempt->verdict;
    if (!looked || attempt->invalid_runs < 2) {
      return end("invalid", static_cast<int>(ErrorKind::kEnvironment), message);
    }
    VerdictBody verdict;
    verdict.reason = "unproven";
    verdict.effect =
        effect_json(judge(attempt->plan->at("plan").get<AbPlan>(), launch_pairs(attempt->samples)));
    verdict.basis = {{"aa", attempt->plan->at("aa")}, {"plan", attempt->plan->at("plan")}};
    return reverted(std::move(verdict), "third run with an unfit environment: " + message);
  }

  RunOutcome landed(VerdictBody verdict) {
    verdict.attempt = attempt_ordinal_;
    verdict.verdict = "LAND";
    ServiceMap map = subject_.map;
    for (const OpChange& change : subject_.changes) {
      map = with_landed(map, change.device_key, definition_.scope, change.op, change.candidate,
                        definition_.slug);
    }
    verdict.intents.push_back(
        {subject_.service_path, sha256_hex(subject_.service_text), emit(map)});
    context_.journal.append(run_, EventKind::kVerdict, verdict);
    const double estimate = verdict.effect.at("confirmation").value("estimate", 0.0);
    return {0, "landed", fmt::format("LAND: confirmed {:+.2f} %", 100 * estimate), run_};
  }

  // Loading counts little progress: with a limit below the usual one, its hang proves nothing.
  bool hung_while_starting(const WorkerFault& fault) const {
    return fault.kind == FaultKind::kHang && options_.stall_limit_s < RunOptions{}.stall_limit_s &&
           (fault.request == "hello" || fault.request == "load");
  }

  RunOutcome arm_fault(const ArmFault& arm) {
    GateResult result{.gate = current_gate_,
                      .outcome = "error",
                      .reason = "",
                      .sentence = "",
                      .values = nlohmann::json::object(),
                      .seconds = 0};
    result.sentence = fmt::format("the {} worker: {}", to_string(arm.role), arm.fault.detail);
    result.values = {{"fault", to_string(arm.fault.kind)},
                     {"request", arm.fault.request},
                     {"stderr", arm.fault.stderr_tail}};
    const bool candidate = arm.role == ArmRole::kCandidate;
    if (arm.fault.kind == FaultKind::kStopped) {
      result.outcome = "skipped";
      result.sentence = "stopped before a verdict";
      result.values = nullptr;
      record(result);
      return interrupted(result.sentence);
    }
    if (arm.fault.kind == FaultKind::kKilled) {
      record(result);
      return end("killed", static_cast<int>(ErrorKind::kInconclusive),
                 result.sentence + ": killed from outside; run again to go on");
    }
    // No memory, no device: whoever met it, it is nobody's code.
    if (arm.fault.kind == FaultKind::kRefused && arm.fault.error_kind == ErrorKind::kEnvironment) {
      result.outcome = "invalid";
      record(result);
      return unfit(result);
    }
    const bool impatient = hung_while_starting(arm.fault);
    if (impatient) {
      result.sentence += fmt::format(
          "; to start takes a worker time, and --stall-limit {} is below the usual {}: run again "
          "without it",
          options_.stall_limit_s, RunOptions{}.stall_limit_s);
    }
    if (!candidate || impatient) {
      record(result);
      return end("error", static_cast<int>(ErrorKind::kBaseline), result.sentence);
    }
    result.outcome = "red";
    result.reason = arm.fault.kind == FaultKind::kHang ? "hang" : "crash";
    record(result);
    return red(result);
  }

  const Definition& definition_;
  const RunOptions& options_;
  const RunContext context_;
  const ExperimentView& view_;
  Subject subject_;
  OpFacts facts_;
  GateMemory memory_;
  LoadRequest input_load_;
  LoadReply model_;
  std::string run_;
  int attempt_ordinal_ = 0;
  std::string current_gate_ = "preflight";
  std::chrono::steady_clock::time_point started_;
};

// The same surroundings, which also want to stop once the run's time is over.
RunContext with_time_limit(const RunContext& context, const RunOptions& options) {
  RunContext limited = context;
  if (!options.time_limit_s) return limited;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(*options.time_limit_s);
  limited.stop = [asked = context.stop, end] {
    return asked() || std::chrono::steady_clock::now() > end;
  };
  return limited;
}

}  // namespace

RunOutcome run_experiment(const Definition& definition, const RunOptions& options,
                          const RunContext& context) {
  check_options(options);
  const ExperimentView view = fold(context.history.events(definition.slug));
  switch (view.state) {
    case ExperimentState::kReverted:
      return {static_cast<int>(ErrorKind::kStopped), "refused",
              definition.slug + " is reverted: two attempts are used, and there is no third", ""};
    case ExperimentState::kClosed:
    case ExperimentState::kMeasured:
    case ExperimentState::kUnreached:
      return {static_cast<int>(ErrorKind::kUsage), "refused",
              definition.slug + " is " + to_string(view.state) + ": nothing runs any more", ""};
    default:
      break;
  }
  return Runner(definition, options, with_time_limit(context, options), view).run();
}

}  // namespace assay
