#include "recorder/renumber.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/document.h"
#include "recorder/store_state.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

constexpr const char* kFolder = "results/records";

// "0007-slug" -> 7, slug; nothing for a name of another form.
std::optional<ExperimentLabel> label_of(const std::string& stem) {
  ExperimentLabel label;
  const char* end = stem.data() + stem.size();
  const auto [after, error] = std::from_chars(stem.data(), end, label.number);
  if (error != std::errc() || after == end || *after != '-') return std::nullopt;
  label.slug = std::string(after + 1, end);
  if (label.number < 1 || !valid_slug(label.slug) || record_stem(label) != stem) {
    return std::nullopt;
  }
  return label;
}

std::optional<std::string> text_of_file(const std::string& workspace, const std::string& path) {
  return read_whole_file(workspace + "/" + path, path);
}

std::vector<RecordFile> files_of(const std::string& workspace, const std::string& slug) {
  std::vector<RecordFile> files = record_files_of(workspace);
  std::erase_if(files, [&](const RecordFile& file) { return file.label.slug != slug; });
  return files;
}

void refuse_taken(const Store& store, const std::string& workspace, const ExperimentLabel& label) {
  std::string holder, swap;
  for (const ExperimentLabel& here : store.experiments()) {
    if (here.number != label.number || here.slug == label.slug) continue;
    holder = here.slug + "'s";
    const auto own = store.find(label.slug);
    if (!own || own->slug != label.slug) continue;
    swap =
        fmt::format(", `assay renumber {} {} --swap` exchanges the two", label.slug, label.number);
  }
  for (const RecordFile& file : record_files_of(workspace)) {
    const bool other = file.label.number == label.number && file.label.slug != label.slug;
    if (other && holder.empty()) holder = fmt::format("{}'s, by {}", file.label.slug, file.path);
  }
  if (holder.empty()) return;
  throw Error(
      ErrorKind::kUsage,
      fmt::format("number {} is {}; `assay renumber {} {}` takes the next free one{}; nothing "
                  "was changed",
                  label.number, holder, label.slug, FreeNumbers(store, workspace).next(), swap));
}

// What a file of the slug holds comes in, under the new number.
void take_in_file(Store& store, const std::string& workspace, const RecordFile& file,
                  const ExperimentLabel& label) {
  const std::optional<std::string> text = text_of_file(workspace, file.path);
  if (!text) return;
  try {
    Store::ImportedExperiment experiment = read_record_text(*text, record_stem(file.label));
    experiment.label = label;
    store.import_experiment(experiment);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kCheckFound) throw;
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: {}; mend it or move it away first; nothing was changed", file.path,
                            error.what()));
  }
}

void remove_file(const std::string& workspace, const std::string& path) {
  std::error_code error;
  if (std::filesystem::remove(workspace + "/" + path, error) || !error) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: cannot be removed: {}; the record has another number now, and the "
                          "next command goes on here",
                          path, error.message()));
}

// How many runs a record's text has, and how many of these the store has as they are there.
struct Common {
  std::size_t runs = 0, here = 0;
};
Common in_common(const Store& store, const std::string& text, const std::string& stem) {
  Common common;
  try {
    const Store::ImportedExperiment experiment = read_record_text(text, stem);
    std::set<std::string> here;
    for (const Store::StoredRun& run : store.runs(experiment.label.slug)) here.insert(run.seal);
    common.runs = experiment.runs.size();
    for (const auto& [run, events] : experiment.runs) common.here += here.count(run.seal);
  } catch (const Error&) {
    return {1, 0};  // of no use; the import says why
  }
  return common;
}

}  // namespace

std::vector<RecordFile> record_files_of(const std::string& workspace) {
  std::vector<RecordFile> files;
  std::error_code error;
  std::filesystem::directory_iterator entry(workspace + "/" + kFolder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() != ".json") continue;
    const auto label = label_of(entry->path().stem().string());
    if (label) {
      files.push_back({fmt::format("{}/{}.json", kFolder, record_stem(*label)), *label});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const RecordFile& a, const RecordFile& b) { return a.path < b.path; });
  return files;
}

FreeNumbers::FreeNumbers(const Store& store, const std::string& workspace) {
  for (const ExperimentLabel& label : store.experiments()) taken(label.number);
  for (const RecordFile& file : record_files_of(workspace)) taken(file.label.number);
}

std::vector<PendingRenumber> pending_renumbers(const Store& store) {
  std::vector<PendingRenumber> pending;
  for (const Store::StoredRun& run : store.runs("")) {  // few, beside those of experiments
    if (!run.seal.empty()) continue;
    for (const Event& event : store.run_events(run.id)) {
      if (event.kind == EventKind::kRenumbered) pending.push_back({run.id, event.body});
    }
  }
  return pending;
}

std::optional<Renumbered> begin_renumber(Store& store, const std::string& workspace,
                                         const ExperimentLabel& label, const RunOpened& opened) {
  std::optional<Renumbered> done;
  store.together([&] {
    refuse_taken(store, workspace, label);
    std::set<int> earlier;
    const auto known = store.find(label.slug);
    const bool here = known && known->slug == label.slug;
    if (here && known->number != label.number) {
      earlier.insert(known->number);
      store.renumber({label});
    }
    for (const RecordFile& file : files_of(workspace, label.slug)) {
      if (file.label.number == label.number && here) continue;
      take_in_file(store, workspace, file, label);
      if (file.label.number != label.number) earlier.insert(file.label.number);
    }
    if (earlier.empty()) return;
    done = Renumbered{label.slug, label.number, {earlier.begin(), earlier.end()}};
    store.append(store.open_run("", opened), EventKind::kRenumbered, *done);
  });
  return done;
}

void begin_swap(Store& store, const std::string& workspace, const ExperimentLabel& one,
                const ExperimentLabel& other, const RunOpened& opened) {
  store.together([&] {
    for (const ExperimentLabel& label : {one, other}) {
      const auto here = store.find(label.slug);
      const std::vector<RecordFile> files = files_of(workspace, label.slug);
      const bool settled = here && here->slug == label.slug && here->number == label.number &&
                           std::all_of(files.begin(), files.end(), [&](const RecordFile& file) {
                             return file.label.number == label.number;
                           });
      if (settled) continue;
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{} has files of two numbers, or is not in the database: `assay check` "
                      "says how to settle that first; nothing was changed",
                      label.slug));
    }
    const ExperimentLabel first{other.number, one.slug}, second{one.number, other.slug};
    store.renumber({first, second});
    for (const ExperimentLabel& label : {first, second}) {
      const int earlier = label.slug == one.slug ? one.number : other.number;
      store.append(store.open_run("", opened), EventKind::kRenumbered,
                   Renumbered{label.slug, label.number, {earlier}});
    }
  });
}

void move_record_files(const PendingRenumber& pending, Store& store, const std::string& workspace) {
  const ExperimentLabel label{pending.body.number, pending.body.slug};
  // Renumbered again since: the later run moves the files.
  const auto now = store.find(label.slug);
  const bool still = now && now->slug == label.slug && now->number == label.number;
  bool had_one = false;
  for (const int number : pending.body.earlier) {
    if (now && now->number == number) continue;
    const std::string stem = record_stem({number, label.slug});
    const std::string path = fmt::format("{}/{}", kFolder, stem);
    const std::optional<std::string> text = text_of_file(workspace, path + ".json");
    if (!text) continue;
    // Written by somebody since: it is for the next import to say what it is.
    const Common common = in_common(store, *text, stem);
    if (common.here < common.runs) continue;
    if (still && !had_one) write_record_json(store, label, workspace);
    had_one = true;
    remove_file(workspace, path + ".json");
    remove_file(workspace, path + ".md");
  }
}

void end_renumbers(Store& store, const std::string& workspace) {
  const std::vector<PendingRenumber> pending = pending_renumbers(store);
  if (pending.empty()) return;
  write_all(store, workspace);
  remove_orphans(store, workspace);
  for (const auto& [run, body] : pending) {
    store.end_run(run, {"renumbered", 0, fmt::format("{} is number {}", body.slug, body.number)});
  }
}

std::vector<std::string> follow_record_files(Store& store, const std::string& workspace,
                                             const std::vector<std::string>& names) {
  std::map<std::string, int> here;
  for (const ExperimentLabel& label : store.experiments()) here[label.slug] = label.number;
  std::map<std::string, std::set<int>> files;
  for (const std::string& name : names) {
    const auto label = label_of(std::filesystem::path(name).stem().string());
    if (label && here.contains(label->slug)) files[label->slug].insert(label->number);
  }
  std::vector<ExperimentLabel> moves;
  for (const auto& [slug, numbers] : files) {
    const ExperimentLabel label{*numbers.begin(), slug};
    if (numbers.size() > 1 || label.number == here.at(slug)) continue;
    const std::string stem = record_stem(label);
    const auto text = text_of_file(workspace, fmt::format("{}/{}.json", kFolder, stem));
    if (text && in_common(store, *text, stem).here > 0) moves.push_back(label);
  }
  // Only onto numbers that are free, or that are left at the same time.
  std::set<std::string> leaving;
  for (std::size_t before = moves.size() + 1; moves.size() < before;) {
    before = moves.size();
    leaving.clear();
    for (const ExperimentLabel& label : moves) leaving.insert(label.slug);
    std::erase_if(moves, [&](const ExperimentLabel& label) {
      const auto holder = store.find(std::to_string(label.number));
      return holder && !leaving.contains(holder->slug);
    });
  }
  std::vector<std::string> lines;
  for (const ExperimentLabel& label : moves) {
    lines.push_back(fmt::format("{} is number {} now (it was {}), as results/records/{}.json says",
                                label.slug, label.number, store.find(label.slug)->number,
                                record_stem(label)));
  }
  if (!moves.empty()) store.renumber(moves);
  return lines;
}

}  // namespace assay
