// The committed text form: results/records/NNNN-slug.json, canonical JSON, one file per experiment.
// It holds the history when shared: label, runs with seals, events, sources, and the A/A effects
// that a verdict used. Export of an imported file gives the same bytes.
#pragma once

#include <string>
#include <vector>

#include "recorder/store.h"
#include "recorder/stored_experiment.h"

namespace assay {

// Canonical JSON: sorted keys, two-space indent, shortest round-trip numbers, newline at the end.
std::string canonical_json(const nlohmann::json& json);

// "results/records/0007-slug.json" for an experiment; "0007-slug" as stem.
// Error(kCheckFound) where a sealed run of it is not as it was sealed, or a source not what its
// hash says: such a text must not take the place of a record, nor leave this machine.
void refuse_unsound(const Store& store, const ExperimentLabel& label,
                    const StoredExperiment& stored);
std::string record_stem(const ExperimentLabel& label);
std::string export_experiment(const Store& store, const ExperimentLabel& label);
// The same of what was read already.
std::string export_experiment(const Store& store, const ExperimentLabel& label,
                              const StoredExperiment& stored);
void write_record_json(const Store& store, const ExperimentLabel& label,
                       const std::string& workspace);

// Reads what export_experiment wrote. Error(kCheckFound) "LINE: what is wrong" for text that is not
// of that form, or of another experiment than `stem` names.
Store::ImportedExperiment read_record_text(const std::string& text, const std::string& stem);

// What an import did, and what it could not take in.
struct ImportReport {
  struct Finding {
    std::string path;  // relative to the workspace
    std::string text;  // "path:line: what is wrong; what to do"
  };
  std::vector<std::string> lines;  // for people: what came in
  std::vector<Finding> findings;   // one per file that is damaged, clashes or cannot be read
  bool unfinished = false;         // the records' folder may hold what a killed writer left
};

// Imports every committed run that the store lacks from `workspace`/results/records, and every A/A
// effect from results/calibrations.json (calibration_form.h). Files of known
// path, size and time are not read again. A file with a fault is a finding and leaves no part of
// itself; every other one comes in. Error for trouble with the database itself.
// A label follows a file that got another name, but not for who holds no lock of the workspace:
// that file may be on its way.
enum class Follow { kRenamed, kNothing };
ImportReport import_workspace(Store& store, const std::string& workspace,
                              Follow follow = Follow::kRenamed);

}  // namespace assay
