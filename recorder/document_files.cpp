// The generated files of a workspace: written, and checked against what they would be now.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/core/whole_file.h"
#include "recorder/bulk_files.h"
#include "recorder/calibration_form.h"
#include "recorder/document.h"
#include "recorder/file_stamp.h"
#include "recorder/historical_document.h"
#include "recorder/in_parallel.h"
#include "recorder/record_parts.h"
#include "recorder/text_form.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

std::string record_path(const ExperimentLabel& label, const std::string& extension) {
  return fmt::format("results/records/{}.{}", record_stem(label), extension);
}

constexpr const char* kIndexPath = "results/index.md";

// What the documents of one history are made from, read once.
struct Rendering {
  const Store& store;
  const std::string& workspace;
  Recorded all;
  std::vector<std::optional<RecordParts>> for_the_index;  // of the records that were rendered

  Rendering(const Store& from, const std::string& root)
      : store(from),
        workspace(root),
        all(std::make_shared<const std::vector<ExperimentLabel>>(recorded_experiments(from))),
        for_the_index(all->size()) {}

  // Each place by one thread.
  std::string record(std::size_t place, StoredExperiment& stored) {
    RecordParts parts = gather(store, (*all)[place], workspace, stored.sealed_events(), all);
    std::string text = render_record(parts);
    for_the_index[place] = for_index(std::move(parts));
    return text;
  }
  // Once, at the end.
  std::string index() {
    std::vector<RecordParts> parts(all->size());
    in_parallel(parts.size(), [&](std::size_t i) {
      parts[i] = for_the_index[i] ? std::move(*for_the_index[i])
                                  : gather_for_index(store, (*all)[i], workspace, all);
    });
    return render_index(parts, workspace);
  }
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Nothing where no regular file is.
std::optional<Store::FileStamp> stamp_of_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return stamp_of(status);
}

// The line, or of a long one the part around column `at`.
std::string quoted(const std::vector<std::string>& lines, std::size_t index, std::size_t at) {
  if (index >= lines.size()) return "the end of the file";
  constexpr std::size_t kBefore = 60;
  const std::string& line = lines[index];
  const bool cut = line.size() > 2 * kBefore && at > kBefore;
  const std::string shown = visible_line(cut ? line.substr(at - kBefore) : line);
  return (cut ? "\"..." : "\"") + cut_to_width(shown, 120) + "\"";
}

// The first column in which the two lines differ.
std::size_t differs_at(const std::vector<std::string>& have, const std::vector<std::string>& want,
                       std::size_t line) {
  if (line >= have.size() || line >= want.size()) return 0;
  const auto [at, other] =
      std::mismatch(have[line].begin(), have[line].end(), want[line].begin(), want[line].end());
  return static_cast<std::size_t>(at - have[line].begin());
}

// The first line that differs: "path:line: ...".
std::string difference(const std::string& path, const std::string& written,
                       const std::string& expected) {
  const std::vector<std::string> have = split(written), want = split(expected);
  std::size_t line = 0;
  while (line < have.size() && line < want.size() && have[line] == want[line]) ++line;
  const bool json = path.size() > 5 && path.compare(path.size() - 5, 5, ".json") == 0;
  if (line >= have.size() && line >= want.size()) {
    return fmt::format("{}:{}: differs in its line ends only; `assay index` writes it again", path,
                       std::max<std::size_t>(line, 1));
  }
  const auto parsed = [](const std::string& text) {
    const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
    return value.is_discarded() ? nlohmann::json(text) : value;
  };
  if (json && parsed(written).dump() == parsed(expected).dump()) {
    return fmt::format("{}:{}: says the same in another layout; `assay index` writes it again",
                       path, line + 1);
  }
  const std::size_t at = differs_at(have, want, line);
  return fmt::format("{}:{}: is {}, {} {}", path, line + 1, quoted(have, line, at),
                     json ? "the database says" : "should be", quoted(want, line, at));
}

}  // namespace

void write_record(const Store& store, const ExperimentLabel& label, const std::string& workspace) {
  const std::vector<ExperimentLabel> all = recorded_experiments(store);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].slug != label.slug) continue;
    write_record_json(store, label, workspace);
    // The neighbours' footers link to this record; those not written yet are left to `index`.
    for (std::size_t near = i > 0 ? i - 1 : 0; near <= i + 1 && near < all.size(); ++near) {
      const std::string path = record_path(all[near], "md");
      if (near != i && !std::filesystem::exists(workspace + "/" + path)) continue;
      replace_file(workspace + "/" + path, render_record(store, all[near], workspace), path);
    }
  }
  replace_file(workspace + "/" + kIndexPath, render_index(store, workspace), kIndexPath);
}

namespace {

// A text that differs when a record's files would: who renders, what from, which neighbours.
std::string made_from(const std::string& program, const Rendering& rendering, std::size_t place,
                      const std::string& seals) {
  const std::vector<ExperimentLabel>& all = *rendering.all;
  const std::string notes = rendering.workspace + "/experiments/notes/" + all[place].slug + ".md";
  struct stat status {};  // of whatever is there: rendering says what is wrong with a folder
  const bool there = ::lstat(notes.c_str(), &status) == 0;
  if (there) ::stat(notes.c_str(), &status);
  Sha256 hash;
  hash.update(fmt::format("{}\n{}\n{}\n{}\n{}\n{} {} {} {}\n", program, record_stem(all[place]),
                          place > 0 ? record_stem(all[place - 1]) : "",
                          place + 1 < all.size() ? record_stem(all[place + 1]) : "", seals,
                          there ? status.st_mode : 0, status.st_size, status.st_mtim.tv_sec,
                          status.st_mtim.tv_nsec));
  return hash.hex();
}

// This very build: another one may render differently.
std::string this_program() {
  const std::optional<Store::FileStamp> stamp = stamp_of_file("/proc/self/exe");
  return stamp ? fmt::format("{} {}", stamp->size, stamp->mtime) : "";
}

// Generated files, written where they are not known to be as they would be.
class Writing {
 public:
  Writing(const Store& store, const std::string& workspace, bool all)
      : rendering_(store, workspace),
        program_(this_program()),
        before_(all ? Store::WrittenFiles() : store.written_files()),
        root_(std::filesystem::absolute(workspace).lexically_normal().string()) {}

  // Returns how many files changed.
  int write() {
    const auto seals = rendering_.store.seals();
    const std::vector<ExperimentLabel>& all = *rendering_.all;
    std::vector<std::string> made(all.size());
    Sha256 whole;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto sealed = seals.find(all[i].slug);
      made[i] = made_from(program_, rendering_, i, sealed == seals.end() ? "" : sealed->second);
      whole.update(made[i]);
    }
    in_parallel(all.size(), [&](std::size_t i) {
      std::optional<StoredExperiment> stored;  // read when one of its files is to be made
      const auto read = [&]() -> StoredExperiment& {
        if (!stored) stored.emplace(rendering_.store, all[i].slug);
        return *stored;
      };
      write_one(record_path(all[i], "json"), made[i], [&] {
        const std::string full = rendering_.workspace + "/" + record_path(all[i], "json");
        if (stamp_of_file(full)) refuse_unsound(rendering_.store, all[i], read());
        return export_experiment(rendering_.store, all[i], read());
      });
      write_one(record_path(all[i], "md"), made[i], [&] { return rendering_.record(i, read()); });
    });
    for (const HistoricalEntry& entry : read_historical(rendering_.workspace).entries) {
      const std::string text = render_historical(entry);
      whole.update(text);
      write_one(historical_path(entry), program_ + sha256_hex(text), [&] { return text; });
    }
    write_one(kIndexPath, whole.hex(), [&] { return rendering_.index(); });
    files_.finish();
    rendering_.store.remember_all_written(written_, read_);
    return changed_;
  }

 private:
  void write_one(const std::string& path, const std::string& made,
                 const std::function<std::string()>& render) {
    const std::string full = rendering_.workspace + "/" + path;
    const auto known = before_.find(path);
    if (known != before_.end() && known->second.made == made) {
      const std::optional<Store::FileStamp> now = stamp_of_file(full);
      if (now && *now == known->second.stamp) return;
    }
    const BulkFiles::Added added = files_.add(full, render(), path);
    const std::lock_guard guard(mutex_);
    changed_ += added.changed ? 1 : 0;
    written_[path] = {made, added.stamp};
    if (path.ends_with(".json")) {
      read_[root_ + (root_.ends_with('/') ? "" : "/") + path] = added.stamp;
    }
  }

  Rendering rendering_;
  std::string program_;
  Store::WrittenFiles before_, written_;
  std::unordered_map<std::string, Store::FileStamp> read_;
  std::string root_;
  BulkFiles files_;
  std::mutex mutex_;
  int changed_ = 0;
};

}  // namespace

int write_all(const Store& store, const std::string& workspace, bool all) {
  const int changed = Writing(store, workspace, all).write();
  return changed + (write_calibrations(store, workspace) ? 1 : 0);
}

namespace {

// The finding of one generated file; "" when it is as it should be.
std::string check_file(const std::string& workspace, const std::string& path,
                       const std::string& text) {
  try {
    const std::optional<std::string> written = read_whole_file(workspace + "/" + path, path);
    if (!written) return fmt::format("{}:1: is missing; `assay index` writes it again", path);
    return *written == text ? "" : difference(path, *written, text);
  } catch (const Error& error) {
    return error.what();
  }
}

std::string without_extension(const std::string& path) {
  return path.substr(0, path.find_last_of('.'));
}

// Files in the folder of records that belong to none of `owned`, in order.
std::vector<std::string> unowned_records(const std::string& workspace,
                                         const std::set<std::string>& owned) {
  std::vector<std::string> extra;
  std::error_code error;
  std::filesystem::directory_iterator entry(workspace + "/results/records", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path name = entry->path().filename();
    const bool generated = name.extension() == ".md" || name.extension() == ".json";
    if (generated && !owned.contains("results/records/" + name.stem().string())) {
      extra.push_back("results/records/" + name.string());
    }
  }
  std::sort(extra.begin(), extra.end());
  return extra;
}

// A rendered record that says what it was made from, and that is gone.
bool is_orphan(const std::string& workspace, const std::string& path) {
  const std::string record = without_extension(path) + ".json";
  const std::string full = workspace + "/" + path;
  std::error_code error;
  if (!path.ends_with(".md") || std::filesystem::exists(workspace + "/" + record, error) ||
      !std::filesystem::is_regular_file(std::filesystem::symlink_status(full, error))) {
    return false;
  }
  const std::optional<std::string> text = read_whole_file(full, path);
  return text && (text->starts_with("<!-- Generated by assay from " + record + " ") ||
                  text->starts_with(kHistoricalComment));
}

}  // namespace

std::vector<std::string> check_files(const Store& store, const std::string& workspace,
                                     const std::vector<ImportReport::Finding>& not_imported,
                                     const LookAlso& also) {
  std::vector<std::string> found;
  std::set<std::string> owned;  // records, without their extension
  std::set<std::string> known;  // files with a finding already
  for (const ImportReport::Finding& finding : not_imported) {
    found.push_back(finding.text);
    // Which line of a record was edited, the database knows.
    if (finding.text.find("do not match its seal") == std::string::npos) known.insert(finding.path);
    owned.insert(without_extension(finding.path));
  }
  // Rendered documents name their neighbours, so they can be compared only where all history is.
  const bool whole = not_imported.empty();
  Rendering rendering(store, workspace);
  const std::vector<ExperimentLabel>& all = *rendering.all;
  for (const ExperimentLabel& label : all) {
    owned.insert(without_extension(record_path(label, "md")));
  }
  const HistoricalEntries historical = read_historical(workspace);
  for (const std::string& fault : historical.faults) found.push_back(fault);
  for (const HistoricalEntry& entry : historical.entries) {
    owned.insert(without_extension(historical_path(entry)));
  }
  // Each record's findings by themselves, so that threads need not wait for each other; a record
  // that cannot be rendered hides what would be said of all rendered documents.
  struct OfRecord {
    std::string error;
    std::vector<std::string> json, md;
  };
  std::vector<OfRecord> of_records(all.size());
  const auto compare = [&](const std::string& path, const std::string& text,
                           std::vector<std::string>& lines) {
    const std::string folder = path.substr(0, path.find_last_of('/'));
    if (known.contains(path) || known.contains(folder)) return;
    const std::string finding = check_file(workspace, path, text);
    if (!finding.empty()) lines.push_back(finding);
  };
  for (const HistoricalEntry& entry : historical.entries) {
    compare(historical_path(entry), render_historical(entry), found);
  }
  in_parallel(all.size(), [&](std::size_t i) {
    std::optional<StoredExperiment> stored;
    try {
      stored.emplace(store, all[i].slug);
      compare(record_path(all[i], "json"), export_experiment(store, all[i], *stored),
              of_records[i].json);
      if (whole) {
        compare(record_path(all[i], "md"), rendering.record(i, *stored), of_records[i].md);
      }
    } catch (const Error& error) {
      of_records[i].error = error.what();
    }
    if (also && stored) also(all[i], *stored);
  });
  bool rendered = whole;
  for (const OfRecord& record : of_records) {
    if (record.error.empty()) continue;
    rendered = false;
    found.push_back(record.error);
  }
  // Written by the first calibration; a history without one of its own need not have it.
  if (std::filesystem::exists(workspace + "/" + kCalibrationsPath)) {
    compare(kCalibrationsPath, export_calibrations(store), found);
  }
  if (rendered) compare(kIndexPath, rendering.index(), found);
  for (const OfRecord& record : of_records) {
    found.insert(found.end(), record.json.begin(), record.json.end());
    if (rendered) found.insert(found.end(), record.md.begin(), record.md.end());
  }
  for (const std::string& path : unowned_records(workspace, owned)) {
    if (is_orphan(workspace, path)) {
      found.push_back(fmt::format(
          "{}:1: its record {}.json is gone: restore that one, or `assay index` removes this one",
          path, without_extension(path)));
    } else {
      found.push_back(
          fmt::format("{}:1: belongs to no experiment of the database; move it away", path));
    }
  }
  return found;
}

std::vector<std::string> remove_orphans(const Store& store, const std::string& workspace) {
  std::set<std::string> owned;
  for (const ExperimentLabel& label : store.experiments()) {
    owned.insert(without_extension(record_path(label, "md")));
  }
  for (const HistoricalEntry& entry : read_historical(workspace).entries) {
    owned.insert(without_extension(historical_path(entry)));
  }
  std::vector<std::string> removed;
  for (const std::string& path : unowned_records(workspace, owned)) {
    if (!is_orphan(workspace, path)) continue;
    std::error_code error;
    if (std::filesystem::remove(workspace + "/" + path, error)) removed.push_back(path);
  }
  return removed;
}

}  // namespace assay
