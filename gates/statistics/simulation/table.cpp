#include "gates/statistics/simulation/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::simulation {
namespace {

constexpr double kStandardErrors = 3;

double standard_error(double rate, int experiments) {
  return std::sqrt(rate * (1 - rate) / experiments);
}

std::string_view sign_of(Bound bound) {
  switch (bound) {
    case Bound::kAtMost:
      return "<=";
    case Bound::kAtLeast:
      return ">=";
    case Bound::kAbove:
      return ">";
    case Bound::kShown:
      break;
  }
  return "";
}

std::string text_of(const std::optional<Figure>& figure) {
  if (!figure) return "";
  if (figure->bound == Bound::kShown) return fmt::format("{:.4f}", figure->rate);
  if (!figure->is_broken()) {
    return fmt::format("{:.4f} ({} {})", figure->rate, sign_of(figure->bound), figure->limit);
  }
  return fmt::format("**{:.4f}, not {} {}**", figure->rate, sign_of(figure->bound), figure->limit);
}

}  // namespace

double Figure::allowance() const {
  const double more = standard_error(limit, experiments) - standard_error(limit, kFullExperiments);
  return kStandardErrors * std::max(0.0, more);
}

bool Figure::is_broken() const {
  switch (bound) {
    case Bound::kAtMost:
      return rate > limit + allowance();
    case Bound::kAtLeast:
      return rate < limit - allowance();
    case Bound::kAbove:
      return rate <= limit - allowance();
    case Bound::kShown:
      break;
  }
  return false;
}

std::vector<std::string> Table::broken() const {
  std::vector<std::string> result;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.figures.size(); ++i) {
      const std::optional<Figure>& figure = row.figures[i];
      if (!figure || !figure->is_broken()) continue;
      result.push_back(fmt::format("{}: {}, {}: {:.4f} is not {} {} (allowance {:.4f})", title,
                                   row.name, columns[i], figure->rate, sign_of(figure->bound),
                                   figure->limit, figure->allowance()));
    }
  }
  return result;
}

std::string Table::markdown() const {
  std::string text = fmt::format("### {}\n\n{}\n\n| {} |", title, note, corner);
  for (const std::string& column : columns) text += fmt::format(" {} |", column);
  text += "\n|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---:|";
  for (const Row& row : rows) {
    text += fmt::format("\n| {} |", row.name);
    for (const std::optional<Figure>& figure : row.figures) {
      text += fmt::format(" {} |", text_of(figure));
    }
  }
  return text + "\n";
}

void to_json(nlohmann::json& json, const Table& table) {
  json = {{"title", table.title}, {"note", table.note}, {"rows", nlohmann::json::array()}};
  for (const Row& row : table.rows) {
    nlohmann::json figures = nlohmann::json::object();
    for (std::size_t i = 0; i < row.figures.size(); ++i) {
      const std::optional<Figure>& figure = row.figures[i];
      if (!figure) continue;
      nlohmann::json& cell = figures[table.columns[i]];
      cell = {{"rate", figure->rate}, {"experiments", figure->experiments}};
      if (figure->bound == Bound::kShown) continue;
      cell["bound"] = sign_of(figure->bound);
      cell["limit"] = figure->limit;
      cell["broken"] = figure->is_broken();
    }
    json["rows"].push_back({{"name", row.name}, {"figures", figures}});
  }
}

}  // namespace assay::simulation
