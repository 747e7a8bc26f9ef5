#include "experiments/record/text_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace assay {
namespace {

// A line keeps its newline, so that a missing last one is a difference.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

struct DiffLine {
  char mark;  // ' ', '-' or '+'
  std::string_view text;
};

using Lines = std::vector<std::string_view>;

// The middle parts [begin, a_end) and [begin, b_end), aligned.
void align(const Lines& a, const Lines& b, std::size_t begin, std::size_t a_end, std::size_t b_end,
           std::vector<DiffLine>& out) {
  constexpr std::size_t kMaxCells = 4'000'000;
  const std::size_t rows = a_end - begin;
  const std::size_t columns = b_end - begin;
  std::vector<std::uint32_t> common;  // (rows + 1, columns + 1): longest for the rests
  const bool small = (rows + 1) * (columns + 1) <= kMaxCells;
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return common[i * (columns + 1) + j];
  };
  if (small) {
    common.assign((rows + 1) * (columns + 1), 0);
    for (std::size_t i = rows; i-- > 0;) {
      for (std::size_t j = columns; j-- > 0;) {
        at(i, j) = a[begin + i] == b[begin + j] ? at(i + 1, j + 1) + 1
                                                : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (small && i < rows && j < columns && a[begin + i] == b[begin + j]) {
      out.push_back({' ', a[begin + i]});
      ++i;
      ++j;
    } else if (i < rows && (j == columns || !small || at(i + 1, j) >= at(i, j + 1))) {
      out.push_back({'-', a[begin + i++]});
    } else {
      out.push_back({'+', b[begin + j++]});
    }
  }
}

std::vector<DiffLine> diff_lines(const Lines& a, const Lines& b) {
  std::size_t begin = 0;
  while (begin < a.size() && begin < b.size() && a[begin] == b[begin]) ++begin;
  std::size_t a_end = a.size();
  std::size_t b_end = b.size();
  while (a_end > begin && b_end > begin && a[a_end - 1] == b[b_end - 1]) {
    --a_end;
    --b_end;
  }
  std::vector<DiffLine> out;
  for (std::size_t i = 0; i < begin; ++i) out.push_back({' ', a[i]});
  align(a, b, begin, a_end, b_end, out);
  for (std::size_t i = a_end; i < a.size(); ++i) out.push_back({' ', a[i]});
  return out;
}

// "3,7", or "3" for one line; an empty side names the line before it.
std::string side(std::size_t lines_before, std::size_t count) {
  if (count == 1) return fmt::format("{}", lines_before + 1);
  return fmt::format("{},{}", count == 0 ? lines_before : lines_before + 1, count);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after,
                         std::string_view before_name, std::string_view after_name, int context) {
  if (before == after) return {};
  const std::vector<DiffLine> all = diff_lines(lines_of(before), lines_of(after));
  const auto around = static_cast<std::size_t>(context);
  std::string text = fmt::format("--- {}\n+++ {}\n", before_name, after_name);
  std::size_t old_line = 0;  // lines of each side before all[i]
  std::size_t new_line = 0;
  for (std::size_t i = 0; i < all.size();) {
    // A hunk reaches from `around` lines before this change to `around` after the last one that is
    // no more than twice that away from its neighbour.
    std::size_t change = i;
    while (change < all.size() && all[change].mark == ' ') ++change;
    if (change == all.size()) break;
    const std::size_t first = change - std::min(around, change - i);
    std::size_t last = change;
    for (std::size_t k = change; k < all.size() && k <= last + 2 * around + 1; ++k) {
      if (all[k].mark != ' ') last = k;
    }
    const std::size_t end = std::min(all.size(), last + around + 1);
    old_line += first - i;
    new_line += first - i;
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    std::string body;
    for (std::size_t k = first; k < end; ++k) {
      old_count += all[k].mark != '+' ? 1 : 0;
      new_count += all[k].mark != '-' ? 1 : 0;
      body += all[k].mark;
      body += all[k].text;
      if (!body.ends_with('\n')) body += "\n\\ No newline at end of file\n";
    }
    text += fmt::format("@@ -{} +{} @@\n{}", side(old_line, old_count), side(new_line, new_count),
                        body);
    old_line += old_count;
    new_line += new_count;
    i = end;
  }
  return text;
}

}  // namespace assay
