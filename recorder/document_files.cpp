// The generated files of a workspace, written.
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "engine/core/sha256.h"
#include "engine/core/whole_file.h"
#include "recorder/bulk_files.h"
#include "recorder/calibration_form.h"
#include "recorder/document.h"
#include "recorder/document_rendering.h"
#include "recorder/file_stamp.h"
#include "recorder/historical_document.h"
#include "recorder/in_parallel.h"
#include "recorder/record_parts.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

// Nothing where no regular file is.
std::optional<Store::FileStamp> stamp_of_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return stamp_of(status);
}

// Without an entry that cannot be read it would lose that one's line.
bool index_may_be_written(const HistoricalEntries& historical) {
  return historical.faults.empty();
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
      if (near != i) refuse_unsound(store, all[near], StoredExperiment(store, all[near].slug));
      replace_file(workspace + "/" + path, render_record(store, all[near], workspace), path);
    }
  }
  if (!index_may_be_written(read_historical(workspace))) return;
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
        if (stored) return *stored;
        stored.emplace(rendering_.store, all[i].slug);
        refuse_unsound(rendering_.store, all[i], *stored);
        return *stored;
      };
      write_one(record_path(all[i], "json"), made[i],
                [&] { return export_experiment(rendering_.store, all[i], read()); });
      write_one(record_path(all[i], "md"), made[i], [&] { return rendering_.record(i, read()); });
    });
    const HistoricalEntries historical = read_historical(rendering_.workspace);
    for (const HistoricalEntry& entry : historical.entries) {
      const std::string text = render_historical(entry);
      whole.update(text);
      write_one(historical_path(entry), program_ + sha256_hex(text), [&] { return text; });
    }
    if (index_may_be_written(historical)) {
      write_one(kIndexPath, whole.hex(), [&] { return rendering_.index(); });
    }
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

}  // namespace assay
