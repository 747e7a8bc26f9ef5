#include "gates/statistics/pair_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/error.h"
#include "engine/core/sha256.h"

namespace assay {
namespace {

// All orders of three blocks, for the letters as they are and with two of them exchanged; other
// exchanges give the same blocks again.
std::vector<std::string> three_arm_orders() {
  std::vector<std::string> orders;
  for (std::vector<std::string> blocks : {std::vector<std::string>{"ABCCBA", "BCAACB", "CABBAC"},
                                          std::vector<std::string>{"ACBBCA", "BACCAB", "CBAABC"}}) {
    do {
      orders.push_back(blocks[0] + blocks[1] + blocks[2]);
    } while (std::next_permutation(blocks.begin(), blocks.end()));
  }
  return orders;
}

bool is_order(const std::vector<std::string>& orders, std::string_view labels) {
  return std::find(orders.begin(), orders.end(), labels) != orders.end();
}

void check_pair(std::string_view labels, std::span<const std::int64_t> times) {
  if (!is_order(segment_orders(2), labels) && !is_order(segment_orders(3), labels)) {
    throw Error(
        ErrorKind::kCheckFound,
        fmt::format("launch pair: labels \"{}\" are neither \"{}\" nor \"{}\", nor one of "
                    "the orders of three arms, as \"{}\"",
                    labels, segment_orders(2)[0], segment_orders(2)[1], segment_orders(3)[0]));
  }
  if (times.size() != labels.size()) {
    throw Error(ErrorKind::kCheckFound,
                fmt::format("launch pair: {} segment times, not {}", times.size(), labels.size()));
  }
  for (std::size_t slot = 0; slot < times.size(); ++slot) {
    if (times[slot] <= 0) {
      throw Error(
          ErrorKind::kCheckFound,
          fmt::format("launch pair: segment {} took {} ns; a time is positive", slot, times[slot]));
    }
  }
}

// Each process is summed in slot order, so that exchanging two letters exchanges their sums and
// nothing else.
struct BlockSums {
  double a = 0, b = 0, c = 0;
};

BlockSums sum_block(std::string_view labels, std::span<const std::int64_t> times) {
  BlockSums sums;
  for (std::size_t slot = 0; slot < labels.size(); ++slot) {
    const double y = std::log(static_cast<double>(times[slot]));
    (labels[slot] == 'A' ? sums.a : labels[slot] == 'B' ? sums.b : sums.c) += y;
  }
  return sums;
}

}  // namespace

const std::vector<std::string>& segment_orders(int arms) {
  static const std::vector<std::string> two = {"ABBABAAB", "BAABABBA"};
  static const std::vector<std::string> three = three_arm_orders();
  if (arms != 2 && arms != 3) {
    throw Error(ErrorKind::kInternal, fmt::format("segment_orders: {} arms", arms));
  }
  return arms == 2 ? two : three;
}

PairMeasure measure_pair(std::string_view labels, std::span<const std::int64_t> times) {
  check_pair(labels, times);
  PairMeasure measure;
  measure.arms = labels.size() == kPairSegments ? 2 : 3;
  const auto block = static_cast<std::size_t>(block_segments(measure.arms));
  const double blocks = static_cast<double>(labels.size() / block);
  double a_minus_b = 0;
  for (std::size_t at = 0; at < labels.size(); at += block) {
    const BlockSums sums = sum_block(labels.substr(at, block), times.subspan(at, block));
    a_minus_b += (sums.a - sums.b) / 2;
    measure.mean_a += sums.a / (2 * blocks);
    measure.mean_b += sums.b / (2 * blocks);
    measure.mean_c += sums.c / (2 * blocks);
  }
  if (measure.arms == 2) {
    measure.d = a_minus_b / blocks;
    return measure;
  }
  measure.d = (measure.mean_a + measure.mean_c) / 2 - measure.mean_b;
  measure.contrast = (measure.mean_a - measure.mean_c) * std::numbers::sqrt3 / 2;
  return measure;
}

double pair_value(std::string_view labels, std::span<const std::int64_t> times) {
  return measure_pair(labels, times).d;
}

double effect_of(double mean_d) {
  return std::expm1(mean_d);
}

std::string coin_labels(std::string_view experiment, int attempt, std::string_view run,
                        std::string_view stage, int ordinal, int arms) {
  const std::vector<std::string>& orders = segment_orders(arms);
  const std::string digest =
      sha256_hex(fmt::format("coin\n{}\n{}\n{}\n{}\n{}", experiment, attempt, run, stage, ordinal));
  // Two arms need one bit; twelve orders share 60 bits about equally.
  const std::size_t digits = arms == 2 ? 1 : 15;
  return orders[std::stoull(digest.substr(0, digits), nullptr, 16) % orders.size()];
}

}  // namespace assay
