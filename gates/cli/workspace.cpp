#include "gates/cli/workspace.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "engine/core/device.h"
#include "engine/core/error.h"
#include "engine/core/new_file.h"
#include "engine/core/utc_time.h"
#include "engine/core/whole_file.h"
#include "gates/cli/import_steps.h"
#include "gates/cli/tell.h"
#include "gates/environment.h"
#include "gates/landing.h"
#include "recorder/calibration_form.h"
#include "recorder/document.h"
#include "recorder/renumber.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// How long a command waits for another: as long as tidying up and a note take, not an experiment.
constexpr double kLockPatience_s = 5;
constexpr double kMovingPatience_s = 2;  // of a reader: as long as the files of a record move
// Nothing of ours keeps readers out of the database for long; a writer may have to wait for the
// whole of a large import.
constexpr double kReaderPatience_s = 10;
constexpr double kWriterPatience_s = 30;

constexpr const char* kServiceMap = "experiments/in_service.yaml";

// Milliseconds since 1970 of a time in the records; 0 when it is none.
std::int64_t milliseconds_of(const std::string& at) {
  const auto time = utc_time(at).value_or(std::chrono::system_clock::time_point());
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// Milliseconds since 1970 of the file's last change; nothing when it is absent.
std::optional<std::int64_t> changed_at(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000 +
         status.st_mtim.tv_nsec / 1'000'000;
}

bool has_applied(const std::vector<Event>& events) {
  return std::any_of(events.begin(), events.end(),
                     [](const Event& event) { return event.kind == EventKind::kApplied; });
}

fs::path current_folder() {
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  if (!error) return folder;
  throw Error(ErrorKind::kUsage,
              fmt::format("the current folder cannot be told ({}): it was deleted, or is out of "
                          "reach; go into one that is there",
                          error.message()));
}

// Holds what else a workspace has; only its map is gone. Others call folders so, too, and have
// neither records nor a database in them.
bool lacks_map_only(const fs::path& folder) {
  return fs::is_directory(folder / "experiments") &&
         (fs::is_directory(folder / "results/records") || fs::exists(folder / "results/assay.db"));
}

[[noreturn]] void refuse_lost_map(const fs::path& folder) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{0}: {1} is missing, the map by which a workspace is known; restore it "
                          "(git -C {0} checkout -- {1})",
                          folder.string(), kServiceMap));
}

}  // namespace

std::optional<std::string> look_for_workspace(const CommonOptions& common) {
  if (!common.workspace.empty()) {
    if (!fs::exists(fs::path(common.workspace) / kServiceMap)) {
      if (lacks_map_only(common.workspace)) refuse_lost_map(common.workspace);
      throw Error(ErrorKind::kUsage, fmt::format("--workspace {}: not a workspace: it holds no {}",
                                                 common.workspace, kServiceMap));
    }
    return fs::canonical(common.workspace).string();
  }
  for (fs::path folder = current_folder();; folder = folder.parent_path()) {
    if (fs::exists(folder / kServiceMap)) return folder.string();
    if (folder == folder.root_path()) return std::nullopt;
  }
}

std::string find_workspace(const CommonOptions& common) {
  if (const std::optional<std::string> found = look_for_workspace(common)) return *found;
  for (fs::path folder = current_folder(); folder != folder.root_path();
       folder = folder.parent_path()) {
    if (lacks_map_only(folder)) refuse_lost_map(folder);
  }
  throw Error(
      ErrorKind::kUsage,
      fmt::format("no workspace here: neither {} nor any folder above it holds {}; go into a "
                  "workspace, or name one with --workspace DIR",
                  current_folder().string(), kServiceMap));
}

Workspace::Workspace(const CommonOptions& common, Access access) : root_(find_workspace(common)) {
  database_ = common.db.empty() ? root_ + "/results/assay.db" : common.db;
  const bool reads = access == Access::kRead || access == Access::kCheck;
  who_ = "assay " + common.command;
  // The lock of a reader is for the tidying up only. That another command has it, or that the
  // folder cannot be written, leaves reading possible.
  if (reads) {
    take_lock(0);
  } else {
    lock_ = std::make_unique<WorkspaceLock>(
        root_, database_, LockPatience{.who = who_, .seconds = kLockPatience_s, .tell = tell});
  }
  // A path given with --db that holds nothing is a mistake to name, not an empty history.
  open_store(reads, reads && (common.db.empty() || fs::exists(database_)));
  if (lock_ != nullptr && !in_memory_) move_records(reads);
  import_committed(access);
  // What tidying up writes is made from the whole history.
  if (lock_ != nullptr && !in_memory_ && findings_.empty()) tidy_up(access);
  if (reads) lock_.reset();
}

bool Workspace::take_lock(double patience_s) {
  try {
    lock_ = std::make_unique<WorkspaceLock>(
        root_, database_, LockPatience{.who = who_, .seconds = patience_s, .tell = {}});
  } catch (const Error&) {
    return false;
  }
  return true;
}

void Workspace::tidy_up(Access access) {
  for (const char* folder : {"experiments", "experiments/definitions", "results"}) {
    NewFile::remove_unfinished(root_ + "/" + folder);
  }
  // A large folder, which a question has no other reason to list.
  if (access != Access::kRead) NewFile::remove_unfinished(root_ + "/experiments/notes");
  // The largest folder was listed a moment ago.
  if (unfinished_records_) NewFile::remove_unfinished(root_ + "/results/records");
  try {
    end_renumbers(*store_, root_);
    if (access != Access::kSettle) {
      finish_imports();
      finish_landings();
    }
    end_dead_runs();
    write_late_records();
  } catch (const Error& error) {
    if (access != Access::kRead && access != Access::kCheck) throw;
    // Trouble of the database itself would come again from the command, so it is said once: by the
    // error, or by `check` among its findings.
    const bool database = std::string(error.what()).starts_with(database_ + ":");
    if (database && access == Access::kRead) throw;
    if (!database) tell(error.what());
  }
}

void Workspace::move_records(bool reads) {
  for (const PendingRenumber& pending : pending_renumbers(*store_)) {
    try {
      move_record_files(pending, *store_, root_);
    } catch (const Error& error) {
      if (!reads) throw;
      tell(error.what());
      continue;
    }
    tell(fmt::format("{}: its record is number {} now, as an earlier command had begun",
                     pending.body.slug, pending.body.number));
  }
}

void Workspace::settle_numbers() {
  for (const PendingRenumber& pending : pending_renumbers(*store_)) {
    move_record_files(pending, *store_, root_);
  }
  import_committed(Access::kNumber);
  if (findings_.empty()) tidy_up(Access::kNumber);
}

void Workspace::open_store(bool reads, bool may_copy) {
  in_memory_ = may_copy && !Store::can_write(database_);
  const Store::Patience patience{.seconds = reads ? kReaderPatience_s : kWriterPatience_s,
                                 .tell = tell};
  if (!in_memory_) {
    try {
      store_ = std::make_unique<Store>(database_, false, patience);
      return;
    } catch (const Error& error) {
      const std::string what = error.what();
      const bool full = what.find(": the disk is full") != std::string::npos ||
                        what.find(": the disk refused") != std::string::npos;
      if (!may_copy || !full || !fs::exists(database_)) throw;
      tell(what + "; answering from a copy in memory");
      in_memory_ = true;
    }
  }
  store_ = std::make_unique<Store>(Store::copy_in_memory(database_, patience));
}

void Workspace::import_committed(Access access) {
  const bool alone = lock_ != nullptr || in_memory_;
  ImportReport report =
      import_workspace(*store_, root_, alone ? Follow::kRenamed : Follow::kNothing);
  // A record may have been met on its way to another number.
  if (!alone && !report.findings.empty() && take_lock(kMovingPatience_s)) {
    move_records(true);
    report = import_workspace(*store_, root_);
  }
  if (!in_memory_) {
    for (const std::string& line : report.lines) tell(line);
  }
  findings_ = std::move(report.findings);
  if (store_->changed_by_hand() && access != Access::kCheck) {
    const std::string what = database_ +
                             ": its tables, indexes or triggers were changed by something else "
                             "than this program (VACUUM does that, too), and perhaps its history: "
                             "`assay check` says whether that is what was sealed";
    if (access != Access::kRead) {
      throw Error(ErrorKind::kCheckFound, what + "; nothing was written");
    }
    findings_.push_back({database_, what});
  }
  unfinished_records_ = report.unfinished;
  if (access == Access::kCheck || access == Access::kNumber) return;
  for (const ImportReport::Finding& finding : findings_) tell(finding.text);
  if (access == Access::kRead || findings_.empty()) return;
  const std::size_t count = findings_.size();
  throw Error(ErrorKind::kCheckFound,
              fmt::format("nothing was written: {} committed record{} above {} to be mended first, "
                          "since the history is not whole without {}",
                          count, count == 1 ? "" : "s", count == 1 ? "has" : "have",
                          count == 1 ? "it" : "them"));
}

int Workspace::exit_code() const {
  return findings_.empty() ? 0 : static_cast<int>(ErrorKind::kCheckFound);
}

void Workspace::finish_imports() {
  const std::optional<PendingImport> pending = pending_import(*store_);
  if (!pending) return;
  finish_import(*pending, *store_, root_);
  tell("finished an import that an earlier command had begun");
}

void Workspace::finish_landings() {
  for (const OpenIntent& open : open_intents(*store_)) finish_landing(*this, open.slug);
}

void finish_landing(Workspace& workspace, const std::string& slug) {
  for (const OpenIntent& open : open_intents(workspace.store())) {
    if (open.slug != slug) continue;
    apply_intent(open, workspace.root(), workspace.store());
    tell(fmt::format("{}: landed: {} now has it", slug, open.intent.path));
    workspace.publish(workspace.experiment(slug));
  }
}

void Workspace::end_dead_runs() {
  const std::vector<OpenIntent> landing = open_intents(*store_);
  const std::optional<PendingImport> import = pending_import(*store_);
  for (const Store::StoredRun& run : store_->unfinished_runs()) {
    const bool waits = std::any_of(landing.begin(), landing.end(),
                                   [&](const OpenIntent& open) { return open.run == run.id; });
    if (waits || (import && import->run == run.id)) continue;
    const std::string whose = run.slug.empty() ? "a calibration" : run.slug;
    if (has_applied(store_->run_events(run.id))) {
      store_->end_run(run.id, {"landed", 0, "applied; ended by a later command"});
      tell(fmt::format("{}: its LAND was applied before its process was killed", whose));
    } else {
      store_->end_run(
          run.id,
          {"killed", -1, "the process ended before the run did; what it had recorded is kept"});
      tell(fmt::format("{}: an earlier run was killed before its end; what it recorded is kept",
                       whose));
    }
    if (run.slug.empty()) continue;
    if (const auto label = store_->find(run.slug)) publish(*label);
  }
}

void Workspace::write_late_records() {
  constexpr std::int64_t kSlackMs = 100;  // file clocks tick coarsely
  for (const std::string& slug : store_->unwritten()) {
    const std::vector<Store::StoredRun> runs = store_->runs(slug);
    const std::optional<ExperimentLabel> label = store_->find(slug);
    if (runs.empty() || !label) continue;
    const std::string path = root_ + "/results/records/" + record_stem(*label) + ".json";
    const std::optional<std::int64_t> written = changed_at(path);
    // An absent record is not written here: that it is gone is for `check` to say.
    if (!written) continue;
    const std::string last = store_->last_event_at(runs.back().id);
    if (last.empty() || milliseconds_of(last) <= *written + kSlackMs) {
      store_->record_is_written(slug);
      continue;
    }
    // A copied or freshly checked-out folder may give a whole record an old time.
    const std::optional<std::string> before = read_whole_file(path);
    publish(*label);
    if (read_whole_file(path) == before) continue;
    tell(fmt::format("{}: wrote the record that an interrupted command had left behind", slug));
  }
}

ExperimentLabel Workspace::experiment(const std::string& id) const {
  if (const auto label = store_->find(id)) return *label;
  const std::string file = "experiments/definitions/" + id + ".yaml";
  if (fs::exists(fs::path(root_) / file)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} was never proposed: `assay propose {}` first", id, file));
  }
  if (id.starts_with("hist-") &&
      fs::exists(fs::path(root_) / ("experiments/historical/" + id + ".yaml"))) {
    throw Error(ErrorKind::kUsage, fmt::format("{0} is an entry from elsewhere, no experiment of "
                                               "this history: `assay show {0}` has all of it",
                                               id));
  }
  if (!findings_.empty()) {
    throw Error(ErrorKind::kCheckFound,
                fmt::format("no experiment {} among those that could be read; mend the records "
                            "first",
                            id));
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("no experiment {}: `assay query` lists those there are; a new one starts "
                          "with `assay propose FILE`",
                          id));
}

ExperimentView Workspace::view(const ExperimentLabel& label) const {
  return fold(store_->events(label.slug));
}

Definition Workspace::frozen(const ExperimentLabel& label, const ExperimentView& seen) const {
  if (seen.proposal.definition.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{} has a number but no frozen definition (its proposal was cut short): "
                    "`assay propose experiments/definitions/{}.yaml` again",
                    label.slug, label.slug));
  }
  return parse_definition(seen.proposal.definition, label.slug + ".yaml, as frozen");
}

RunContext Workspace::context(const CommonOptions& common) {
  std::ostream& out = common.json ? std::cerr : std::cout;
  return {.history = *store_,
          .journal = *store_,
          .workspace = root_,
          .worker_path = common.worker,
          .argv = common.argv,
          .say = [&out](const std::string& line) { out << line << std::endl; }};
}

std::string for_the_next_command(std::string what) {
  constexpr std::string_view kRepeat = ", then repeat the command";
  if (what.ends_with(kRepeat)) what.resize(what.size() - kRepeat.size());
  return what + "; do not repeat this command: `assay index` writes what is missing";
}

std::string Workspace::publish(const ExperimentLabel& label) {
  try {
    write_record(*store_, label, root_);
    write_calibrations(*store_, root_);
    store_->record_is_written(label.slug);
  } catch (const Error& error) {
    throw Error(error.kind(),
                fmt::format("{:04} {}: what this command had to record is kept, but not all of its "
                            "documents are written: {}",
                            label.number, label.slug, for_the_next_command(error.what())));
  }
  return "results/records/" + record_stem(label) + ".md";
}

nlohmann::json light_provenance() {
  return {{"host", host_name()},
          {"device", cpu_model_name()},
          {"device_key", std::string(device_key(cpu_level()))},
          {"version", ASSAY_VERSION}};
}

}  // namespace assay
