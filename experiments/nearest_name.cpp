#include "experiments/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay {
namespace {

// Optimal string alignment distance, rows of the usual table.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view typed, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 120;  // beyond it nothing is a typing error
  if (typed.empty() || typed.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(typed, name);
    if (distance < best_distance && distance < name.size()) {
      best = name;
      best_distance = distance;
    }
  }
  return std::string(best);
}

std::string suggestion(std::string_view typed, std::span<const std::string_view> names,
                       std::string_view else_text) {
  const std::string nearest = nearest_name(typed, names);
  if (!nearest.empty()) return "; did you mean `" + nearest + "`?";
  return else_text.empty() ? std::string() : "; " + std::string(else_text);
}

}  // namespace assay
