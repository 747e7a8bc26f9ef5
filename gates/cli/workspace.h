// The workspace of a command: folder, database, and the tidying up that opening it does.
//
// Opening finishes what an earlier command could not, in this order, and says each thing on
// standard error:
//   1. the record files of a renumbering that was cut short get their new names; committed runs
//   that the database lacks come in, each file by itself, and a record whose file was renamed
//   elsewhere gets that number (recorder/renumber.h);
//   2. an import whose history is in but whose files are not all written is completed
//   (import_steps.h), a renumbering likewise, and a LAND whose verdict is recorded but whose file
//   change is not (gates/landing.h);
//   3. runs whose process is gone are ended as "killed", with all they recorded kept;
//   4. records older than their experiment's last run are written again.
// Before these it removes, in silence, the temporary files of killed writers; those among the notes
// are left to commands that do more than read.
// Renumbering and steps 2 to 4 need the lock of workspace and database, which says that no other
// command is writing. Commands that only read go on without them while another command holds it;
// commands that write wait for it some seconds, and say for whom. A reader that finds a record out
// of place meanwhile waits a moment as well, since it may be on its way to another number.
//
// Where the database cannot be written (a folder or mount that is read-only), reading commands work
// on a copy of it in memory, committed records included, and change nothing.
//
// A committed record that cannot come in is told, and does not hide the others: a command that
// reads answers from what there is and ends with 3, one that writes ends with 3 before it writes.
// Steps 2 to 4 wait until it is mended: what they write is made from the whole history. The same
// holds where something else than this program changed the database, until `check` has found its
// history to be what was sealed.
//
// Invariant: a command that writes holds the lock from here to its end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/definition.h"
#include "experiments/record/view.h"
#include "gates/cli/command.h"
#include "gates/runner.h"
#include "recorder/store.h"
#include "recorder/text_form.h"

namespace assay {

enum class Access {
  kRead,    // trouble with old history is told, and exit_code() has it
  kCheck,   // as kRead, but leaves it to the command to say what findings() there are
  kWrite,   // takes the lock; trouble ends the command
  kSettle,  // as kWrite, but leaves open LANDs and imports alone: for `apply`
  kNumber,  // as kWrite, but goes on with findings(): for `renumber`, which settles some of them
};

// The folder named by --workspace, or the nearest one upwards that holds
// experiments/in_service.yaml. Error(kUsage) when there is none, or when a named one is not one.
std::string find_workspace(const CommonOptions& common);
// As find_workspace, but nothing when none was named and none found.
std::optional<std::string> look_for_workspace(const CommonOptions& common);

class Workspace {
 public:
  Workspace(const CommonOptions& common, Access access);

  const std::string& root() const { return root_; }
  const std::string& database() const { return database_; }
  Store& store() { return *store_; }
  const Store& store() const { return *store_; }
  // Committed records that could not come in; with Access::kRead or kCheck only.
  const std::vector<ImportReport::Finding>& findings() const { return findings_; }
  // The store is a copy: what is written to it is gone afterwards.
  bool in_memory() const { return in_memory_; }
  // What a command that has answered ends with: 3 when part of the history is missing, else 0.
  int exit_code() const;

  // By slug or number. Error(kUsage) that says what to do when it was never proposed.
  ExperimentLabel experiment(const std::string& id) const;
  ExperimentView view(const ExperimentLabel& label) const;
  // The definition as it was frozen.
  Definition frozen(const ExperimentLabel& label, const ExperimentView& seen) const;
  // The runner's surroundings; lines go to standard output, or to standard error under --json.
  RunContext context(const CommonOptions& common);
  // After renumbering: files of earlier names go, what they stood against comes in, and documents
  // are written where nothing else is found.
  void settle_numbers();
  // Writes the experiment's record and the index; the record's path, relative to the workspace.
  // An Error says that what was recorded is kept.
  std::string publish(const ExperimentLabel& label);

 private:
  bool take_lock(double patience_s);  // false where another command, or the folder, keeps it
  void open_store(bool reads, bool may_copy);
  void move_records(bool reads);
  void import_committed(Access access);
  void tidy_up(Access access);
  void finish_imports();
  void finish_landings();
  void end_dead_runs();
  void write_late_records();

  std::string root_;
  std::string database_;
  std::string who_;  // "assay query"
  std::unique_ptr<WorkspaceLock> lock_;
  std::unique_ptr<Store> store_;
  bool in_memory_ = false;
  std::vector<ImportReport::Finding> findings_;
  bool unfinished_records_ = false;  // a killed writer may have left something in their folder
};

// The change of a LAND that waits applied to its file, its run ended, and a line for people.
void finish_landing(Workspace& workspace, const std::string& slug);

// Host, device and program version: the provenance of a run that measures nothing.
nlohmann::json light_provenance();

// What went wrong once a command had done its part: to repeat it would do that twice.
std::string for_the_next_command(std::string what);

}  // namespace assay
