// What a record is made of, gathered once: the sealed events' view, the parsed definition, the
// author's notes, the neighbours. Sections are pure functions of it.
//
// Only sealed runs are rendered, because only they are in the committed JSON: a document is then a
// function of committed files, and a rebuilt database gives the same bytes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/definition.h"
#include "recorder/document_model.h"
#include "recorder/store.h"

namespace assay {

// experiments/notes/<slug>.md by its "## " sections; titles in lower case. Text before the first
// one is under "".
struct Notes {
  std::string path;                             // relative to the workspace
  std::map<std::string, std::string> sections;  // with values in the place of their names
  std::vector<std::string> others;  // titles with no place of their own, as written, in order

  bool has(const std::string& title) const { return !section(title).empty(); }
  std::string section(const std::string& title) const;
};
Notes parse_notes(const std::string& path, const std::string& text);

// Experiments with at least one sealed run, by number; shared by the parts of all records.
using Recorded = std::shared_ptr<const std::vector<ExperimentLabel>>;

struct RecordParts {
  ExperimentLabel label;
  ExperimentView view;
  std::optional<Definition> definition;
  Notes notes;
  std::optional<ExperimentLabel> previous, next;
  Recorded all;  // every experiment with a sealed run; never null
  // Source texts by SHA-256, as far as they are stored.
  std::map<std::string, Store::SharedText> sources;
};

// Experiments with at least one sealed run, by number.
std::vector<ExperimentLabel> recorded_experiments(const Store& store);
// Events of sealed runs only.
std::vector<Event> sealed_events(const Store& store, const std::string& slug);
// `all`: asked of the store where it is null.
RecordParts gather(const Store& store, const ExperimentLabel& label, const std::string& workspace,
                   bool sealed_only, const Recorded& all = nullptr);
// The same of events that were read already.
RecordParts gather(const Store& store, const ExperimentLabel& label, const std::string& workspace,
                   std::span<const Event> events, const Recorded& all);
// As far as the index asks: without samples, sources and gates.
RecordParts gather_for_index(const Store& store, const ExperimentLabel& label,
                             const std::string& workspace, const Recorded& all);

// document.h, of parts that were gathered already.
std::string render_record(const RecordParts& parts);

// Lessons, veto mechanism and retry condition that a REVERT must have and has not; empty for
// others.
std::vector<std::string> lessons_owed(const ExperimentView& view, const Notes& notes);

// Title of the definition, or the slug.
std::string title_of(const RecordParts& parts);
// "LANDED", "REVERTED", "OPEN", ...
std::string status_mark(const ExperimentView& view);
// "2026-11-29": of the verdict, else of the closing, else of the proposal; "" when there is none.
std::string date_of(const ExperimentView& view);
// The reason of the latest judged REVERT; "" otherwise.
std::string reason_of(const ExperimentView& view);
// "LAND: +12.00 % (interval ...)": the verdict, its effect and the sentence of the gate that
// decided.
std::string result_sentence(const ExperimentView& view);
// The run of the verdict, else the last one; null without runs.
const RunView* verdict_run(const ExperimentView& view);
// The device that was judged on, by its name; "" where none was recorded.
std::string device_of(const ExperimentView& view);

// "2 times: agrees, too noisy to say": its replications (experiments/record/replication.h); "" when
// it has none.
std::string replications_text(const ExperimentView& view);

// Sections, in order.
void add_header(Document& document, const RecordParts& parts);
void add_background(Document& document, const RecordParts& parts);
void add_principle(Document& document, const RecordParts& parts);
void add_implementation(Document& document, const RecordParts& parts);
void add_replications(Document& document, const RecordParts& parts);  // part of Verification
void add_verification(Document& document, const RecordParts& parts);
void add_results(Document& document, const RecordParts& parts);
void add_lessons(Document& document, const RecordParts& parts);
void add_footer(Document& document, const RecordParts& parts);

}  // namespace assay
