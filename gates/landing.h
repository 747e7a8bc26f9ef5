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
#include "gates/land_claim.h"

namespace assay {

struct OpenIntent {
  std::string slug;
  std::string run;  // the run whose verdict carries it; not yet ended
  Intent intent;
  std::optional<LandClaim> claim;
  std::string fault;  // why there is no claim
};

// Verdicts with an intent and no `applied`.
std::vector<OpenIntent> open_intents(const History& history);

// Steps (a) and (b) as the invariants say; then the run is ended (outcome "landed", exit 0).
// Error(kUsage) also where the LAND may not touch its rows, or its intent changes others.
void apply_intent(const OpenIntent& open, const std::string& workspace, Journal& journal);

// `assay apply`: with the file neither before nor after, either puts the landed row into the file
// as it is now, or (`discard`) records that the file stays as it is. Then the run is ended.
void settle_intent(const OpenIntent& open, const std::string& workspace, Journal& journal,
                   bool discard);

// The same for a LAND that is on record as whole: a run of its own, `opened`, says what was
// settled. `text` is the file's by now.
void record_settlement(const LandClaim& claim, const std::string& text, bool kept,
                       const RunOpened& opened, Journal& journal);

}  // namespace assay
