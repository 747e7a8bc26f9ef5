// Another number for an experiment. A number is a label: it stands in the label's row, in the names
// and the "number" of the record's files, and in rendered documents; no hash covers it.
//
//   begin_renumber, begin_swap (one transaction: the labels, runs of their files, an open run of
//       each that says what)
//       --> move_record_files (the record under its new name, files of earlier names gone)
//       --> end_renumbers, once all history is in (documents that name it, and the run's end)
//
// Invariants: (1) a kill before the transaction's commit leaves nothing; (2) after it the run is
// open, and the next command that holds the lock does the other steps again: they may be done any
// number of times; (3) until then import_workspace passes over files of the earlier names; (4) such
// a file goes only once all that it holds is in the database.
//
// A number that was changed elsewhere arrives as a committed file with another name, by `git pull`
// say: follow_record_files gives the label here the same one.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "recorder/store.h"

namespace assay {

inline constexpr int kLargestNumber = 1'000'000;
// How far above the highest number in use a new one may be. A merge needs the highest of the other
// history; a slip of the hand would leave every later experiment up there.
inline constexpr int kMostAhead = 10'000;

// A file results/records/NNNN-slug.json, by its name alone.
struct RecordFile {
  std::string path;  // relative to the workspace
  ExperimentLabel label;
};
// By path; names of another form are left out.
std::vector<RecordFile> record_files_of(const std::string& workspace);

// Numbers after the largest of all labels and record files, one after another.
class FreeNumbers {
 public:
  FreeNumbers(const Store& store, const std::string& workspace);
  void taken(int number) { last_ = number > last_ ? number : last_; }
  int next() { return ++last_; }

 private:
  int last_ = 0;
};

struct PendingRenumber {
  std::string run;
  Renumbered body;
};
std::vector<PendingRenumber> pending_renumbers(const Store& store);

// Nothing when the experiment has this number, and no file says another one. It may be known from
// a record file only. Error(kUsage) for a number that another experiment has, here or by a file's
// name, and for files of this slug that do not come in; nothing is changed then.
std::optional<Renumbered> begin_renumber(Store& store, const std::string& workspace,
                                         const ExperimentLabel& label, const RunOpened& opened);
// Two experiments get each other's numbers. Error(kUsage) where one is known from a record file
// only, or has a file of another number.
void begin_swap(Store& store, const std::string& workspace, const ExperimentLabel& one,
                const ExperimentLabel& other, const RunOpened& opened);
void move_record_files(const PendingRenumber& pending, Store& store, const std::string& workspace);
void end_renumbers(Store& store, const std::string& workspace);

// Labels whose record file has another name now, of the same experiment, while no file has the name
// that the label says: they get the file's number, all at once. A line for people about each.
// `names` are those of the files in results/records, but of files that a renumbering leaves behind.
std::vector<std::string> follow_record_files(Store& store, const std::string& workspace,
                                             const std::vector<std::string>& names);

}  // namespace assay
