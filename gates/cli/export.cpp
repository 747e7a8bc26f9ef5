// assay export FILE [ID...]: this workspace's history as one file, for `assay import` elsewhere.
//
// Only what has ended is in it: a run that goes on is left out and told, and the next export has
// it. The same history gives the same bytes.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/core/error.h"
#include "engine/core/new_file.h"
#include "engine/core/sha256.h"
#include "gates/cli/command.h"
#include "gates/cli/counted.h"
#include "gates/cli/number_check.h"
#include "gates/cli/text_check.h"
#include "gates/cli/workspace.h"
#include "recorder/archive_history.h"
#include "recorder/ghost_labels.h"
#include "recorder/record_parts.h"

namespace assay {
namespace {

constexpr int kMostNumber = 1'000'000;

struct Options {
  std::string file;
  std::vector<std::string> ids;
  int since = 1;
};

std::vector<ExperimentLabel> chosen(const Options& options, const Workspace& workspace) {
  const std::vector<ExperimentLabel> all = recorded_experiments(workspace.store());
  std::vector<ExperimentLabel> labels;
  for (const ExperimentLabel& label : all) {
    if (options.ids.empty() && label.number >= options.since) labels.push_back(label);
  }
  for (const std::string& id : options.ids) {
    const ExperimentLabel wanted = workspace.experiment(id);
    const auto same = [&](const ExperimentLabel& label) { return label.slug == wanted.slug; };
    if (std::none_of(all.begin(), all.end(), same)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("export: {} has no run that has ended yet", wanted.slug));
    }
    if (std::none_of(labels.begin(), labels.end(), same)) labels.push_back(wanted);
  }
  return labels;
}

struct Counts {
  std::size_t runs = 0, lands = 0, going = 0;
};

Counts count(const Store& store, const std::vector<ExperimentLabel>& labels) {
  Counts counts;
  for (const ExperimentLabel& label : labels) {
    for (const Store::StoredRun& run : store.runs(label.slug)) {
      ++(run.seal.empty() ? counts.going : counts.runs);
    }
    const ExperimentView view = fold(sealed_events(store, label.slug));
    counts.lands += view.state == ExperimentState::kLanded ? 1 : 0;
  }
  return counts;
}

int act(const Options& options, const CommonOptions& common) {
  if (!options.ids.empty() && options.since > 1) {
    throw Error(ErrorKind::kUsage,
                "export: --since and single experiments are two choices: give one of them");
  }
  refuse_name_not_utf8("export: FILE", options.file);
  if (options.file == "-") {
    throw Error(ErrorKind::kUsage,
                "export: FILE is -: an archive goes into a file, not to standard output; give its "
                "name (a file that is called - is ./-)");
  }
  const Workspace workspace(common, Access::kRead);
  if (!workspace.findings().empty()) {
    throw Error(ErrorKind::kCheckFound,
                "nothing was written: what is said above has to be mended first, since the history "
                "is not whole without it");
  }
  const Store& store = workspace.store();
  refuse_ghost_labels(store, workspace.database());
  const std::vector<ExperimentLabel> labels = chosen(options, workspace);
  const std::size_t effects = store.aa_effects().size();
  if (labels.empty() && effects == 0) {
    throw Error(ErrorKind::kUsage, "export: there is nothing to export yet; nothing was written");
  }
  if (labels.empty() && options.since > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("export: --since {}: no experiment with a run that has ended has this "
                            "number or a later one; nothing was written",
                            options.since));
  }
  const Counts counts = count(store, labels);
  const std::string bytes = pack_archive(history_files(store, workspace.root(), labels));
  NewFile file = NewFile::create(options.file, "archives");
  file.write_at(0, std::as_bytes(std::span(bytes)));
  file.keep();
  if (counts.going > 0) {
    std::cerr << fmt::format("assay: left out: {} not ended\n",
                             counted(counts.going, "run") + (counts.going == 1 ? " has" : " have"));
  }
  if (common.json) {
    std::cout << nlohmann::json{{"file", options.file},  {"sha256", sha256_hex(bytes)},
                                {"bytes", bytes.size()}, {"experiments", labels.size()},
                                {"runs", counts.runs},   {"lands", counts.lands},
                                {"aa_effects", effects}}
                     .dump(2)
              << std::endl;
    return 0;
  }
  std::cout << fmt::format("export: {}, {}, {}, {}\narchive {} ({} bytes, SHA-256 {})\n",
                           counted(labels.size(), "experiment"), counted(counts.runs, "run"),
                           counted(counts.lands, "LAND"), counted(effects, "A/A effect"),
                           options.file, bytes.size(), sha256_hex(bytes));
  return 0;
}

}  // namespace

Action define_export(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->file, "the archive; must not exist")->required();
  app.add_option("ID", options->ids, "only these experiments (default: all), by slug or number");
  app.add_option("--since", options->since, "only experiments from this number on")
      ->type_name("N")
      ->transform(whole_number(1, kMostNumber));
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
