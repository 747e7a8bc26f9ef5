// Each run prints its estimate, and with three arms what its two baselines have between them. What
// is true is not known here: whoever planted the effect compares (scripts/gpu/planted_effects.py).
#include "gates/cli/planted_effect.h"

#include <fmt/format.h>

#include <iostream>

#include "gates/cli/aa_summary.h"
#include "gates/cli/calibration_history.h"
#include "gates/cli/percent.h"
#include "gates/statistics/look.h"
#include "gates/subject.h"
#include "recorder/calibration_form.h"

namespace assay {
namespace {

nlohmann::json pair_json(const PairSample& sample) {
  nlohmann::json pair = {{"labels", sample.labels},
                         {"ns", sample.worker_ns},
                         {"requests", sample.telemetry.at("requests")}};
  const auto segments = sample.telemetry.find("segments");
  if (segments != sample.telemetry.end()) {
    pair["cycles"] = segments->at("cycles");
    pair["device_ns"] = segments->at("device_ns");
  }
  return pair;
}

nlohmann::json run_json(const CalibrateOptions& options, const CalibrateOutcome& outcome) {
  nlohmann::json pairs = nlohmann::json::array();
  for (const PairSample& sample : outcome.samples) pairs.push_back(pair_json(sample));
  return {{"workload", describe(options.workload)},
          {"planted", options.planted},
          {"control", options.control},
          {"arms", options.arms},
          {"id", outcome.effect.id},
          {"estimate", outcome.estimate},
          {"interval", {outcome.low, outcome.high}},
          {"pair_sd", outcome.pair_sd},
          {"twin_values", outcome.effect.pair_values},
          {"samples", pairs}};
}

std::string run_line(int index, const CalibrateOutcome& outcome) {
  std::string line = fmt::format("run {:>2}  {:>9}  {:>9} to {:>9}  pair sd {:>7}", index,
                                 signed_percent(outcome.estimate), signed_percent(outcome.low),
                                 signed_percent(outcome.high), plain_percent(outcome.pair_sd));
  if (outcome.effect.pair_values.size() > 1) {
    const LookRow twins = measure_row("aa", outcome.effect.pair_values, {}, 0, 0.05);
    line += fmt::format("  twins {:>9}{}", signed_percent(twins.estimate),
                        twins.low > 0 || twins.high < 0 ? ", excludes zero" : "");
  }
  return line;
}

}  // namespace

int measure_planted(CalibrateOptions options, int runs, Workspace& workspace,
                    const CommonOptions& common) {
  std::ostream& people = common.json ? std::cerr : std::cout;
  const std::string control = options.control.empty() ? "in service" : options.control;
  options.begins = [&] {
    people << fmt::format("{} against {}: {}, {} pairs a run, {} processes a pair\n",
                          options.planted, control, describe(options.workload), options.pairs,
                          options.arms)
           << std::flush;
  };
  AaSummary summary;
  for (int i = 1; i <= runs; ++i) {
    const CalibrateOutcome outcome = calibrate(options, 0, workspace.context(common));
    options.begins = nullptr;
    write_calibrations(workspace.store(), workspace.root());
    summary.add(outcome.estimate, outcome.pair_sd, outcome.excludes_zero);
    if (common.json) std::cout << run_json(options, outcome).dump() << std::endl;
    people << run_line(i, outcome) << std::endl;
  }
  people << summary.text() << std::endl;
  return 0;
}

}  // namespace assay
