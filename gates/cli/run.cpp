// assay run ID: the gates in their order, then the LAND's file change, the record and the index.
//
// The definition is the frozen one, never the file's present text. A verdict is committed by the
// runner before anything here touches in_service.yaml, so that a kill at any point leaves something
// that the next command can finish.
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "engine/core/json_output.h"
#include "gates/cli/child_process.h"
#include "gates/cli/command.h"
#include "gates/cli/number_check.h"
#include "gates/cli/program_path.h"
#include "gates/cli/verdict_block.h"
#include "gates/cli/workspace.h"

namespace assay {
namespace {

struct Options {
  std::string id, until;
  bool premise = false;
  bool build = false;
  std::vector<std::string> candidates;
  double time_limit_s = 0, stall_limit_s = 0;
  int pairs = 0;  // 0: as usual
  int arms = 0;   // 0: as usual
  std::string drop_rule = "foreign";
};

std::atomic<bool> stop_asked{false};

// The first signal asks the runner to stop; a second one ends the program.
extern "C" void ask_to_stop(int signal) {
  stop_asked.store(true);
  std::signal(signal, SIG_DFL);
}

void build_worker(const CommonOptions& common) {
  const std::string folder = build_folder_of(common.worker);
  std::cerr << "assay: building the worker in " << folder << std::endl;
  const int status = run_child({"cmake", "--build", folder, "--target", "assay-worker"});
  if (status == 0) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("the worker does not build (cmake exit {}): mend what the compiler says "
                          "above, then run again",
                          status));
}

RunOptions runner_options(const Options& options) {
  RunOptions run;
  run.until = options.until;
  run.premise = options.premise;
  if (options.time_limit_s > 0) run.time_limit_s = options.time_limit_s;
  if (options.pairs > 0) run.pairs_max = options.pairs;
  run.arms = options.arms;
  if (options.stall_limit_s > 0) run.stall_limit_s = options.stall_limit_s;
  run.drop_foreign = options.drop_rule == "foreign";
  for (const std::string& id : options.candidates) {
    const std::size_t dot = id.find('.');
    if (dot == std::string::npos || dot == 0) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--candidate {}: not a variant's id (op.backend.mechanism[k=v]); "
                              "`assay levers` lists them",
                              id));
    }
    const auto [first, fresh] = run.candidate.emplace(id.substr(0, dot), id);
    if (fresh) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("--candidate {}: --candidate {} names a variant of {} already; an "
                            "attempt has one of each op",
                            id, first->second, first->first));
  }
  return run;
}

int act(const Options& options, const CommonOptions& common) {
  if (options.premise && !options.until.empty()) {
    throw Error(ErrorKind::kUsage,
                "run: --premise and --until are two different short runs: give one of them");
  }
  RunOptions run = runner_options(options);
  Workspace workspace(common, Access::kWrite);
  const ExperimentLabel label = workspace.experiment(options.id);
  const Definition definition = workspace.frozen(label, workspace.view(label));
  if (options.build) build_worker(common);

  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  RunContext context = workspace.context(common);
  context.stop = [] { return stop_asked.load(); };
  const RunOutcome outcome = run_experiment(definition, run, context);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);

  if (outcome.run.empty()) {  // no run was opened: a stored verdict, or a refusal
    const bool stored = outcome.exit_code == 0 || outcome.exit_code == 10;
    if (common.json) {
      std::cout << json_output(verdict_json(workspace.view(label), outcome, label.number, ""))
                << "\n";
    }
    (stored && !common.json ? std::cout : std::cerr)
        << (stored ? "" : "assay: ") << outcome.message << std::endl;
    return outcome.exit_code;
  }
  try {
    finish_landing(workspace, label.slug);
  } catch (const Error&) {
    workspace.publish(label);  // the verdict is on record even where its change must wait
    throw;
  }
  const std::string record = workspace.publish(label);
  const ExperimentView view = workspace.view(label);
  if (common.json) {
    std::cout << json_output(verdict_json(view, outcome, label.number, record)) << std::endl;
  } else {
    std::cout << verdict_block(view, outcome, label.number, record) << std::flush;
  }
  return outcome.exit_code;
}

}  // namespace

Action define_run(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "the experiment's slug or number")->required();
  app.add_option("--candidate", options->candidates,
                 "another variant of the same lever for this attempt (may be repeated)")
      ->type_name("VARIANT")
      ->expected(1)
      ->take_all();
  app.add_option("--until", options->until,
                 "stop after this gate (preflight, baseline, identity, parity, margin); uses no "
                 "attempt")
      ->type_name("GATE")
      ->check(CLI::IsMember({"preflight", "baseline", "identity", "parity", "margin"}));
  app.add_flag("--premise", options->premise,
               "only: same bits as in service on generated, outlier and poisoned data? Uses no "
               "attempt");
  app.add_flag("--build", options->build, "build the worker first");
  app.add_option(
         "--time-limit", options->time_limit_s,
         "stop after this many seconds, in whatever gate; what was recorded is kept, and the next "
         "run goes on")
      ->type_name("S")
      ->check(positive_number(1e6));
  app.add_option("--pairs", options->pairs,
                 "launch pairs of the last look (default 16; a multiple of 4 from 8 to 96), frozen "
                 "with the attempt's first sample")
      ->type_name("N")
      ->transform(whole_number(8, 96));
  app.add_option(
         "--arms", options->arms,
         "processes of a launch pair: 2, or 3 with the baseline twice (default: 3 on a GPU, "
         "2 on a CPU), frozen with the attempt's first sample")
      ->type_name("N")
      ->transform(whole_number(2, 3));
  app.add_option("--drop-rule", options->drop_rule,
                 "which pairs the statistics leave out: `foreign` (default), those beside which "
                 "another process stood in the way, or `none`; frozen with the first sample")
      ->type_name("RULE")
      ->check(CLI::IsMember({"foreign", "none"}));
  app.add_option("--stall-limit", options->stall_limit_s,
                 "a worker without progress for this many seconds hangs (default 20)")
      ->type_name("S")
      ->check(number_within(1, 1e6));
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
