// Historical entries: what was learnt elsewhere, before this history began. One file of
// experiments/historical/ per entry, written by people in their own words:
//
//   id: hist-60
//   slug: attention-double-buffer
//   title: A second K/V buffer in prefill attention
//   levers: [attention_prefill.kv, attention_prefill.tq]
//   op: attention_prefill
//   class: bitwise
//   verdict: REVERT
//   reason: identity
//   device: NVIDIA, model not recorded
//   date: 2026-09-06
//   asked: >  ...            found: >  ...           (what was tried, what came of it)
//   effects: [{what: whole prefill, before: 1568.7, after: 1777.5, unit: tok/s, change: "+13.3 %"}]
//   veto: >  ...             retry_when: >  ...      (required of a REVERT)
//   lessons: [...]
//   meets: {op: attention_prefill, changes: [tq, kv]}  (law_predicate.h)
//
// They stand outside the sequence of numbers and count for nothing but this: a definition that
// `meets` speaks of is shown the entry, and must answer one that was reverted. Nothing in them was
// measured here, and everything that shows them says so.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/law_predicate.h"

namespace assay {

inline constexpr const char* kHistoricalFolder = "experiments/historical";  // in a workspace

struct HistoricalEffect {
  std::string what;  // "split kernel, 7B at 1,641 positions"
  double before = 0, after = 0;
  std::string unit;
  std::string change;  // "+64 %"
};

struct HistoricalEntry {
  std::string id;    // "hist-60"
  std::string slug;  // for the file's name
  std::string title;
  std::vector<std::string> levers;  // may name some that no variant has here
  std::string op;
  LeverClass lever_class = LeverClass::kBitwise;
  std::string verdict;  // "LAND" or "REVERT"
  std::string reason;   // "" for LAND
  std::string device;
  std::string date;  // may be empty
  std::string asked, found;
  std::vector<HistoricalEffect> effects;
  std::string veto, retry_when;
  std::vector<std::string> lessons;
  std::optional<LawPredicate> meets;
  std::string path;  // of its file, relative to the workspace
  std::string text;  // the file's bytes

  // "hist-60-attention-double-buffer": of the rendered record.
  std::string stem() const { return id + "-" + slug; }
};

// "from another GPU (NVIDIA, model not recorded), not measured here"
std::string historical_origin(const HistoricalEntry& entry);

// Error(kUsage) FILE:LINE:COLUMN with a caret.
HistoricalEntry parse_historical(const std::string& text, const std::string& file_name);

struct HistoricalEntries {
  std::vector<HistoricalEntry> entries;  // by the number in their ids
  std::vector<std::string> faults;       // one per file that is not one
};
// Those of a workspace; none where there is no folder. A file with a fault does not hide the
// others.
HistoricalEntries read_historical(const std::string& workspace);
// By id, stem or slug; null when there is none.
const HistoricalEntry* find_historical(const std::vector<HistoricalEntry>& entries,
                                       const std::string& id);

// As `assay show --json` prints it.
nlohmann::ordered_json historical_json(const HistoricalEntry& entry);

}  // namespace assay
