// Cells as a table for a terminal, JSON, CSV (RFC 4180) or Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/core/error.h"
#include "engine/core/json_output.h"
#include "recorder/document_model.h"
#include "recorder/query.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

using Cells = std::vector<std::vector<std::string>>;

std::string aligned(const Cells& cells) {
  std::vector<int> widths;
  Cells shown = cells;
  for (std::vector<std::string>& row : shown) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = visible_line(row[i]);
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string out;
  for (const std::vector<std::string>& row : shown) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] +
              std::string(static_cast<std::size_t>(widths[i] - display_width(row[i])) + 2, ' ');
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

// A file is looked at in a terminal and opened by programs that obey it, so nothing in it acts:
// line breaks stay, inside quotes; every other control character is its picture.
std::string csv(const Cells& cells) {
  std::string out;
  for (const std::vector<std::string>& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      const std::string cell = visible(row[i]);
      if (cell.find_first_of("\",\r\n") == std::string::npos) {
        out += cell;
        continue;
      }
      out += '"';
      for (const char c : cell) {
        if (c == '"') out += '"';
        out += c;
      }
      out += '"';
    }
    out += "\r\n";
  }
  return out;
}

std::string markdown(const Cells& cells) {
  Document document;
  std::vector<std::vector<Line>> rows;
  for (const std::vector<std::string>& row : cells) {
    std::vector<Line>& lines = rows.emplace_back();
    for (const std::string& cell : row) lines.push_back({words(cell)});
  }
  if (rows.size() < 2) rows.resize(2);  // a header alone is still a table
  document.table(std::move(rows));
  return to_markdown(document);
}

std::string json(const std::vector<Store::SqlRow>& rows) {
  std::string out = "[\n";
  for (std::size_t row = 1; row < rows.size(); ++row) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < rows[0].size() && i < rows[row].size(); ++i) {
      std::string name = visible_line(rows[0][i].get<std::string>());
      if (object.contains(name)) name += fmt::format(":{}", i + 1);
      object[name] = rows[row][i];
    }
    out += "  " + json_output(object, -1) + (row + 1 < rows.size() ? ",\n" : "\n");
  }
  return out + "]\n";
}

std::string as_text(const nlohmann::json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

TableFormat parse_format(const std::string& text) {
  if (text == "table") return TableFormat::kTable;
  if (text == "json") return TableFormat::kJson;
  if (text == "csv") return TableFormat::kCsv;
  if (text == "md") return TableFormat::kMarkdown;
  throw Error(
      ErrorKind::kUsage,
      fmt::format("--format {}: there is no such format; give table, json, csv or md", text));
}

std::string format_answer(const std::vector<Store::SqlRow>& rows, TableFormat format) {
  if (format == TableFormat::kJson) return json(rows);
  Cells cells;
  for (const Store::SqlRow& row : rows) {
    std::transform(row.begin(), row.end(), std::back_inserter(cells.emplace_back()), as_text);
  }
  return format_cells(cells, format);
}

std::string format_cells(const std::vector<std::vector<std::string>>& cells, TableFormat format) {
  switch (format) {
    case TableFormat::kCsv:
      return csv(cells);
    case TableFormat::kMarkdown:
      return markdown(cells);
    case TableFormat::kJson:
      throw Error(ErrorKind::kInternal, "cells have lost what JSON needs; use format_answer");
    case TableFormat::kTable:
      break;
  }
  return aligned(cells);
}

}  // namespace assay
