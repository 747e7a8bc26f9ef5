// Questions to history.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "recorder/store.h"

namespace assay {

struct QueryFilter {
  // Empty ones match everything. gate: "identity" (red there) or "identity=green"; model: part of a
  // workload's model; since: "2026-01-31"; text: part of the definition.
  std::string lever = {}, op = {}, verdict = {}, gate = {}, model = {}, since = {}, text = {},
              state = {};
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
  std::string historical;  // "hist-60": in place of a number (null in JSON); else empty
};

// Error(kUsage) unless `since` is a day of the calendar, written as 2026-01-31.
void check_since(const std::string& since);

std::vector<QueryRow> query(const Store& store, const QueryFilter& filter);

// The names that a history knows, for a filter that matches nothing: was it a name at all?
struct HistoryNames {
  std::set<std::string> levers, ops, gates, outcomes, models;
};
HistoryNames names_in(const Store& store);

enum class TableFormat { kTable, kJson, kCsv, kMarkdown };
TableFormat parse_format(const std::string& text);  // Error(kUsage)
// JSON is one array, its `[` alone on a line. In every format but JSON, which escapes them, control
// characters are made visible.
std::string format_rows(const std::vector<QueryRow>& rows, TableFormat format);
// The answer to a statement, header first; in JSON, numbers and nulls are what they are, and a
// column's name that comes again gets its position: "n", "n:2".
std::string format_answer(const std::vector<Store::SqlRow>& rows, TableFormat format);
// Cells for the formats that are text only: not kJson.
std::string format_cells(const std::vector<std::vector<std::string>>& cells, TableFormat format);

}  // namespace assay
