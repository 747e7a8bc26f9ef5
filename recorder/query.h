// Questions to history.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "recorder/store.h"

namespace assay {

struct QueryFilter {
  // Empty ones match everything. gate: "identity" (red there) or "identity=green"; model: part of a
  // workload's model; since: "2026-01-31"; text: as search_words.h reads it; gpu: part of the name
  // of a device that an attempt ran on; variant: an id that a candidate has, or stood against.
  std::string lever = {}, op = {}, verdict = {}, gate = {}, model = {}, since = {}, text = {},
              state = {}, gpu = {}, variant = {};
};

// One row per experiment, as `assay query --format json` prints it.
struct QueryRow {
  int number = 0;
  std::string slug, lever, lever_class, state;
  std::string verdict;  // LAND, REVERT, or empty (null in JSON)
  std::string reason;
  nlohmann::json effect;    // null or a fraction
  nlohmann::json interval;  // null or [low, high]
  int pairs = 0;
  nlohmann::json digests;  // {baseline, candidate} of the identity gate, or null
  nlohmann::json gates;    // gate -> outcome of the judged (or latest) attempt
  int attempts = 0;
  std::string title, date;
  std::string historical;            // "hist-60": in place of a number (null in JSON); else empty
  std::vector<std::string> devices;  // that attempts ran on: "NVIDIA H200"
  // One line each, or "". why: what the red gate, the timing or the closing said; next: whether
  // another attempt may be made.
  std::string why, veto, retry, next;
  // Where the words of a text filter stand, and some of the words around them.
  std::string place, snippet;
};

// Error(kUsage) unless `since` is a day of the calendar, written as 2026-01-31.
void check_since(const std::string& since);

// The names that a history knows, for a filter that matches nothing: was it a name at all?
struct HistoryNames {
  std::set<std::string> levers, ops, gates, outcomes, models, gpus, variants;
};

enum class TableFormat { kTable, kJson, kCsv, kMarkdown };
TableFormat parse_format(const std::string& text);  // Error(kUsage)
// `with_hits`: columns for place and snippet. JSON is one array, its `[` alone on a line. In every
// format but JSON, which escapes them, control characters are made visible.
std::string format_rows(const std::vector<QueryRow>& rows, TableFormat format,
                        bool with_hits = false);
// The answer to a statement, header first; in JSON, numbers and nulls are what they are, and a
// column's name that comes again gets its position: "n", "n:2".
std::string format_answer(const std::vector<Store::SqlRow>& rows, TableFormat format);
// Cells for the formats that are text only: not kJson.
std::string format_cells(const std::vector<std::vector<std::string>>& cells, TableFormat format);

}  // namespace assay
