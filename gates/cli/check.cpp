// assay check: everything that can be derived again is, and every difference is a line.
//
// Three parts: files (generated documents and committed JSON against the database, service maps
// against the LANDs, numbers in notes against the values), chain (the database's own integrity and
// the seals of all runs), verdicts (recomputed from raw samples, and whether a LAND may touch its
// row).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "experiments/law_state.h"
#include "gates/cli/command.h"
#include "gates/cli/counted.h"
#include "gates/cli/import_plan.h"
#include "gates/cli/workspace.h"
#include "gates/history_faults.h"
#include "gates/served_rows.h"
#include "recorder/document.h"
#include "recorder/notes_check.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

struct Options {
  bool files = false, chain = false, verdicts = false;
};

struct Findings {
  std::vector<std::string> lines;
  // One fault may be met on several ways.
  void add(const std::string& line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  void add(const std::vector<std::string>& more) {
    for (const std::string& line : more) add(line);
  }
};

// "files, chain and verdicts agree"
std::string agreement(const Options& options) {
  std::vector<std::string> parts;
  if (options.files) parts.emplace_back("files");
  if (options.chain) parts.emplace_back("chain");
  if (options.verdicts) parts.emplace_back("verdicts");
  const std::string last = parts.back();
  parts.pop_back();
  if (parts.empty()) return last + (last == "chain" ? " agrees" : " agree");
  return fmt::format("{} and {} agree", fmt::join(parts, ", "), last);
}

// Of a history that is not whole the LAND that has a row may be missing.
std::vector<std::string> check_maps(const Workspace& workspace,
                                    const std::vector<ExperimentView>& views) {
  const auto text = [&](const std::string& path) { return text_of(workspace.root(), path); };
  std::vector<std::string> maps;
  for (const char* path : kServiceMaps) {
    if (std::filesystem::exists(workspace.root() + "/" + path)) maps.emplace_back(path);
  }
  const bool whole = workspace.findings().empty();
  return check_served_rows(whole ? views : std::vector<ExperimentView>(), maps, text);
}

int act(Options options, const CommonOptions& common) {
  if (!options.files && !options.chain && !options.verdicts) options = {true, true, true};
  Workspace workspace(common, Access::kCheck);
  const Store& store = workspace.store();
  Findings findings;
  if (options.files) {
    findings.add(check_files(store, workspace.root(), workspace.findings()));
  } else {
    for (const auto& finding : workspace.findings()) findings.add(finding.text);
  }
  if (options.chain) findings.add(store.integrity());
  const std::vector<ExperimentLabel> labels = store.experiments();
  std::vector<ExperimentView> views;
  std::size_t runs = 0;
  std::size_t verdicts = 0;
  for (const ExperimentLabel& label : labels) {
    ExperimentView view;
    try {
      view = workspace.view(label);
    } catch (const Error& error) {
      findings.add(std::string(error.what()));
      continue;
    }
    views.push_back(view);
    runs += view.runs.size();
    for (const AttemptView& attempt : view.attempts) verdicts += attempt.verdict.has_value();
    if (!options.verdicts) continue;
    for (const std::string& line : history_faults(store.events(label.slug))) {
      findings.add(record_stem(label) + ": " + line);
    }
  }
  if (options.files) findings.add(check_maps(workspace, views));
  if (options.files) findings.add(check_notes(store, workspace.root()));
  // Of a history that is not whole the evidence may be missing.
  if (options.files && workspace.findings().empty()) {
    findings.add(law_faults(workspace.root(), store));
  }
  const std::string counts = fmt::format("{}, {}, {}", counted(labels.size(), "experiment"),
                                         counted(runs, "run"), counted(verdicts, "verdict"));
  if (common.json) {
    std::cout << nlohmann::json{{"experiments", labels.size()},
                                {"runs", runs},
                                {"verdicts", verdicts},
                                {"findings", findings.lines}}
                     .dump(2)
              << std::endl;
  } else if (findings.lines.empty()) {
    std::cout << fmt::format("check: {}: {}\n", counts, agreement(options));
  } else {
    for (const std::string& line : findings.lines) std::cout << line << "\n";
    std::cout << fmt::format("check: {}: {}\n", counts, counted(findings.lines.size(), "finding"));
  }
  return findings.lines.empty() ? 0 : static_cast<int>(ErrorKind::kCheckFound);
}

}  // namespace

Action define_check(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_flag("--files", options->files,
               "only generated files, committed records and service maps");
  app.add_flag("--chain", options->chain, "only the database and the seals of its runs");
  app.add_flag("--verdicts", options->verdicts, "only verdicts, recomputed from raw samples");
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
