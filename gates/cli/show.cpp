// assay show ID: the record's text for a terminal, or its JSON; its values by name (--values), or
// one of its stored sources (--source). A historical entry has a text and a JSON.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/core/error.h"
#include "engine/core/json_output.h"
#include "gates/cli/command.h"
#include "gates/cli/told_historical.h"
#include "gates/cli/workspace.h"
#include "recorder/document.h"
#include "recorder/historical_document.h"
#include "recorder/record_parts.h"
#include "recorder/record_values.h"
#include "recorder/text_form.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

struct Options {
  std::string id;
  bool values = false;
  std::string source;
  const CLI::Option* source_given = nullptr;
};

std::string values_text(const std::vector<RecordValue>& values, bool json) {
  if (json) {
    nlohmann::json array = nlohmann::json::array();
    for (const RecordValue& value : values) {
      array.push_back({{"name", value.name},
                       {"text", value.text},
                       {"number", value.number ? nlohmann::json(*value.number) : nlohmann::json()},
                       {"unit", value.unit}});
    }
    return json_output(array) + "\n";
  }
  std::size_t width = 0;
  for (const RecordValue& value : values) width = std::max(width, value.name.size());
  std::string out;
  for (const RecordValue& value : values) {
    out += fmt::format("{:<{}}  {}\n", visible_line(value.name), width, value.text);
  }
  return out.empty() ? "no values: no attempt was made\n" : out;
}

// By a path, or the beginning of a SHA-256, of any attempt.
std::string source_text(const Workspace& workspace, const ExperimentLabel& label,
                        const std::string& wanted) {
  std::set<std::string> found;
  for (const AttemptView& attempt : workspace.view(label).attempts) {
    for (const auto& [path, sha256] : attempt.opened.sources) {
      if (path == wanted || (wanted.size() >= 8 && sha256.starts_with(wanted)))
        found.insert(sha256);
    }
  }
  if (found.size() != 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("show: --source {}: {} of {} {}; the record lists them with their "
                            "SHA-256, of which 8 digits or more will do",
                            wanted, found.empty() ? "no stored source" : "several texts",
                            label.slug, found.empty() ? "is called so" : "were stored under it"));
  }
  const auto text = workspace.store().blob(*found.begin());
  if (!text) {
    throw Error(ErrorKind::kCheckFound,
                fmt::format("show: --source {}: its text is not stored", wanted));
  }
  return *text;
}

int show_historical(const std::string& id, const Workspace& workspace,
                    const CommonOptions& common) {
  const HistoricalEntries historical = told_historical(workspace.root());
  const HistoricalEntry* entry = find_historical(historical.entries, id);
  if (entry == nullptr) {
    throw Error(ErrorKind::kUsage, fmt::format("no historical entry {}: `assay query --text hist-` "
                                               "lists those there are",
                                               id));
  }
  if (common.json) {
    std::cout << json_output(historical_json(*entry)) << std::endl;
  } else {
    std::cout << render_historical_terminal(*entry, isatty(STDOUT_FILENO) == 1) << std::flush;
  }
  if (!historical.faults.empty()) return static_cast<int>(ErrorKind::kCheckFound);
  return workspace.exit_code();
}

// A terminal gets JSON in which nothing acts; a file or a pipe the bytes of the record.
std::string record_text(const Workspace& workspace, const ExperimentLabel& label) {
  std::string text = export_experiment(workspace.store(), label);
  if (isatty(STDOUT_FILENO) != 1) return text;
  return json_output(nlohmann::json::parse(text)) + "\n";
}

int act(const Options& options, const CommonOptions& common) {
  if (options.source_given->count() > 0 && options.source.empty()) {
    throw Error(ErrorKind::kUsage,
                "show: --source is empty; give a path or a SHA-256, or leave it out");
  }
  if (options.values && !options.source.empty()) {
    throw Error(ErrorKind::kUsage,
                "show: --values and --source are two questions: ask one of them");
  }
  Workspace workspace(common, Access::kRead);
  if (options.id.starts_with("hist-") && !workspace.store().find(options.id)) {
    if (options.values || !options.source.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("show: {} is from elsewhere: it has no values and no stored sources",
                              visible_line(options.id)));
    }
    return show_historical(options.id, workspace, common);
  }
  const ExperimentLabel label = workspace.experiment(options.id);
  if (options.values) {
    const RecordParts parts = gather(workspace.store(), label, workspace.root(), true);
    std::cout << values_text(record_values(parts.view, parts.definition), common.json)
              << std::flush;
  } else if (!options.source.empty()) {
    // A terminal gets text in which nothing acts; a file or a pipe the bytes.
    const std::string text = source_text(workspace, label, options.source);
    std::cout << (isatty(STDOUT_FILENO) == 1 ? visible(text) : text) << std::flush;
  } else {
    std::cout << (common.json ? record_text(workspace, label)
                              : render_terminal(workspace.store(), label, workspace.root(),
                                                isatty(STDOUT_FILENO) == 1))
              << std::flush;
  }
  return workspace.exit_code();
}

}  // namespace

Action define_show(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id,
                 "the experiment's slug or number, or a historical entry such as hist-60")
      ->required();
  app.add_flag("--values", options->values, "the values that notes may use by name");
  options->source_given =
      app.add_option("--source", options->source, "a stored source, as bytes: its path or SHA-256");
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
