// Is it faster? gates/statistics says when to stop and what it means; this file makes the pairs.
//
// Invariants
//  1. The plan is frozen before the first pair, and a resumed attempt goes on with the plan it has.
//  2. Every pair is committed before its times are looked at, and stays in the sequence.
//  3. A pair whose segments did not prove themselves is evidence against the candidate, never a
//  sample.
#include "gates/gate_ab.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <span>

#include "gates/ab_values.h"
#include "gates/environment.h"
#include "gates/foreign_work.h"
#include "gates/guard_chain.h"
#include "gates/judged_device.h"
#include "gates/launch_pair.h"
#include "gates/proposal.h"
#include "gates/provenance.h"
#include "gates/run_plan.h"
#include "gates/segment_tags.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/plan_simulation.h"
#include "gates/twin_effect.h"

namespace assay {
namespace {

constexpr const char* kStoppedInHistory = "stopped while the A/A history was measured";

// Size and time of a file: what it is known by while it is in use.
std::pair<std::uintmax_t, std::filesystem::file_time_type> stamp_of(const std::string& path) {
  std::error_code none;
  return {std::filesystem::file_size(path, none), std::filesystem::last_write_time(path, none)};
}

class AbRunner {
 public:
  AbRunner(const GateInput& input, const GateMemory& memory, const AttemptView& attempt)
      : input_(input),
        memory_(memory),
        attempt_(attempt),
        samples_(attempt.samples),
        definition_(input.subject.definition) {
    result_.gate = GateResult{.gate = "ab",
                              .outcome = "green",
                              .reason = "",
                              .sentence = "",
                              .values = nlohmann::json::object(),
                              .seconds = 0};
  }

  // Asked to stop within a pair, its workers are killed, and the pair is none.
  AbResult run() {
    try {
      return measured();
    } catch (const ArmFault& arm) {
      if (arm.fault.kind != FaultKind::kStopped) throw;
      return finish(AbStop::kInterrupted, "skipped", "stopped before a verdict");
    } catch (const Error& error) {  // by calibrate, whose run is ended already
      if (error.kind() != ErrorKind::kInconclusive || !input_.context.stop()) throw;
      return finish(AbStop::kInterrupted, "skipped", kStoppedInHistory);
    }
  }

 private:
  AbResult measured() {
    environment_ =
        environment_fingerprint(input_.subject.device, input_.subject.manifest.worker_sha256);
    if (!prepare_plan()) return std::move(result_);
    prepare_setup();
    judge_now();
    while (result_.judgement.action == AbAction::kMorePairs) {
      if (input_.context.stop()) {
        return finish(AbStop::kInterrupted, "skipped", "stopped before a verdict");
      }
      if (!one_pair()) return std::move(result_);
      judge_now();
      if (result_.judgement.action == AbAction::kMorePairs && too_busy()) {
        return std::move(result_);
      }
    }
    leave_twins();
    if (result_.judgement.action == AbAction::kInvalid) {
      return finish(AbStop::kInvalid, "invalid", result_.judgement.sentence);
    }
    const bool land = result_.judgement.action == AbAction::kLand;
    if (land && baseline_is_slow()) return std::move(result_);
    result_.gate.reason = land ? "" : result_.judgement.reason;
    return finish(AbStop::kJudged, land ? "green" : "red", result_.judgement.sentence);
  }

  // Of the pairs that the verdict rests on.
  bool baseline_is_slow() {
    const std::string sentence = slow_baseline(
        std::span(samples_).subspan(result_.judgement.pooled_from, result_.judgement.pooled),
        result_.plan.workload.at("repeats").get<int>(), memory_.anchor_ns);
    if (sentence.empty()) return false;
    finish(AbStop::kInvalid, "invalid", sentence);
    return true;
  }

  AbResult& finish(AbStop stop, const std::string& outcome, const std::string& sentence) {
    result_.stop = stop;
    result_.gate.outcome = outcome;
    result_.gate.sentence = sentence;
    fill_values();
    return result_;
  }

  // Key of a workload's A/A history.
  std::string key_of(const Workload& workload) const {
    return aa_key(input_.subject.manifest, input_.subject.device, memory_.model.sha256, workload);
  }

  // Three arms: the baseline against itself joins the history.
  void leave_twins() {
    const Workload& primary = definition_.workloads.front();
    record_twins(result_.plan, launch_pairs(samples_), attempt_.opened.fingerprint, key_of(primary),
                 {.command = "calibrate",
                  .argv = input_.context.argv,
                  .provenance = provenance(input_.subject.manifest, input_.subject.device,
                                           memory_.model, primary)},
                 input_.context);
  }

  // A/A history of a workload, measured now where there is too little. False: interrupted.
  bool history_for(const Workload& workload, std::vector<AaRun>& runs) {
    std::vector<AaEffect> effects = input_.context.history.aa_history(key_of(workload), aa_since());
    while (static_cast<int>(effects.size()) < kLeastAaRuns) {
      if (input_.context.stop()) {
        finish(AbStop::kInterrupted, "skipped", kStoppedInHistory);
        return false;
      }
      const auto start = std::chrono::steady_clock::now();
      CalibrateOptions options;
      options.workload = workload;
      options.service = definition_.service;
      options.device = definition_.scope.device;
      options.segment_s = input_.options.segment_s;
      options.warm_up_s = input_.options.warm_up_s;
      options.device_locked = true;
      const CalibrateOutcome outcome = calibrate(options, definition_.bar, input_.context);
      effects.push_back(outcome.effect);
      input_.context.say(fmt::format("  A/A {} of {}: {:+.2f} %, pair sd {:.2f} %", effects.size(),
                                     kLeastAaRuns, 100 * outcome.estimate, 100 * outcome.pair_sd));
      history_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    for (const AaEffect& effect : effects) {
      runs.push_back(aa_run_of(effect, arms()));
      result_.aa.push_back(effect);
    }
    return true;
  }

  // Shortest of a few requests of a guard on the baseline, ns.
  std::int64_t guard_request_ns(const Workload& guard) const {
    Arm arm(ArmRole::kBaseline, input_.worker, load_with(input_, input_.subject.baseline));
    const WorkRequest request = workload_request(guard, memory_.model.vocab);
    std::int64_t shortest = arm.work(request).elapsed_ns;
    for (int i = 0; i < 4; ++i) shortest = std::min(shortest, arm.work(request).elapsed_ns);
    return shortest;
  }

  int arms() const { return arms_of(input_.options, input_.subject.device); }

  nlohmann::json workload_json(const Workload& workload, int repeats) const {
    return {{"describe", describe(workload)}, {"repeats", repeats}};
  }

  // The frozen plan of the attempt, or a new one that is frozen here.
  bool prepare_plan() {
    if (attempt_.plan) {
      result_.plan = attempt_.plan->at("plan").get<AbPlan>();
      result_.aa = attempt_.plan->at("aa").get<std::vector<AaEffect>>();
      return true;
    }
    AbPlan plan = make_plan(definition_.bar, input_.options.pairs_max,
                            definition_.guard_margin.value_or(definition_.bar), arms());
    const Workload& primary = definition_.workloads.front();
    if (!history_for(primary, plan.aa)) return false;
    plan.segment_s = input_.options.segment_s;
    plan.drop_rule = input_.options.drop_foreign ? drop_rule_words() : "none";
    plan.workload = workload_json(primary, segment_repeats(plan.segment_s, memory_.request_ns));
    const std::vector<GuardEffect> landed = definition_.guards.empty()
                                                ? std::vector<GuardEffect>()
                                                : landed_guards(input_.context.history);
    for (const Workload& guard : definition_.guards) {
      GuardPlan guard_plan;
      const std::string name = chain_name(describe(guard), definition_.scope.device);
      std::copy_if(landed.begin(), landed.end(), std::back_inserter(guard_plan.chain),
                   [&](const GuardEffect& effect) { return effect.workload == name; });
      if (!history_for(guard, guard_plan.aa)) return false;
      guard_plan.workload =
          workload_json(guard, segment_repeats(plan.segment_s, guard_request_ns(guard)));
      plan.guards.push_back(std::move(guard_plan));
    }
    input_.context.journal.append(input_.run, EventKind::kPlanFrozen,
                                  {{"plan", plan}, {"aa", result_.aa}});
    result_.plan = std::move(plan);
    return true;
  }

  TimedPart timed_part(const std::string& stage, const Workload& workload, int repeats,
                       Arm& planner_a, Arm& planner_b) const {
    TimedPart part;
    part.stage = stage;
    part.request = workload_request(workload, memory_.model.vocab);
    part.repeats = repeats;
    const auto digest = memory_.timed_digests.find(describe(workload));
    if (digest != memory_.timed_digests.end()) part.digest = digest->second;
    part.plan_a = planner_a.plan(part.request);
    part.plan_b = planner_b.plan(part.request);
    return part;
  }

  void prepare_setup() {
    setup_.worker = input_.worker;
    worker_stamp_ = stamp_of(input_.worker.path);
    setup_.load_a = load_with(input_, input_.subject.baseline);
    setup_.load_b = load_with(input_, input_.subject.candidate);
    setup_.environment = environment_;
    setup_.gpu = monitor_of(input_.subject.device);
    setup_.warm_up_s = input_.options.warm_up_s;
    setup_.clock_slack_s = input_.options.clock_slack_s;
    setup_.drop_foreign = result_.plan.drop_rule != "none";
    Arm planner_a(ArmRole::kReference, input_.worker, setup_.load_a);
    Arm planner_b(ArmRole::kReference, input_.worker, setup_.load_b);
    setup_.parts.push_back(timed_part("ab", definition_.workloads.front(),
                                      result_.plan.workload.at("repeats").get<int>(), planner_a,
                                      planner_b));
    for (std::size_t i = 0; i < definition_.guards.size(); ++i) {
      setup_.parts.push_back(timed_part(fmt::format("guard:{}", i), definition_.guards[i],
                                        result_.plan.guards[i].workload.at("repeats").get<int>(),
                                        planner_a, planner_b));
    }
  }

  int next_ordinal(const std::string& stage) const {
    return static_cast<int>(std::count_if(samples_.begin(), samples_.end(),
                                          [&](const PairSample& s) { return s.stage == stage; }));
  }

  // Runs, journals and only then reads one pair. False when the gate is over.
  bool one_pair() {
    const std::string stage = result_.judgement.next_stage;
    setup_.parts.front().stage = stage == "confirmation" ? stage : "ab";
    const int ordinal = next_ordinal(setup_.parts.front().stage);
    const std::string labels = coin_labels(definition_.slug, attempt_.opened.ordinal, input_.run,
                                           setup_.parts.front().stage, ordinal, result_.plan.arms);
    PairResult pair = run_launch_pair(setup_, labels);
    if (stamp_of(input_.worker.path) != worker_stamp_) {
      finish(AbStop::kError, "error",
             fmt::format("{} was changed while it was measured: the pair is not kept; build before "
                         "a run, not during it",
                         input_.worker.path));
      return false;
    }
    spent_ += pair.spent;
    if (!pair.faults.empty()) return segment_fault(pair.faults.front());
    segments_ += pair.segments;
    disagreements_ += pair.clock_disagreements;
    for (PairSample& sample : pair.samples) {
      sample.ordinal = next_ordinal(sample.stage);
      input_.context.journal.append(input_.run, EventKind::kSample, sample);
      if (!sample.dropped.empty()) {
        input_.context.say(fmt::format("  {} pair {} is dropped: {}", sample.stage,
                                       sample.ordinal + 1, sample.dropped));
      }
      samples_.push_back(std::move(sample));
    }
    return true;
  }

  // Asked after the judgement: pairs that complete a look are judged, whatever comes of the run.
  bool too_busy() {
    if (segments_ < 32 || 4 * disagreements_ <= segments_) return false;
    finish(AbStop::kInvalid, "invalid",
           fmt::format("in {} of {} segments the runner's clock saw over 2 % more than the "
                       "worker's: the machine is too busy to measure",
                       disagreements_, segments_));
    return true;
  }

  bool segment_fault(const PairFault& fault) {
    const bool candidate = fault.role == ArmRole::kCandidate && fault.reason != "clock";
    result_.gate.reason = candidate ? fault.reason : "";
    finish(candidate ? AbStop::kRed : AbStop::kError, candidate ? "red" : "error", fault.sentence);
    return false;
  }

  // Judges what is there, journals each look that is new, and says it.
  void judge_now() {
    result_.judgement = judge(result_.plan, launch_pairs(samples_));
    result_.looked = result_.judgement.looked;
    result_.effect = effect_json(result_.judgement);
    for (std::size_t i = std::max(judged_, attempt_.looks.size());
         i < result_.judgement.looks.size(); ++i) {
      const LookRow& row = result_.judgement.looks[i];
      input_.context.journal.append(input_.run, EventKind::kLook, Look{row.stage, row.pairs, row});
      input_.context.say(fmt::format("  {} {} pairs: {:+.2f} % [{:+.2f}, {:+.2f}]  {}", row.stage,
                                     row.pairs, 100 * row.estimate, 100 * row.low, 100 * row.high,
                                     row.says));
    }
    judged_ = result_.judgement.looks.size();
    say_set_aside();
  }

  void say_set_aside() {
    if (result_.judgement.set_aside <= said_aside_) return;
    said_aside_ = result_.judgement.set_aside;
    if (result_.judgement.action == AbAction::kRevert) return;
    input_.context.say(fmt::format(
        "  the environment (build or machine) is another than that of the pairs so far: {} pairs "
        "are set aside, and a look crosses only where it does with them as well; one more change "
        "before the first look ends the attempt",
        said_aside_));
  }

  // Of what was judged; the verdict stands already.
  void add_tags() {
    const AbJudgement& judgement = result_.judgement;
    if (judgement.action == AbAction::kMorePairs) return;
    result_.gate.values.update(
        segment_tags(std::span(samples_).subspan(judgement.pooled_from, judgement.pooled)));
    if (judgement.action == AbAction::kLand) add_selection();
  }

  // How far the look that crossed lies too high, since only such looks cross: at the effect that
  // the fresh pairs of the confirmation found.
  void add_selection() {
    const std::vector<LookRow>& looks = result_.judgement.looks;
    const auto crossed = std::find_if(looks.rbegin(), looks.rend(),
                                      [](const LookRow& row) { return row.stage == "ab"; });
    if (crossed == looks.rend() || crossed->pair_sd <= 0) return;
    result_.gate.values["selection"] =
        selection_inflation(result_.plan, crossed->pair_sd, looks.back().estimate);
  }

  void fill_values() {
    result_.gate.values["judgement"] = result_.judgement;
    result_.gate.values["spent"] = to_json_value(spent_, history_s_);
    add_tags();
    if (setup_.parts.empty()) return;
    const nlohmann::json medians =
        medians_json(samples_, definition_.workloads.front(), setup_.parts.front().repeats);
    if (medians.is_null()) return;
    result_.gate.values.update(medians);
    result_.gate.values.update({{"clock_disagreements", disagreements_}, {"segments", segments_}});
  }

  const GateInput& input_;
  const GateMemory& memory_;
  const AttemptView& attempt_;
  std::vector<PairSample> samples_;
  const Definition& definition_;
  std::string environment_;
  PairSetup setup_;
  AbResult result_;
  std::pair<std::uintmax_t, std::filesystem::file_time_type> worker_stamp_;
  TimeSpent spent_;       // of this run's pairs
  double history_s_ = 0;  // on missing A/A runs
  std::size_t judged_ = 0;
  int said_aside_ = 0;
  int segments_ = 0;
  int disagreements_ = 0;
};

}  // namespace

LaunchPair launch_pair_of(const PairSample& sample) {
  return {sample.stage, sample.labels, sample.worker_ns, sample.environment,
          !sample.dropped.empty()};
}

std::vector<LaunchPair> launch_pairs(const std::vector<PairSample>& samples) {
  std::vector<LaunchPair> pairs;
  pairs.reserve(samples.size());
  for (const PairSample& sample : samples) pairs.push_back(launch_pair_of(sample));
  return pairs;
}

AbResult gate_ab(const GateInput& input, const GateMemory& memory, const AttemptView& attempt) {
  return AbRunner(input, memory, attempt).run();
}

}  // namespace assay
