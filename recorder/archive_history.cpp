// Which files belong to an archive is a closed list, so that no archive can name a path of its own
// choice.
#include "recorder/archive_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "engine/core/whole_file.h"
#include "experiments/record/text_diff.h"
#include "recorder/calibration_form.h"
#include "recorder/number_clash.h"
#include "recorder/store_state.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

constexpr std::string_view kRecords = "results/records/";
constexpr std::string_view kNotes = "experiments/notes/";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kUsage, what);
}

// The part of `path` between the two; "" where it is not of that form.
std::string between(const std::string& path, std::string_view start, std::string_view end) {
  if (path.size() <= start.size() + end.size() || !path.starts_with(start) ||
      !path.ends_with(end)) {
    return "";
  }
  return path.substr(start.size(), path.size() - start.size() - end.size());
}

void add_file(ArchiveFiles& files, const std::string& workspace, const std::string& path) {
  std::optional<std::string> text = read_whole_file(workspace + "/" + path, path);
  if (!text) return;
  if (const auto at = first_not_utf8(*text)) {
    refuse(fmt::format("{}: byte {} is not UTF-8; an archive holds text only", path, *at));
  }
  files[path] = std::move(*text);
}

// The runs' events as one log.
std::vector<Event> log_of(const Store::ImportedExperiment& experiment) {
  std::map<int, const std::vector<Event>*> by_ordinal;
  for (const auto& [run, events] : experiment.runs) by_ordinal[run.ordinal] = &events;
  std::vector<Event> log;
  for (const auto& [ordinal, events] : by_ordinal) {
    log.insert(log.end(), events->begin(), events->end());
  }
  return log;
}

bool is_only_proposed(std::span<const Event> log) {
  return std::all_of(log.begin(), log.end(), [](const Event& event) {
    return event.kind == EventKind::kRunOpened || event.kind == EventKind::kProposed ||
           event.kind == EventKind::kRunEnded;
  });
}

// Whether both froze one definition by themselves, and there nothing came of it: what is here says
// all of it. Not where the runs there are the beginning of those here.
bool is_proposed_there(const Store& store, const Store::ImportedExperiment& archived) {
  const std::vector<Event> log = log_of(archived);
  if (!is_only_proposed(log)) return false;
  std::set<std::string> here;
  for (const Store::StoredRun& run : store.runs(archived.label.slug)) here.insert(run.seal);
  const auto is_here = [&](const auto& run) { return here.contains(run.first.seal); };
  if (std::all_of(archived.runs.begin(), archived.runs.end(), is_here)) return false;
  const std::vector<Event> mine = store.events_without({EventKind::kSample}, archived.label.slug);
  return !mine.empty() && fold(mine).proposal.definition == fold(log).proposal.definition;
}

// Two chains of which neither is the beginning of the other cannot be one.
void refuse_grown_apart(const Store& store, const Store::ImportedExperiment& archived) {
  std::set<std::string> here, there;
  for (const Store::StoredRun& run : store.runs(archived.label.slug)) here.insert(run.seal);
  for (const auto& [run, events] : archived.runs) there.insert(run.seal);
  if (std::includes(here.begin(), here.end(), there.begin(), there.end()) ||
      std::includes(there.begin(), there.end(), here.begin(), here.end())) {
    return;
  }
  const Proposed mine = fold(store.events(archived.label.slug)).proposal;
  const Proposed theirs = fold(log_of(archived)).proposal;
  const std::string name = record_stem(archived.label);
  if (mine.definition != theirs.definition) {
    refuse(
        fmt::format("{}: its frozen definition is another one here ({:.12}) than there "
                    "({:.12}): give one of them another slug, and propose it\n{}",
                    name, mine.definition_sha256, theirs.definition_sha256,
                    unified_diff(mine.definition, theirs.definition, "here", "there")));
  }
  const auto lacks = [](const std::set<std::string>& of, const std::set<std::string>& other) {
    return std::count_if(other.begin(), other.end(),
                         [&](const std::string& seal) { return !of.contains(seal); });
  };
  const bool only_proposed = is_only_proposed(store.events(archived.label.slug));
  refuse(
      fmt::format("{}: two histories of it have grown apart: {} run{} here that the archive "
                  "lacks, {} there that are not here; a run follows one other only, so {}",
                  name, lacks(there, here), lacks(there, here) == 1 ? "" : "s", lacks(here, there),
                  only_proposed ? "take this history in over there, where it went on, and then "
                                  "begin a fresh workspace here, such as a new clone of that one: "
                                  "here it was only proposed"
                                : "import into a fresh workspace"));
}

// Asked of all experiments before any comes in, since two may name one source.
int sources_lacking(const Store& store, const Store::ImportedExperiment& archived) {
  std::set<std::string> lacking;
  for (const Event& event : log_of(archived)) {
    if (event.kind != EventKind::kAttemptOpened) continue;
    for (const auto& [path, sha256] : event.body.get<AttemptOpened>().sources) {
      if (!store.compressed_blob(sha256)) lacking.insert(sha256);
    }
  }
  return static_cast<int>(lacking.size());
}

// Runs `step` on an experiment of the archive; what is wrong with it is told by its path.
template <typename Step>
void each_experiment(const ArchivedHistory& history, const Step& step) {
  for (const Store::ImportedExperiment& experiment : history.experiments) {
    const std::string path = fmt::format("{}{}.json", kRecords, record_stem(experiment.label));
    try {
      step(experiment);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kCheckFound) throw;
      refuse(fmt::format("{}: {}", path, error.what()));
    } catch (const nlohmann::json::exception&) {
      refuse(fmt::format("{}: a part is missing or of the wrong type", path));
    }
  }
}

void refuse_clashes(const Store& store, const ArchivedHistory& history, const std::string& there) {
  const std::vector<std::string> clashes = number_clashes(store.experiments(), history, there);
  if (clashes.empty()) return;
  if (clashes.size() == 1) refuse(clashes[0]);
  std::string all = fmt::format("{} clashes of numbers have to be settled first", clashes.size());
  for (const std::string& line : clashes) all += "\n" + line;
  refuse(all);
}

void merge_one(Store& store, const Store::ImportedExperiment& archived, MergedExperiment& merged) {
  const std::string& slug = archived.label.slug;
  merged.label = archived.label;
  merged.before = fold(store.events(slug));
  if (!merged.proposed_there) {
    std::set<std::string> here;
    for (const Store::StoredRun& run : store.runs(slug)) here.insert(run.id);
    for (const auto& [run, events] : archived.runs) {
      if (!here.contains(run.id)) merged.runs.push_back(run.id);
    }
    store.import_experiment(archived);
  }
  merged.after = fold(store.events(slug));
}

}  // namespace

ArchiveFiles history_files(const Store& store, const std::string& workspace,
                           const std::vector<ExperimentLabel>& labels) {
  ArchiveFiles files;
  for (const ExperimentLabel& label : labels) {
    files[fmt::format("{}{}.json", kRecords, record_stem(label))] = export_experiment(store, label);
    add_file(files, workspace, fmt::format("{}{}.md", kNotes, label.slug));
  }
  if (!store.aa_effects().empty()) files[kCalibrationsPath] = export_calibrations(store);
  for (const char* path : kServiceMaps) add_file(files, workspace, path);
  return files;
}

ArchivedHistory read_history(const ArchiveFiles& files) {
  ArchivedHistory history;
  std::set<std::string> slugs;
  for (const auto& [path, text] : files) {
    const std::string stem = between(path, kRecords, ".json");
    const std::string notes = between(path, kNotes, ".md");
    if (!stem.empty()) {
      try {
        history.experiments.push_back(read_record_text(text, stem));
      } catch (const Error& error) {
        refuse(fmt::format("{}:{}", printable(path), error.what()));
      }
      if (!valid_slug(history.experiments.back().label.slug)) {
        refuse(fmt::format("{}: its slug is none", printable(path)));
      }
      slugs.insert(history.experiments.back().label.slug);
    } else if (!notes.empty()) {
      history.notes[notes] = text;
    } else if (path == kCalibrationsPath) {
      history.calibrations = text;
    } else if (std::find(std::begin(kServiceMaps), std::end(kServiceMaps), path) !=
               std::end(kServiceMaps)) {
      history.maps[path] = text;
    } else {
      refuse(fmt::format("holds {}, which belongs to no archive that this program knows",
                         printable(path)));
    }
  }
  for (const auto& [slug, text] : history.notes) {
    if (slugs.contains(slug)) continue;
    refuse(fmt::format("holds notes on {}, but not its record", printable(slug)));
  }
  std::sort(history.experiments.begin(), history.experiments.end(),
            [](const auto& a, const auto& b) { return a.label.number < b.label.number; });
  return history;
}

MergedHistory merge_history(Store& store, const ArchivedHistory& history,
                            const std::string& there) {
  refuse_clashes(store, history, there);
  MergedHistory merged;
  each_experiment(history, [&](const Store::ImportedExperiment& experiment) {
    MergedExperiment& one = merged.experiments.emplace_back();
    one.proposed_there = is_proposed_there(store, experiment);
    if (!one.proposed_there) refuse_grown_apart(store, experiment);
  });
  const std::size_t effects = store.aa_effects().size();  // records bring some, too
  std::size_t next = 0;
  each_experiment(history, [&](const Store::ImportedExperiment& experiment) {
    merged.experiments[next++].sources = sources_lacking(store, experiment);
  });
  next = 0;
  each_experiment(history, [&](const Store::ImportedExperiment& experiment) {
    merge_one(store, experiment, merged.experiments[next++]);
  });
  try {
    if (!history.calibrations.empty()) import_calibrations(store, history.calibrations);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kCheckFound) throw;
    refuse(fmt::format("{}:{}", kCalibrationsPath, error.what()));
  }
  merged.effects = static_cast<int>(store.aa_effects().size() - effects);
  return merged;
}

}  // namespace assay
