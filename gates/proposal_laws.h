// What is known already, held against a definition: laws, historical entries, and records that
// judged the same candidate.
//
// What speaks against a definition must be answered in it, or `propose` refuses it: `answers` has
// the slug of the law or entry and says why this is different; a record of the same candidate is
// answered there or by `supersedes`. That is also the way to set out to refute a law: the verdict
// then changes the law's state by itself (experiments/law_state.h).
#pragma once

#include <string>
#include <vector>

#include "experiments/historical.h"
#include "experiments/law_state.h"
#include "gates/runner.h"

namespace assay {

// A record that judged the very candidate of a definition, on its workload.
struct SameAsked {
  ExperimentLabel label;
  std::string verdict;  // "REVERT (identity)"
};

// Everything that is held against a definition, gathered once.
struct KnownGround {
  std::vector<Law> laws;
  std::vector<HistoricalEntry> historical;
  std::vector<LawRecord> records;
  std::vector<SameAsked> same;
  std::vector<std::string> answerable;  // slugs that an answer may name
};

// What meets this definition, in order: laws, then historical entries. `device` is the name of the
// device that will run it, where that is known. Error(kUsage) at a place of the definition where
// one is against it and not answered, and for an answer to something that there is not.
std::vector<LawTouched> meet(const Definition& definition, const LawSubject& subject,
                             const std::string& device, const KnownGround& known);

// The lines of `propose` for these.
std::vector<std::string> touched_lines(const std::vector<LawTouched>& touched);

// The same for a workspace: reads laws, entries, map and history, checks, adds lines and
// stored["laws"].
void check_known_ground(const Definition& definition, const RunContext& context,
                        ProposalCheck& check);

}  // namespace assay
