// assay import FILE: takes in what `assay export` wrote in another workspace.
//
// The archive is read and judged before the workspace is opened, and joined with it by
// import_steps.h: all of it or nothing. Import twice is import once.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "gates/cli/command.h"
#include "gates/cli/file_text.h"
#include "gates/cli/import_steps.h"
#include "gates/cli/text_check.h"
#include "gates/cli/workspace.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  const std::size_t line = what.find('\n');
  std::string rest = line == std::string::npos ? "" : what.substr(line);  // a diff, a caret
  while (rest.ends_with('\n')) rest.pop_back();
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: {}; nothing was changed{}", file, what.substr(0, line), rest));
}

std::string read_archive_bytes(const std::string& file) {
  std::error_code unknown;  // read_text_file says why
  const auto size = std::filesystem::file_size(file, unknown);
  if (!unknown && size > kLargestArchive) {
    refuse(file, fmt::format("has {} bytes, and an archive has {} at most", size, kLargestArchive));
  }
  return read_text_file(file);
}

void say(const TakenIn& taken) {
  for (const MergedExperiment& experiment : taken.history.experiments) {
    const std::size_t runs = experiment.runs.size();
    if (runs == 0 && experiment.sources > 0) {
      std::cout << fmt::format("{:04} {}: {} source{} that its record lacked\n",
                               experiment.label.number, experiment.label.slug, experiment.sources,
                               experiment.sources == 1 ? "" : "s");
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

int act(const std::string& file, const CommonOptions& common) {
  refuse_name_not_utf8("import: FILE", file);
  const std::string bytes = read_archive_bytes(file);
  ArchivedHistory history;
  try {
    history = read_history(unpack_archive(bytes));
  } catch (const Error& error) {
    refuse(file, error.what());
  }
  Workspace workspace(common, Access::kWrite);
  TakenIn taken;
  try {
    taken = take_in(workspace.store(), workspace.root(), history, sha256_hex(bytes),
                    {.command = "import", .argv = common.argv, .provenance = light_provenance()});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kCheckFound) throw;
    refuse(file, error.what());
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
  if (common.json) {
    std::cout << summary(taken).dump(2) << std::endl;
    return 0;
  }
  if (!taken.anything) std::cout << "all of it is here already; nothing changed\n";
  say(taken);
  return 0;
}

}  // namespace

Action define_import(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  app.add_option("FILE", *file, "an archive of `assay export`")->required();
  return [file](const CommonOptions& common) { return act(*file, common); };
}

}  // namespace assay
