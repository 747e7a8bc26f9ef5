// The value of one launch pair, and the coin that orders its segments.
//
// A launch pair is a fresh process per arm, all alive at once, that take turns over segments of
// equal work. Two arms: one ABBA block and one BAAB block, eight segments. Three arms, where the
// baseline runs a second time in a process of its own (written C here, A' elsewhere): the blocks
// ABCCBA, BCAACB and CABBAC, eighteen segments. A block reads the same from both ends, so each
// process has the same mean slot in it and a drift linear in the slot cancels; the order of the
// blocks, and with three arms which process has which letter, is decided by a coin, so that what
// the orders do not cancel becomes noise instead of bias. A pair gives one number and is the only
// unit of analysis: taking its blocks as replicates would count one process start twice.
//
// Rejected: per-arm minima and filters by value. They break the pairing, and an arm-dependent
// slow-down then decides which samples survive.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Segments of a pair of two arms, and of three.
inline constexpr int kPairSegments = 8;
inline constexpr int kTripleSegments = 18;

// Natural logarithms; a time's unit adds the same to each mean and cancels in the rest.
struct PairMeasure {
  int arms = 2;
  double d = 0;                               // two arms: A - B; three: (A + A') / 2 - B
  double contrast = 0;                        // (A - A') sqrt(3) / 2: as uncertain as d. Three arms
  double mean_a = 0, mean_b = 0, mean_c = 0;  // mean ln time of each process
};

// `labels` is one of segment_orders(2) or segment_orders(3), `times` the segments' times in the
// order they ran, any one unit. Error(kCheckFound) for other labels, a wrong count, or a time that
// is not positive.
PairMeasure measure_pair(std::string_view labels, std::span<const std::int64_t> times);

// D of a pair. Positive: B is faster. With two arms, swapping A and B in `labels` gives -D, bit for
// bit; with three, swapping A and C gives the same D and the opposite contrast.
double pair_value(std::string_view labels, std::span<const std::int64_t> times);

// exp(d) - 1: the effect t(A) / t(B) - 1 that belongs to a mean of pair values.
double effect_of(double mean_d);

// Every order that the coin may choose, each as likely as the others: 2 for two arms, 12 for three.
// Error(kInternal) for another number of arms.
const std::vector<std::string>& segment_orders(int arms);
// Segments of a block: a pair is a row of blocks, each of them with every arm twice.
inline constexpr int block_segments(int arms) {
  return 2 * arms;
}

// Labels of a pair by a coin that nobody chooses: SHA-256 over its place in history.
std::string coin_labels(std::string_view experiment, int attempt, std::string_view run,
                        std::string_view stage, int ordinal, int arms = 2);

}  // namespace assay
