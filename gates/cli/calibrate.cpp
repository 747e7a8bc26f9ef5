// assay calibrate: the in-service engine against itself, judged exactly as an A/B would be.
//
// Each run is stored and widens the standard error of later verdicts on the same machine, model and
// workload; none may be left out. What it prints answers three questions: how noisy is a pair, how
// often does the 95 % interval exclude a zero that is true, and would any of it have landed?
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <memory>

#include "engine/core/device.h"
#include "engine/core/error.h"
#include "engine/core/or_null.h"
#include "gates/cli/aa_summary.h"
#include "gates/cli/calibration_history.h"
#include "gates/cli/command.h"
#include "gates/cli/engine_session.h"
#include "gates/cli/noise_components.h"
#include "gates/cli/number_check.h"
#include "gates/cli/percent.h"
#include "gates/cli/planted_effect.h"
#include "gates/cli/workspace.h"
#include "gates/judged_device.h"
#include "gates/subject.h"
#include "recorder/calibration_form.h"

namespace assay {
namespace {

struct Options {
  std::string for_id;
  Workload workload{
      .model = "embedded", .phase = "decode", .tokens = 128, .depth = 128, .steps = 32};
  bool workload_given = false;
  bool show = false;
  bool measuring_given = false;  // an option that says how to measure
  int runs = 1;
  int pairs = 8;
  std::string bar;
  std::string backend = "cpu";
  std::string planted, control;
  int arms = 0;                           // 0: of a planted run on a GPU 3, else 2
  std::string prefill_flag, decode_flag;  // one of each phase's own flags that was given
};

// "5%", "5 %", "0.05" -> 0.05
double parse_bar(const std::string& text) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  std::string rest = text.substr(used);
  while (rest.starts_with(' ')) rest.erase(0, 1);
  if (rest == "%") value /= 100;
  if (used == 0 || (!rest.empty() && rest != "%") || !(value >= 0 && value < 1)) {
    throw Error(ErrorKind::kUsage,
                "calibrate: --bar " + text +
                    ": write a share of the time from 0% to below 100%, as 5% or 0.05");
  }
  return value;
}

nlohmann::json run_json(const CalibrateOutcome& outcome) {
  return {{"id", outcome.effect.id},
          {"key", outcome.effect.key},
          {"estimate", outcome.estimate},
          {"interval", {outcome.low, outcome.high}},
          {"pair_sd", outcome.pair_sd},
          {"pairs", outcome.effect.pair_values.size()},
          {"excludes_zero", outcome.excludes_zero},
          {"would_land", outcome.would_land}};
}

std::string run_line(int index, const CalibrateOutcome& outcome) {
  return fmt::format("run {:>2}  {:>9}  {:>9} to {:>9}  pair sd {:>7}  {}{}", index,
                     signed_percent(outcome.estimate), signed_percent(outcome.low),
                     signed_percent(outcome.high), plain_percent(outcome.pair_sd),
                     outcome.excludes_zero ? "excludes zero" : "holds zero",
                     outcome.would_land ? ", WOULD HAVE LANDED" : "");
}

CalibrateOutcome run_once(const CalibrateOptions& options, double bar, Workspace& workspace,
                          const CommonOptions& common) {
  try {
    return calibrate(options, bar, workspace.context(common));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kEnvironment) throw;
    WorkerClient worker({.path = common.worker});
    const Workload& workload = options.workload;
    refuse_bad_load_without_gpu({.model = model_path(workload.model, workspace.root()),
                                 .backend = std::string(to_string(backend_of_key(options.device))),
                                 .threads = workload.threads},
                                workspace.root() + "/experiments/" + options.service,
                                value_or_throw(worker.hello()), worker);
    throw;
  }
}

// `count` runs, each said as it ends, and what they have in common.
int measure(CalibrateOptions calibration, int count, double bar, Workspace& workspace,
            const CommonOptions& common) {
  std::ostream& people = common.json ? std::cerr : std::cout;
  calibration.begins = [&] {
    people << fmt::format("in-service against itself: {}, {} pairs a run, bar {}\n",
                          describe(calibration.workload), calibration.pairs, plain_percent(bar))
           << std::flush;
  };
  nlohmann::json runs = nlohmann::json::array();
  AaSummary summary;
  int landing = 0;
  std::vector<std::string> ids;
  for (int i = 1; i <= count; ++i) {
    const CalibrateOutcome outcome = run_once(calibration, bar, workspace, common);
    calibration.begins = nullptr;
    write_calibrations(workspace.store(), workspace.root());
    summary.add(outcome.estimate, outcome.pair_sd, outcome.excludes_zero);
    landing += outcome.would_land ? 1 : 0;
    ids.push_back(outcome.effect.id);
    runs.push_back(run_json(outcome));
    people << run_line(i, outcome) << std::endl;
  }
  people << summary.text() << fmt::format("; {} would have landed\n", landing);
  const std::optional<VarianceComponents> noise = noise_components(workspace.store(), ids);
  if (noise) people << noise_line(*noise) << std::flush;
  if (common.json) {
    std::cout << nlohmann::json{{"workload", describe(calibration.workload)},
                                {"bar", bar},
                                {"runs", runs},
                                {"pair_sd", summary.pair_sd()},
                                {"rms_effect", summary.rms_effect()},
                                {"components", or_null(noise)},
                                {"excluding_zero", summary.excluding},
                                {"would_land", landing}}
                     .dump(2)
              << std::endl;
  }
  return 0;
}

int show(const Options& options, const CommonOptions& common) {
  if (options.measuring_given) {
    throw Error(ErrorKind::kUsage,
                "calibrate: --show measures nothing and shows every device; leave out --runs, "
                "--pairs, --bar, --backend and --planted");
  }
  ShownHistory shown{options.for_id, std::nullopt};
  if (options.workload_given) shown.workload = options.workload;
  return show_calibrations(shown, common);
}

int act(const Options& options, const CommonOptions& common) {
  if (!options.for_id.empty() && options.workload_given) {
    throw Error(ErrorKind::kUsage,
                "calibrate: --for takes the experiment's own workload; leave out --model, "
                "--phase, --tokens, --depth, --steps, --threads and --backend");
  }
  const std::string& phase = options.workload.phase;
  const std::string& wrong = phase == "decode" ? options.prefill_flag : options.decode_flag;
  if (!wrong.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("calibrate: {} says nothing to --phase {}: leave it out", wrong, phase));
  }
  if (options.show) return show(options, common);
  if (options.planted.empty() && (!options.control.empty() || options.arms != 0)) {
    throw Error(ErrorKind::kUsage,
                "calibrate: --control and --arms belong to --planted: leave them out, an A/A run "
                "has two processes of what is in service");
  }
  if (!options.planted.empty() && !options.bar.empty()) {
    throw Error(ErrorKind::kUsage,
                "calibrate: --planted measures an effect and judges none: leave out --bar");
  }
  double bar = options.bar.empty() ? 0.05 : parse_bar(options.bar);
  Workspace workspace(common, Access::kWrite);
  if (!parse_backend(options.backend)) {
    throw Error(ErrorKind::kUsage,
                "calibrate: --backend " + options.backend + ": no such backend: write cpu or cuda");
  }
  CalibrateOptions calibration;
  calibration.workload = options.workload;
  calibration.device = options.backend;  // the plain key of its family
  calibration.pairs = options.pairs;
  if (!options.for_id.empty()) {
    const ExperimentLabel label = workspace.experiment(options.for_id);
    const Definition definition = workspace.frozen(label, workspace.view(label));
    calibration.workload = definition.workloads.front();
    calibration.service = definition.service;
    calibration.device = definition.scope.device;
    if (options.bar.empty()) bar = definition.bar;
  }
  if (options.planted.empty()) {
    return measure(calibration, options.runs, bar, workspace, common);
  }
  const bool on_gpu = backend_of_key(calibration.device) == BackendKind::kCuda;
  calibration.planted = options.planted;
  calibration.control = options.control;
  calibration.arms = options.arms != 0 ? options.arms : on_gpu ? 3 : 2;
  return measure_planted(calibration, options.runs, workspace, common);
}

}  // namespace

Action define_calibrate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--for", options->for_id, "the primary workload and bar of this experiment")
      ->type_name("ID");
  Workload& workload = options->workload;
  const std::vector<CLI::Option*> own = {
      app.add_option("--model", workload.model,
                     "embedded, synth:SHAPE-QUANT, or a GGUF file (from the workspace)")
          ->type_name("MODEL"),
      app.add_option("--phase", workload.phase, "prefill or decode (default)")
          ->check(CLI::IsMember({"prefill", "decode"})),
      app.add_option("--tokens", workload.tokens, "prefill: rows of the prompt (default 128)")
          ->type_name("N")
          ->transform(whole_number(1, kMostPositions)),
      app.add_option("--depth", workload.depth, "decode: positions before it (default 128)")
          ->type_name("N")
          ->transform(whole_number(0, kMostPositions)),
      app.add_option("--steps", workload.steps, "decode: tokens per segment (default 32)")
          ->type_name("N")
          ->transform(whole_number(1, 4096)),
      app.add_option("--threads", workload.threads, "threads (default: one per core)")
          ->type_name("N")
          ->transform(whole_number(0, kMostThreads)),
      app.add_option("--backend", options->backend, "cpu (default) or cuda")->type_name("B")};
  app.add_flag("--show", options->show,
               "measure nothing: the history that is on record, of --for, of the workload given, "
               "or all");
  const std::vector<CLI::Option*> measuring = {
      own.back(),
      app.add_option("--runs", options->runs,
                     "how many runs (default 1; a verdict wants 6 or more)")
          ->type_name("N")
          ->transform(whole_number(1, 1000)),
      app.add_option("--pairs", options->pairs, "launch pairs in a run (default 8)")
          ->type_name("N")
          ->transform(whole_number(2, 96)),
      app.add_option("--bar", options->bar, "would it have landed at this bar? (default 5%)")
          ->type_name("P"),
      app.add_option("--planted", options->planted,
                     "this planted variant in one arm: what does the A/B say of a known cost?")
          ->type_name("VARIANT"),
      app.add_option("--control", options->control,
                     "with --planted: the planted variant that the other arm runs (default: in "
                     "service)")
          ->type_name("VARIANT"),
      app.add_option("--arms", options->arms,
                     "with --planted: processes a pair, 2 or 3 (default: 3 on a GPU)")
          ->type_name("N")
          ->transform(whole_number(2, 3))};
  return [options, own, measuring](const CommonOptions& common) {
    for (const CLI::Option* option : own) {
      if (option->count() == 0) continue;
      options->workload_given = true;
      const std::string flag = option->get_name();
      if (flag == "--tokens") options->prefill_flag = flag;
      if (flag == "--depth" || flag == "--steps") options->decode_flag = flag;
    }
    for (const CLI::Option* option : measuring) options->measuring_given |= option->count() > 0;
    return act(*options, common);
  };
}

}  // namespace assay
