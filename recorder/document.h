// Rendered documents: one Markdown record per experiment, and the index.
//
// A record has a header (number, slug, title, result, verdict, date, provenance), six sections
// (Background, Principle, Implementation, Verification, Results, Lessons) and a footer (previous,
// index, next). The machine's parts come from the events, the author's from the frozen definition
// and experiments/notes/<slug>.md. The first line says that the file is generated.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "recorder/store.h"
#include "recorder/stored_experiment.h"
#include "recorder/text_form.h"

namespace assay {

// `all`: every experiment with a sealed run; asked of the store where it is null.
std::string render_record(const Store& store, const ExperimentLabel& label,
                          const std::string& workspace,
                          const std::shared_ptr<const std::vector<ExperimentLabel>>& all = nullptr);
std::string render_index(const Store& store, const std::string& workspace);

// Writes results/records/NNNN-slug.{json,md} of one experiment, and results/index.md.
void write_record(const Store& store, const ExperimentLabel& label, const std::string& workspace);
// Writes all records, the index and the calibrations; returns how many files changed. A file that
// has the size and the time of when it was written is taken for unchanged, unless `all` is asked
// for.
int write_all(const Store& store, const std::string& workspace, bool all = false);

// Rendered records whose experiment is gone (its record got another number, say): removed, their
// paths returned. A file of another origin, or beside a record that could not be read, stays.
std::vector<std::string> remove_orphans(const Store& store, const std::string& workspace);

// Generated files against what would be rendered now, committed JSON against the database, records
// that are missing, records that could not be imported: lines "path:line: what differs". Where a
// part of history could not be read, rendered documents are left out: they name their neighbours.
// `also` looks at what was read of each experiment that could be read; on two threads.
using LookAlso = std::function<void(const ExperimentLabel&, StoredExperiment&)>;
std::vector<std::string> check_files(const Store& store, const std::string& workspace,
                                     const std::vector<ImportReport::Finding>& not_imported = {},
                                     const LookAlso& also = nullptr);

// The same text as a record, for a terminal.
std::string render_terminal(const Store& store, const ExperimentLabel& label,
                            const std::string& workspace, bool color);

}  // namespace assay
