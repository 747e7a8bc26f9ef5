// A LAND's change to the service map, safe against a crash at any point.
//
// Invariants: (1) a verdict is never lost; (2) the file is never half-written; (3) file and record
// never disagree silently.
//
//   verdict + intent committed --(a)--> file renamed into place, folder synced --(b)--> `applied`
//
// With an open intent at start: file equals *before*: do (a) and (b); equals *after*: do (b);
// anything else: Error(kUsage) with a three-way diff, to be settled by `assay apply`.
#pragma once

#include <string>
#include <vector>

#include "experiments/record/history.h"
#include "experiments/record/journal.h"

namespace assay {

struct OpenIntent {
  std::string slug;
  std::string run;  // the run whose verdict carries it; not yet ended
  Intent intent;
};

// Verdicts with an intent and no `applied`.
std::vector<OpenIntent> open_intents(const History& history);

// Steps (a) and (b) as the invariants say; then the run is ended (outcome "landed", exit 0).
void apply_intent(const OpenIntent& open, const std::string& workspace, Journal& journal);

// Whether the run of a LAND ended with its file kept as it was, by `assay apply --discard`.
bool kept_the_file(const RunEnded& ended);

// `assay apply`: with the file neither before nor after, either puts the landed row into the file
// as it is now, or (`discard`) records that the file stays as it is. Then the run is ended.
void settle_intent(const OpenIntent& open, const std::string& workspace, const History& history,
                   Journal& journal, bool discard);

}  // namespace assay
