// assay check: everything that can be derived again is, and every difference is a line.
//
// Three parts: files (generated documents and committed JSON against the database, service maps
// against the LANDs, numbers in notes against the values, definitions against what was frozen),
// chain (the database's own integrity and the seals of all runs), verdicts (recomputed from raw
// samples, and whether a LAND may touch its row).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/json_output.h"
#include "engine/core/printable.h"
#include "experiments/historical.h"
#include "experiments/law_state.h"
#include "gates/cli/command.h"
#include "gates/cli/counted.h"
#include "gates/cli/definition_check.h"
#include "gates/cli/import_plan.h"
#include "gates/cli/tell.h"
#include "gates/cli/workspace.h"
#include "gates/history_faults.h"
#include "gates/served_rows.h"
#include "recorder/catalog.h"
#include "recorder/document.h"
#include "recorder/ghost_labels.h"
#include "recorder/in_parallel.h"
#include "recorder/notes_check.h"
#include "recorder/run_order.h"
#include "recorder/stored_experiment.h"
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
  // What a look finds; that it could not look is a finding, too.
  template <typename Look>
  void add_of(const Look& look) {
    try {
      add(look());
    } catch (const Error& error) {
      add(error.what());
    }
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

struct OfExperiment {
  bool seen = false;
  std::vector<std::string> findings;    // of its history
  std::vector<std::string> definition;  // of the file that it was proposed from
  std::vector<std::string> sound;       // runs that need no second reading
  bool unsound = false;                 // one of its runs is not what was sealed
  std::size_t runs = 0, verdicts = 0;
  std::optional<ExperimentView> view;  // of one that has a LAND, without what measured it
};

// What to do where a history does not follow from itself.
std::string restored(const ExperimentLabel& label) {
  return fmt::format(
      "; it was edited, or written by another version: move the database away and restore the "
      "record (git checkout -- results/records/{}.json), and it is imported again",
      record_stem(label));
}

OfExperiment look_at(const ExperimentLabel& label, StoredExperiment& stored, const Options& options,
                     const DefinitionCheck& definitions) {
  OfExperiment of;
  of.seen = true;
  if (options.chain) {
    for (const std::string& line : run_order_faults(stored.runs())) {
      of.findings.push_back(record_stem(label) + ": " + line + restored(label));
    }
  }
  for (const Store::RunTexts& run : stored.runs()) {
    if (run.is_sound()) {
      of.sound.push_back(run.run.id);
    } else if (!run.run.seal.empty()) {
      of.unsound = true;
    }
  }
  ExperimentView view;
  try {
    view = fold(stored.events());
  } catch (const Error& error) {
    of.findings.emplace_back(error.what());
    return of;
  }
  if (options.verdicts) {
    for (const std::string& line : history_faults(stored.events(), view)) {
      of.findings.push_back(record_stem(label) + ": " + line + restored(label));
    }
  }
  if (options.files) of.definition = definitions.faults(label, view);
  of.runs = view.runs.size();
  if (options.chain && of.runs > 0 && view.proposal.definition.empty()) {
    of.findings.push_back(fmt::format(
        "{}: has runs and was never proposed: `assay propose experiments/definitions/{}.yaml` "
        "freezes its question",
        record_stem(label), label.slug));
  }
  bool landed = view.applied;
  for (AttemptView& attempt : view.attempts) {
    of.verdicts += attempt.verdict.has_value();
    landed = landed || (attempt.verdict && attempt.verdict->verdict == "LAND");
    attempt.samples.clear();
    attempt.gates.clear();
  }
  for (RunView& run : view.runs) run.gates.clear();
  if (landed) of.view = std::move(view);
  return of;
}

// Each experiment is read once, for its files, its chain and its verdicts. What is found of files
// comes into `files`.
std::vector<OfExperiment> look_at_all(const Workspace& workspace, const Options& options,
                                      std::vector<std::string>& files) {
  const Store& store = workspace.store();
  const std::vector<ExperimentLabel> labels = store.experiments();
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < labels.size(); ++i) places[labels[i].slug] = i;
  std::vector<OfExperiment> all(labels.size());
  const DefinitionCheck definitions(workspace);
  if (options.files) {
    const auto also = [&](const ExperimentLabel& label, StoredExperiment& stored) {
      const auto place = places.find(label.slug);
      if (place != places.end()) all[place->second] = look_at(label, stored, options, definitions);
    };
    files = check_files(store, workspace.root(), workspace.findings(), also);
  } else {
    for (const auto& finding : workspace.findings()) files.push_back(finding.text);
  }
  in_parallel(labels.size(), [&](std::size_t i) {
    if (all[i].seen) return;
    try {
      StoredExperiment stored(store, labels[i].slug);
      all[i] = look_at(labels[i], stored, options, definitions);
    } catch (const Error& error) {
      all[i].findings.emplace_back(error.what());
    }
  });
  return all;
}

// Files are held against the database. Where that is not what was sealed, its record says where it
// was edited, and of what is rendered from it nothing is known.
std::vector<std::string> without_unsound(std::vector<std::string> files, const Store& store,
                                         const std::vector<OfExperiment>& all) {
  const std::vector<ExperimentLabel> labels = store.experiments();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].unsound) continue;
    const std::string record = "results/records/" + record_stem(labels[i]);
    for (std::string& line : files) {
      const bool rendered =
          line.starts_with(record + ".md:") || line.starts_with("results/index.md:");
      const std::size_t advice = line.rfind("; `assay index` writes it");
      if (rendered) {
        line.clear();
      } else if (line.starts_with(record + ".json:") && advice != std::string::npos) {
        line.resize(advice);
        line +=
            line.ends_with(": is missing")
                ? fmt::format("; move the database away and restore it (git checkout -- {}.json)",
                              record)
                : restored(labels[i]);
      }
    }
  }
  std::erase(files, "");
  return files;
}

// Says what became of a database that something else than this program changed. `version`: of its
// data, before the first run was read.
void settle_trust(const Workspace& workspace, bool sound, std::int64_t version) {
  const Store& store = workspace.store();
  if (!store.changed_by_hand()) return;
  std::string what = "; commands that write wait until a whole `assay check` finds no fault of it";
  if (sound && store.data_version() != version) {
    what = "; it was written to during this check: repeat it";
  } else if (sound && workspace.in_memory()) {
    what = "; its history is what was sealed, which could not be noted where it cannot be written";
  } else if (sound) {
    store.trust();
    what = "; its history is what was sealed";
  }
  tell(workspace.database() +
       ": its tables, indexes or triggers were changed by something else than this program" + what);
}

int act(Options options, const CommonOptions& common) {
  if (!options.files && !options.chain && !options.verdicts) options = {true, true, true};
  Workspace workspace(common, Access::kCheck);
  const Store& store = workspace.store();
  const std::int64_t version = store.data_version();
  Findings findings;
  std::vector<std::string> files;
  std::vector<OfExperiment> of_all = look_at_all(workspace, options, files);
  files = without_unsound(std::move(files), store, of_all);
  // First the history itself, against which all else is held.
  if (options.chain) {
    findings.add_of([&] { return label_faults(store, workspace.database()); });
    std::set<std::string> sound;
    for (const OfExperiment& of : of_all) sound.insert(of.sound.begin(), of.sound.end());
    findings.add_of([&] { return store.integrity(sound); });
  }
  for (const OfExperiment& of : of_all) findings.add(of.findings);
  const bool sound = findings.lines.empty();
  // An edited history would be told of the catalog once more.
  if (sound && options.chain) {
    findings.add_of([&] { return Catalog::faults(store, workspace.root()); });
  }
  findings.add(files);
  std::vector<ExperimentView> views;
  std::size_t runs = 0;
  std::size_t verdicts = 0;
  for (OfExperiment& of : of_all) {
    findings.add(of.definition);
    runs += of.runs;
    verdicts += of.verdicts;
    if (of.view) views.push_back(std::move(*of.view));
  }
  if (options.files) {
    findings.add_of([&] { return check_maps(workspace, views); });
    findings.add_of([&] { return check_notes(store, workspace.root()); });
  }
  settle_trust(workspace, sound && options.chain && options.verdicts, version);
  // Of a history that is not whole the evidence may be missing.
  if (options.files && workspace.findings().empty() &&
      read_historical(workspace.root()).faults.empty()) {
    findings.add_of([&] { return law_faults(workspace.root(), store); });
  }
  if (!findings.lines.empty() && store.data_version() != version) {
    tell(
        "another command wrote during this check, and its files may be among the findings: repeat "
        "it before you act on them");
  }
  const std::string counts = fmt::format("{}, {}, {}", counted(of_all.size(), "experiment"),
                                         counted(runs, "run"), counted(verdicts, "verdict"));
  if (common.json) {
    std::cout << json_output(nlohmann::json{{"experiments", of_all.size()},
                                            {"runs", runs},
                                            {"verdicts", verdicts},
                                            {"findings", findings.lines}})
              << std::endl;
  } else if (findings.lines.empty()) {
    std::cout << fmt::format("check: {}: {}\n", counts, agreement(options));
  } else {
    for (const std::string& line : findings.lines) std::cout << printable(line, true) << "\n";
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
