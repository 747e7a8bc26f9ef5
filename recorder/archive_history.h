// What an archive holds of a history, and how it comes into another one.
//
// Files: results/records/NNNN-slug.json (definition, runs, verdicts, sources), the notes of these
// experiments, results/calibrations.json, and the service maps as they stood. A definition is not
// there beside its record, which holds it as it was frozen.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/record/view.h"
#include "recorder/archive.h"
#include "recorder/store.h"

namespace assay {

// The maps that a workspace may have.
inline constexpr const char* kServiceMaps[] = {"experiments/in_service.yaml",
                                               "experiments/seeds.yaml"};

// Error(kUsage) for notes or a map that are not UTF-8.
ArchiveFiles history_files(const Store& store, const std::string& workspace,
                           const std::vector<ExperimentLabel>& labels);

// The same, read and each file judged by itself.
struct ArchivedHistory {
  std::vector<Store::ImportedExperiment> experiments;  // by number
  std::string calibrations;                            // text; "" where there is none
  std::map<std::string, std::string> notes;            // slug -> text
  std::map<std::string, std::string> maps;             // path -> text
};
// Error(kUsage) that names the file within the archive.
ArchivedHistory read_history(const ArchiveFiles& files);

// One experiment of the archive, once it is in.
struct MergedExperiment {
  ExperimentLabel label;
  std::vector<std::string> runs;  // that came in; none where all were here
  ExperimentView before, after;   // before: without runs where it was not here
  int sources = 0;                // that its runs name and that were not stored here
  bool proposed_there = false;    // by itself, and nothing came of it: what is here says all of it
};
struct MergedHistory {
  std::vector<MergedExperiment> experiments;
  int effects = 0;  // A/A effects that came in
};
// To be called within Store::together, so that a throw leaves nothing. Experiments that are not
// here are added; others get the runs that they lack. Error(kUsage) for a number or slug that
// another experiment has here, for a definition that was frozen in another form here, and for two
// histories of one experiment of which neither goes on from the other. All clashes of numbers are
// told together (number_clash.h, which says what `there` is).
MergedHistory merge_history(Store& store, const ArchivedHistory& history,
                            const std::string& there = "");

}  // namespace assay
