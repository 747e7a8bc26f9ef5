// assay check: everything that can be derived again is, and every difference is a line.
//
// Three parts: files (generated documents and committed JSON against the database), chain (the
// database's own integrity and the seals of all runs), verdicts (recomputed from raw samples).
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "gates/cli/command.h"
#include "gates/cli/workspace.h"
#include "recorder/document.h"
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
    runs += view.runs.size();
    for (const AttemptView& attempt : view.attempts) verdicts += attempt.verdict.has_value();
    if (!options.verdicts) continue;
    for (const std::string& line : recheck_verdicts(view)) {
      findings.add(record_stem(label) + ": " + line);
    }
  }
  const std::string counts =
      fmt::format("{} experiments, {} runs, {} verdicts", labels.size(), runs, verdicts);
  if (common.json) {
    std::cout << nlohmann::json{{"experiments", labels.size()},
                                {"runs", runs},
                                {"verdicts", verdicts},
                                {"findings", findings.lines}}
                     .dump(2)
              << std::endl;
  } else if (findings.lines.empty()) {
    std::cout << fmt::format("check: {}:{}{}{} agree\n", counts, options.files ? " files" : "",
                             options.chain ? " chain" : "", options.verdicts ? " verdicts" : "");
  } else {
    for (const std::string& line : findings.lines) std::cout << line << "\n";
    std::cout << fmt::format("check: {}: {} finding{}\n", counts, findings.lines.size(),
                             findings.lines.size() == 1 ? "" : "s");
  }
  return findings.lines.empty() ? 0 : static_cast<int>(ErrorKind::kCheckFound);
}

}  // namespace

Action define_check(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_flag("--files", options->files, "only generated files and committed records");
  app.add_flag("--chain", options->chain, "only the database and the seals of its runs");
  app.add_flag("--verdicts", options->verdicts, "only verdicts, recomputed from raw samples");
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
