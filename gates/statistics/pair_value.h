// The value of one launch pair, and the coin that orders its segments.
//
// A launch pair is a fresh process per arm, both alive at once, that take turns over eight segments
// of equal work: one ABBA block and one BAAB block. Within a block each arm's mean slot is the
// same, so a drift linear in the slot cancels; which block comes first is decided by a coin, so
// that what the two orders do not cancel becomes noise instead of bias. A pair gives one number and
// is the only unit of analysis: taking its blocks as replicates would count one process start
// twice.
//
// Rejected: per-arm minima and filters by value. They break the pairing, and an arm-dependent
// slow-down then decides which samples survive.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay {

// Segments of a pair.
inline constexpr int kPairSegments = 8;

// D of a pair: the mean over its two blocks of (mean ln t(A) - mean ln t(B)). Positive: B is
// faster. `labels` is "ABBABAAB" or "BAABABBA", `times` the eight segments' times in the order they
// ran, any one unit. Swapping A and B in `labels` gives -D, bit for bit. Error(kCheckFound) for
// other labels, a wrong count, or a time that is not positive.
double pair_value(std::string_view labels, std::span<const std::int64_t> times);

// exp(d) - 1: the effect t(A) / t(B) - 1 that belongs to a mean of pair values.
double effect_of(double mean_d);

// Labels of a pair by a coin that nobody chooses: a bit of SHA-256 over its place in history.
std::string coin_labels(std::string_view experiment, int attempt, std::string_view run,
                        std::string_view stage, int ordinal);

}  // namespace assay
