#include "gates/cli/import_words.h"

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/json_output.h"
#include "gates/cli/tell.h"
#include "recorder/notes_check.h"

namespace assay {
namespace {

void say(const TakenIn& taken) {
  for (const MergedExperiment& experiment : taken.history.experiments) {
    const std::size_t runs = experiment.runs.size();
    if (runs == 0 && experiment.sources > 0) {
      std::cout << fmt::format("{:04} {}: {} source{} that its record lacked\n",
                               experiment.label.number, experiment.label.slug, experiment.sources,
                               experiment.sources == 1 ? "" : "s");
    }
    if (experiment.proposed_there) {
      std::cout << fmt::format(
          "{:04} {}: was proposed there, too, and not shared: what is here counts. That workspace "
          "cannot take this history in: over there begin a fresh one, such as a new clone of "
          "this\n",
          experiment.label.number, experiment.label.slug);
    }
    if (runs == 0) continue;
    std::cout << fmt::format("{:04} {}: {} run{}{}, {}\n", experiment.label.number,
                             experiment.label.slug, runs, runs == 1 ? "" : "s",
                             experiment.before.runs.empty() ? "" : " more",
                             to_string(experiment.after.state));
  }
  if (taken.history.effects > 0) {
    std::cout << fmt::format("{} A/A effect{}\n", taken.history.effects,
                             taken.history.effects == 1 ? "" : "s");
  }
  for (const std::string& line : taken.plan.map_changes) std::cout << line << "\n";
  for (const Intent& file : taken.plan.files) std::cout << "wrote   " << file.path << "\n";
  for (const std::string& path : taken.plan.map_differs) {
    std::cout << fmt::format(
        "{} differs from the archive's in rows that this import does not change; they stay as "
        "they are\n",
        path);
  }
  for (const std::string& slug : taken.plan.kept) {
    std::cout << fmt::format(
        "{0}: landed, and its row stays as it is, as was settled; `assay apply {0}` puts the "
        "landed "
        "row in\n",
        slug);
  }
}

nlohmann::json summary(const TakenIn& taken) {
  nlohmann::json experiments = nlohmann::json::array();
  for (const MergedExperiment& experiment : taken.history.experiments) {
    experiments.push_back({{"number", experiment.label.number},
                           {"slug", experiment.label.slug},
                           {"runs", experiment.runs.size()},
                           {"proposed_there", experiment.proposed_there},
                           {"state", to_string(experiment.after.state)}});
  }
  nlohmann::json files = nlohmann::json::array();
  for (const Intent& file : taken.plan.files) files.push_back(file.path);
  return {{"changed", taken.anything},
          {"experiments", std::move(experiments)},
          {"aa_effects", taken.history.effects},
          {"map_changes", taken.plan.map_changes},
          {"map_differs", taken.plan.map_differs},
          {"kept", taken.plan.kept},
          {"files", std::move(files)}};
}

// Notes came in as they were over there.
void tell_unfit_notes(const Workspace& workspace) {
  const std::vector<std::string> faults = unfit_in_notes(workspace.store(), workspace.root());
  for (const std::string& fault : faults) tell(fault);
  if (!faults.empty()) tell("`assay index` writes nothing before these notes are mended");
}

}  // namespace

[[noreturn]] void refuse_import(const std::string& file, const std::string& what) {
  const std::size_t line = what.find('\n');
  std::string rest = line == std::string::npos ? "" : what.substr(line);  // a diff, a caret
  while (rest.ends_with('\n')) rest.pop_back();
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: {}; nothing was changed{}", file, what.substr(0, line), rest));
}

void say_taken_in(const TakenIn& taken, bool json) {
  if (json) {
    std::cout << json_output(summary(taken)) << std::endl;
    return;
  }
  if (!taken.anything) std::cout << "all of it is here already; nothing changed\n";
  say(taken);
}

TakenIn take_in_and_finish(Workspace& workspace, const ArchivedHistory& history,
                           const std::string& file, const std::string& sha256,
                           const RunOpened& opened, const std::string& there) {
  TakenIn taken;
  try {
    taken = take_in(workspace.store(), workspace.root(), history, sha256, opened, there);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kCheckFound) throw;
    refuse_import(file, error.what());
  }
  if (const auto pending = pending_import(workspace.store())) {
    try {
      finish_import(*pending, workspace.store(), workspace.root());
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}: imported; its files follow with the next command, "
                                            "once this is mended: {}",
                                            file, error.what()));
    }
  }
  if (taken.anything) tell_unfit_notes(workspace);
  return taken;
}

}  // namespace assay
