// Whether laws hold, derived from verdicts: every recorded experiment that a law speaks of either
// bears it out, contradicts it, or says nothing about it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/law.h"
#include "experiments/record/history.h"

namespace assay {

// One attempt, as laws see it.
struct LawRecord {
  int number = 0;
  std::string slug;
  LawSubject subject;
  std::string device, compiler;  // of the run that decided
  std::string verdict, reason;   // empty without a verdict
  bool bits_equal = false;       // identity and parity were green in one run
};
// The attempts of an experiment that reached a gate; none where its definition names a lever or a
// variant that is gone.
std::vector<LawRecord> law_records(const ExperimentLabel& label, const ExperimentView& view);
std::vector<LawRecord> law_records(const History& history);

struct LawState {
  std::vector<LawRecord> upheld, contradicted;  // within the law's scope
  // "contradicted", "upheld", or "not met yet".
  std::string word() const;
};
LawState state_of(const Law& law, const std::vector<LawRecord>& records);

// What an attempt says of a law's claim: +1 bears it out, -1 contradicts it, 0 neither.
int says_of(const Law& law, const LawRecord& record);

// What is wrong with a workspace's laws, for `assay check`: a file that cannot be read, evidence
// that is no experiment of `history` and no historical entry. "experiments/laws.yaml:LINE: ...".
std::vector<std::string> law_faults(const std::string& workspace, const History& history);

// A law or a historical entry that met a definition when it was proposed, as the proposal stores it
// and the record shows it.
struct LawTouched {
  std::string slug;       // of a law, or "hist-60"
  std::string kind;       // "law" or "historical"
  std::string statement;  // one sentence
  std::string says;       // "against", "for", or "met" (a historical entry that stands for itself)
  std::string state;      // of a law, at that time; of a historical entry its verdict
  std::vector<std::string> evidence;
  std::string answer;  // the definition's; empty where none was needed
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LawTouched, slug, kind, statement, says, state,
                                                evidence, answer)
// Those of Proposed::preflight; none in records that are older than laws.
std::vector<LawTouched> laws_touched(const nlohmann::json& preflight);

}  // namespace assay
