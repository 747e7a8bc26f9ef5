// Running an experiment: the gates in their fixed order, the verdict, all of it journaled.
//
//   preflight -> baseline -> identity -> parity -> margin -> ab
//
// A function of the definition, history, and what the workers reply. It writes to the Journal only;
// the caller renders records, and applies a LAND's intent with gates/landing.h.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "experiments/definition.h"
#include "experiments/record/history.h"
#include "experiments/record/journal.h"
#include "gates/process/worker_client.h"

namespace assay {

struct RunOptions {
  std::string until;     // a gate before ab: stop after it; uses no attempt
  bool premise = false;  // same bits as in service on generated, outlier, poisoned data only
  std::map<std::string, std::string> candidate;  // overrides the definition's, same lever
  std::optional<double> time_limit_s;            // of the whole run, gates included
  double segment_s = 0.15;                       // aimed length of a segment on a CPU
  int pairs_max = 16;                            // n_max; frozen with the first sample
  int arms = 0;  // 2 or 3, frozen with the first sample; 0: three on a GPU, two on a CPU
  double stall_limit_s = 20;
  double warm_up_s = 0.3;           // per arm, before anything of it is timed
  double baseline_measure_s = 0.6;  // the baseline gate's median is taken over this long
  double settle_s = 2;              // its wait before it measures again
  double clock_slack_s = 1e-3;      // per request: what two clocks may differ by, beside 2 %
  bool drop_foreign = true;         // pairs beside foreign work are dropped; frozen with the plan
};

// What the runner needs from outside.
struct RunContext {
  const History& history;
  Journal& journal;
  std::string workspace;  // folder with experiments/ and results/
  std::string worker_path;
  std::string argv;
  // Called with one line for people as things happen ("identity  green  ...").
  std::function<void(const std::string&)> say;
  // True once the command is asked to end: workers are killed where they are, what was recorded is
  // kept, and the run stays resumable (exit 12).
  std::function<bool()> stop = [] { return false; };
};

struct RunOutcome {
  int exit_code = 0;
  std::string outcome;  // RunEnded::outcome
  std::string message;  // one or a few lines for people
  std::string run;      // the run's id; empty when refused before one was opened
};

// `definition` is the frozen one (parsed from the proposal's text).
RunOutcome run_experiment(const Definition& definition, const RunOptions& options,
                          const RunContext& context);

// The checks of `propose`: what can be said before anything is measured, as lines for people and as
// JSON to be stored. Throws Error(kUsage) where propose must refuse.
struct ProposalCheck {
  std::vector<std::string> lines;
  nlohmann::json stored;
};
ProposalCheck check_proposal(const Definition& definition, const RunContext& context);

// One A/A run on a workload (in-service on both arms, judged as an A/B), journaled as kCalibrated.
//
// With `planted`, the candidate arm runs a variant whose cost is known by construction
// (kernels/planted), so that the instrument itself can be measured: what it says against what is
// true. Only the contrast of its two baselines, of three arms, joins the A/A history.
struct CalibrateOptions {
  Workload workload;
  std::string service = "in_service.yaml";
  std::string device;  // key of the map whose family is measured; empty: the CPU's
  int pairs = 8;
  double segment_s = 0.15;
  double warm_up_s = 0.3;      // per arm and pair
  bool device_locked = false;  // the caller holds the lock of a GPU
  int arms = 2;                // of a pair; 3: the baseline runs twice. Of A/A runs, 2
  std::string planted;         // a planted variant in the candidate arm; empty: an A/A run
  std::string control;  // a planted variant of the same op in the baseline; empty: in service
  std::function<void()> begins =
      {};  // called once all was found to be as asked, before it measures
};
struct CalibrateOutcome {
  AaEffect effect;  // of the baseline against itself; without values in a planted run of two arms
  std::vector<PairSample> samples;
  double pair_sd = 0;  // fractions
  double estimate = 0;
  double low = 0, high = 0;  // 95 % interval by s alone
  bool excludes_zero = false;
  bool would_land = false;  // at the given bar
};
CalibrateOutcome calibrate(const CalibrateOptions& options, double bar, const RunContext& context);

// Verdict of an attempt computed again from what is stored; lines that say where it differs.
std::vector<std::string> recheck_verdicts(const ExperimentView& view);

}  // namespace assay
