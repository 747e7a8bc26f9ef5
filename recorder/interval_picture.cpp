// 61 columns; the scale is rounded outwards by a twentieth so that no mark sits on the edge.
#include "recorder/interval_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

constexpr int kColumns = 61;

}  // namespace

std::string interval_picture(const std::vector<IntervalRow>& all, double bar) {
  std::vector<IntervalRow> rows;
  for (const IntervalRow& row : all) {
    if (std::isfinite(row.low) && std::isfinite(row.high) && std::isfinite(row.estimate)) {
      rows.push_back(row);
    }
  }
  if (rows.empty()) return "";
  double least = std::min(0.0, bar), most = std::max(0.0, bar);
  std::size_t names = 0;
  for (const IntervalRow& row : rows) {
    least = std::min({least, row.low, row.estimate});
    most = std::max({most, row.high, row.estimate});
    names = std::max(names, row.name.size());
  }
  const double margin = std::max((most - least) / 20, 1e-6);
  least -= margin;
  most += margin;
  const auto column = [&](double value) {
    const double place = (value - least) / (most - least) * (kColumns - 1);
    return static_cast<std::size_t>(std::clamp(std::lround(place), 0L, long{kColumns - 1}));
  };
  std::string out;
  for (const IntervalRow& row : rows) {
    std::string marks(kColumns, ' ');
    marks[column(0)] = '0';
    marks[column(bar)] = '|';
    for (std::size_t i = column(row.low); i <= column(row.high); ++i) {
      if (marks[i] != '0') marks[i] = marks[i] == '|' ? '+' : '-';
    }
    marks[column(row.low)] = '[';
    marks[column(row.high)] = ']';
    marks[column(row.estimate)] = '*';
    out += fmt::format("{:<{}}  {}  {:+.2f} %\n", row.name, names, marks, 100 * row.estimate);
  }
  out +=
      fmt::format("{:<{}}  0: no effect   |: the bar, {:+.2f} %   scale {:+.2f} % to {:+.2f} %\n",
                  "", names, 100 * bar, 100 * least, 100 * most);
  return out;
}

}  // namespace assay
