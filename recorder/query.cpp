// Rows from the catalog, as JSON, CSV or a table.
#include "recorder/query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include "engine/core/error.h"
#include "engine/core/json_output.h"
#include "recorder/shown_value.h"

namespace assay {
namespace {

using Json = nlohmann::json;

std::string gates_in_words(const Json& gates) {
  std::string out;
  for (const auto& [gate, outcome] : gates.items()) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", gate, shown(outcome));
  }
  return out;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, "; "));
}

// "lessons: …the second buffer pushed the loop out…"
std::string hit(const QueryRow& row) {
  return row.place.empty() ? "" : fmt::format("{}: {}", row.place, row.snippet);
}

std::string format_json(const std::vector<QueryRow>& rows, bool with_hits) {
  std::string out = "[\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const QueryRow& row = rows[i];
    nlohmann::ordered_json object;
    object["number"] = row.historical.empty() ? Json(row.number) : Json();
    object["slug"] = row.slug;
    object["title"] = row.title;
    object["lever"] = row.lever;
    object["class"] = row.lever_class;
    object["state"] = row.state;
    object["verdict"] = row.verdict.empty() ? Json() : Json(row.verdict);
    object["reason"] = row.reason;
    object["effect"] = row.effect;
    object["interval"] = row.interval;
    object["pairs"] = row.pairs;
    object["digests"] = row.digests;
    object["gates"] = row.gates;
    object["attempts"] = row.attempts;
    object["date"] = row.date;
    object["devices"] = row.devices;
    if (with_hits) object["hit"] = {{"place", row.place}, {"snippet", row.snippet}};
    out += "  " + json_output(object, -1) + (i + 1 < rows.size() ? ",\n" : "\n");
  }
  return out + "]\n";
}

// For machines: numbers in full, one column per value.
std::vector<std::vector<std::string>> csv_cells(const std::vector<QueryRow>& rows, bool with_hits) {
  const auto full = [](const Json& value) { return value.is_null() ? "" : value.dump(); };
  const auto text = [](const Json& value) { return value.is_null() ? "" : shown(value); };
  std::vector<std::vector<std::string>> cells{{"number", "slug", "title", "lever", "class", "state",
                                               "verdict", "reason", "effect", "low", "high",
                                               "pairs", "baseline_digest", "candidate_digest",
                                               "gates", "attempts", "date", "devices"}};
  if (with_hits) cells[0].insert(cells[0].end(), {"place", "snippet"});
  for (const QueryRow& row : rows) {
    const bool interval = row.interval.is_array() && row.interval.size() == 2;
    cells.push_back({row.historical.empty() ? std::to_string(row.number) : row.historical, row.slug,
                     row.title, row.lever, row.lever_class, row.state, row.verdict, row.reason,
                     full(row.effect), interval ? full(row.interval[0]) : "",
                     interval ? full(row.interval[1]) : "", std::to_string(row.pairs),
                     text(value_at(row.digests, "baseline")),
                     text(value_at(row.digests, "candidate")), gates_in_words(row.gates),
                     std::to_string(row.attempts), row.date, joined(row.devices)});
    if (with_hits) cells.back().insert(cells.back().end(), {row.place, row.snippet});
  }
  return cells;
}

// For people.
std::vector<std::vector<std::string>> table_cells(const std::vector<QueryRow>& rows,
                                                  bool with_hits) {
  std::vector<std::vector<std::string>> cells{{"number", "title", "lever", "class", "state",
                                               "verdict", "reason", "effect", "interval", "pairs",
                                               "attempts", "date", "device"}};
  if (with_hits) cells[0].emplace_back("found in");
  for (const QueryRow& row : rows) {
    const bool interval = row.interval.is_array() && row.interval.size() == 2;
    cells.push_back({row.historical.empty() ? fmt::format("{:04}", row.number) : row.historical,
                     row.title, row.lever, row.lever_class, row.state,
                     row.verdict.empty() ? "-" : row.verdict, row.reason.empty() ? "-" : row.reason,
                     row.effect.is_number() ? percent(row.effect) : "-",
                     interval ? percent(row.interval[0]) + " to " + percent(row.interval[1]) : "-",
                     std::to_string(row.pairs), std::to_string(row.attempts), row.date,
                     row.devices.empty() ? "-" : joined(row.devices)});
    if (with_hits) cells.back().push_back(hit(row));
  }
  return cells;
}

}  // namespace

void check_since(const std::string& since) {
  const std::string form = "dddd-dd-dd";
  bool right = since.size() == form.size();
  for (std::size_t i = 0; right && i < form.size(); ++i) {
    right = form[i] == '-' ? since[i] == '-' : since[i] >= '0' && since[i] <= '9';
  }
  if (right) {
    const auto part = [&](std::size_t at, std::size_t size) {
      return static_cast<unsigned>(std::stoi(since.substr(at, size)));
    };
    right =
        std::chrono::year_month_day(std::chrono::year(static_cast<int>(part(0, 4))),
                                    std::chrono::month(part(5, 2)), std::chrono::day(part(8, 2)))
            .ok();
  }
  if (!right) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--since {}: not a date; write it as 2026-01-31", since));
  }
}

std::string format_rows(const std::vector<QueryRow>& rows, TableFormat format, bool with_hits) {
  if (format == TableFormat::kJson) return format_json(rows, with_hits);
  return format_cells(
      format == TableFormat::kCsv ? csv_cells(rows, with_hits) : table_cells(rows, with_hits),
      format);
}

}  // namespace assay
