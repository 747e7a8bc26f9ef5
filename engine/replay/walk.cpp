#include "engine/replay/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/generate/digest.h"

namespace assay::replay {

std::string digest_of_row(Backend& backend, int row) {
  backend.output(row);
  return digest_of(backend.logits());
}

std::string digest_of_step(Backend& backend, std::int32_t token, int position) {
  backend.decode(token, position);
  return digest_of_row(backend);
}

std::vector<int> upwards(int count) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int> downwards(int count) {
  std::vector<int> order = upwards(count);
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<int> to_and_fro(int count) {
  std::vector<int> order;
  for (int i = 0; i < count; ++i) order.push_back(i % 2 == 0 ? count - 1 - i / 2 : i / 2);
  return order;
}

void Comparison::add(int position, bool equal) {
  ++compared;
  if (equal) return;
  if (different++ == 0) first = position;
}

std::string to_string(const Comparison& comparison) {
  if (comparison.different == 0) return fmt::format("{} steps, all equal", comparison.compared);
  return fmt::format("{} of {} steps differ, the first at position {}", comparison.different,
                     comparison.compared, comparison.first);
}

Comparison compare_walk(Backend& backend, std::span<const std::int32_t> tokens,
                        std::span<const int> order, std::span<const std::string> expected) {
  Comparison comparison;
  for (const int position : order) {
    const auto at = static_cast<std::size_t>(position);
    comparison.add(position, digest_of_step(backend, tokens[at], position) == expected[at]);
  }
  return comparison;
}

}  // namespace assay::replay
