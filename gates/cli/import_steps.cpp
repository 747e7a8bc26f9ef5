#include "gates/cli/import_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include "engine/core/error.h"
#include "engine/core/new_file.h"
#include "engine/core/sha256.h"
#include "engine/core/whole_file.h"
#include "experiments/record/text_diff.h"
#include "gates/history_faults.h"
#include "gates/landing.h"
#include "recorder/calibration_form.h"
#include "recorder/document.h"

namespace assay {
namespace {

enum class FileState { kBefore, kAfter, kNeither };

FileState state_of(const Intent& intent, const std::optional<std::string>& now) {
  if (now == intent.after_text) return FileState::kAfter;
  return (now ? sha256_hex(*now) : "") == intent.before_sha256 ? FileState::kBefore
                                                               : FileState::kNeither;
}

// Takes the place and the space that a file will need, and gives it back.
class Trial {
 public:
  explicit Trial(const std::string& root) : root_(root) {}
  void add(const std::string& path, std::size_t bytes) {
    files_.emplace_back(new NewFile(NewFile::replace(root_ + "/" + path)));  // cannot be moved
    if (bytes > 0) files_.back()->reserve(bytes);
  }

 private:
  const std::string& root_;
  std::vector<std::unique_ptr<NewFile>> files_;
};

// What could fail later is done here once, inside the transaction, where it still leaves nothing.
void try_files(const Store& store, const std::string& root, const ImportPlan& plan) {
  Trial trial(root);
  for (const std::string& slug : plan.experiments) {
    const ExperimentLabel label = *store.find(slug);
    const std::string stem = "results/records/" + record_stem(label);
    trial.add(stem + ".json", export_experiment(store, label).size());
    trial.add(stem + ".md", render_record(store, label, root).size());
  }
  trial.add("results/index.md", render_index(store, root).size());
  trial.add(kCalibrationsPath, export_calibrations(store).size());
  for (const Intent& file : plan.files) trial.add(file.path, file.after_text.size());
}

// What `check --verdicts` says of what came in.
void refuse_faults(const Store& store, const MergedHistory& history) {
  for (const MergedExperiment& experiment : history.experiments) {
    if (experiment.runs.empty()) continue;
    const std::vector<std::string> faults = history_faults(store.events(experiment.label.slug));
    if (faults.empty()) continue;
    throw Error(
        ErrorKind::kUsage,
        fmt::format("results/records/{}.json: {}{}; `assay check` over there says it, too",
                    record_stem(experiment.label), faults.front(),
                    faults.size() == 1 ? "" : fmt::format(" (and {} more)", faults.size() - 1)));
  }
}

bool is_map(const std::string& path) {
  return std::find(std::begin(kServiceMaps), std::end(kServiceMaps), path) !=
         std::end(kServiceMaps);
}

void write_files(const std::string& root, const std::map<std::string, std::string>& texts) {
  for (const auto& [path, text] : texts) {
    (is_map(path) ? replace_linked_file : replace_file)(root + "/" + path, text, path);
  }
}

// The second step with these texts; a file without one stays as it is.
void complete(const PendingImport& pending, Store& store, const std::string& root,
              const std::map<std::string, std::string>& texts, const std::string& message) {
  write_files(root, texts);
  write_all(store, root);
  store.together([&] {
    for (const Intent& file : pending.body.files) {
      store.append(pending.run, EventKind::kApplied,
                   Applied{file.path, sha256_hex(text_of(root, file.path).value_or(""))});
    }
    store.end_run(pending.run, {"imported", 0, message});
  });
}

// The LANDs that came with an import for one map, in the order of their verdicts, but those whose
// row was let go.
std::vector<LandClaim> lands_of(const PendingImport& pending, const Store& store,
                                const std::string& path) {
  std::vector<LandClaim> lands;
  for (const std::string& slug : pending.body.experiments) {
    const ExperimentView view = fold(store.events(slug));
    if (!has_landed(view)) continue;
    const auto land = returned_land(view, {view.judged()->verdict_run});
    if (land && land->path == path) lands.push_back(*land);
  }
  std::stable_sort(lands.begin(), lands.end(),
                   [](const LandClaim& a, const LandClaim& b) { return a.at < b.at; });
  return lands;
}

// Whether `text` has all rows of the LAND, or what followed on them.
bool is_in(const std::string& text, const LandClaim& land, const std::vector<LandClaim>& known) {
  std::vector<std::string> changes;
  try {
    with_returned_land(text, land, known, changes);
  } catch (const Error&) {
    return false;
  }
  return changes.empty();
}

[[noreturn]] void refuse_edited(const Intent& file, const std::string& now,
                                const std::vector<LandClaim>& lands) {
  std::string diff = unified_diff(now, file.after_text, "in the file", "as imported");
  while (diff.ends_with('\n')) diff.pop_back();
  std::string way;
  for (const LandClaim& land : lands) {
    way += fmt::format("{}`assay apply {}`", way.empty() ? "" : ", ", land.slug);
  }
  way = is_map(file.path)
            ? fmt::format(
                  "Settle each LAND of it: {} (sets its landed row; with --discard that row "
                  "stays as it is)",
                  way)
            : fmt::format("`assay apply {}` goes on and leaves it as it is",
                          std::filesystem::path(file.path).stem().string());
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: an import was cut short, and the file is neither what it was before "
                          "nor what it should become. {}\n{}",
                          file.path, way, diff));
}

// A map with the LANDs of an import, as far as they fit or are decided.
class MapSettling {
 public:
  MapSettling(const std::string& slug, bool discard) : slug_(slug), discard_(discard) {}

  std::string settle(std::string text, const std::vector<LandClaim>& lands) {
    for (const LandClaim& land : lands) {
      if (land.slug == slug_ && discard_) {
        kept = land;
        lines.push_back(
            fmt::format("{0}: the LAND stays on record, and its row in {1} stays as it "
                        "is; `assay apply {0}` puts the landed row in after all",
                        slug_, land.path));
        continue;
      }
      try {
        text = with_returned_land(text, land, lands, lines);
      } catch (const Error&) {
        text = land.slug == slug_ ? forced(text, land) : text;
        if (land.slug != slug_) wait(land);
      }
    }
    return text;
  }

  std::optional<LandClaim> kept, put;
  std::vector<std::string> lines;
  bool waits = false;

 private:
  std::string forced(const std::string& text, const LandClaim& land) {
    put = land;
    lines.push_back(fmt::format("{}: {} has the landed row now", slug_, land.path));
    return emit(with_claim(parse_service_map(text, land.path), land));
  }
  void wait(const LandClaim& land) {
    waits = true;
    lines.push_back(
        fmt::format("{0} waits: its row in {1} is served by another variant than its "
                    "baseline: `assay apply {0}` sets the landed row, with --discard "
                    "it stays as it is",
                    land.slug, land.path));
  }

  const std::string& slug_;
  bool discard_;
};

}  // namespace

TakenIn take_in(Store& store, const std::string& root, const ArchivedHistory& history,
                const std::string& archive_sha256, const RunOpened& opened,
                const std::string& there) {
  TakenIn taken;
  store.together([&] {
    const std::size_t known = store.experiments().size();
    taken.history = merge_history(store, history, there);
    refuse_faults(store, taken.history);
    taken.plan = plan_import(taken.history, history, root);
    taken.anything = store.experiments().size() > known || taken.history.effects > 0 ||
                     !taken.plan.experiments.empty() || !taken.plan.files.empty();
    if (!taken.anything) return;
    try_files(store, root, taken.plan);
    const std::string run = store.open_run("", opened);
    store.append(run, EventKind::kImported,
                 Imported{archive_sha256, taken.plan.experiments, taken.plan.files});
  });
  return taken;
}

std::optional<PendingImport> pending_import(const Store& store) {
  for (const Store::StoredRun& run : store.unfinished_runs()) {
    if (!run.slug.empty()) continue;
    for (const Event& event : store.run_events(run.id)) {
      if (event.kind == EventKind::kImported) return PendingImport{run.id, event.body};
    }
  }
  return std::nullopt;
}

void finish_import(const PendingImport& pending, Store& store, const std::string& root) {
  std::map<std::string, std::string> texts;
  for (const Intent& file : pending.body.files) {
    const std::optional<std::string> now = text_of(root, file.path);
    if (state_of(file, now) != FileState::kNeither) {
      texts[file.path] = file.after_text;
      continue;
    }
    const std::string text = now.value_or("");
    const std::vector<LandClaim> all = lands_of(pending, store, file.path);
    std::vector<LandClaim> open = all;
    std::erase_if(open, [&](const LandClaim& land) { return is_in(text, land, all); });
    // All of a map's LANDs may be in, or settled, by now.
    if (!is_map(file.path) || !open.empty()) refuse_edited(file, text, open);
  }
  complete(pending, store, root, texts, "archive " + pending.body.archive_sha256);
}

std::vector<std::string> settle_import(const PendingImport& pending, Store& store,
                                       const std::string& root, const std::string& slug,
                                       bool discard, const RunOpened& opened) {
  std::map<std::string, std::string> texts, maps;
  std::string by_hand;
  MapSettling settling(slug, discard);
  for (const Intent& file : pending.body.files) {
    const std::optional<std::string> now = text_of(root, file.path);
    const bool edited = state_of(file, now) == FileState::kNeither;
    if (edited) by_hand += (by_hand.empty() ? "; settled by hand: " : ", ") + file.path;
    if (is_map(file.path)) {
      maps[file.path] = settling.settle(now.value_or(""), lands_of(pending, store, file.path));
    } else if (edited) {
      settling.lines.push_back(file.path + " stays as it is");
    } else {
      texts[file.path] = file.after_text;
    }
  }
  write_files(root, maps);
  for (const auto& decided : {settling.kept, settling.put}) {
    if (!decided) continue;
    store.together([&] {
      record_settlement(*decided, text_of(root, decided->path).value_or(""),
                        decided->slug == slug && discard, opened, store);
    });
  }
  if (!settling.waits) {
    complete(pending, store, root, texts, "archive " + pending.body.archive_sha256 + by_hand);
    settling.lines.emplace_back("the import is settled; the history is whole");
  }
  return settling.lines;
}

}  // namespace assay
