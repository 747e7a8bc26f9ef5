// How far two rows of logits over the same context are apart.
//
// The margin of a row is the gap between its two best logits. A flip is a row whose best token is
// another one on the other side; its margin is the larger of both sides' gaps, since a close call
// must have been one on both. The drift of a pair of runs is the largest change of the gap between
// the base's two best tokens, with its sign (a flip between the two changes it by both gaps
// together). Flips of one pair are held against the drift of another pair that differs harmlessly.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace assay::replay {

struct TwoBest {
  int first = -1;   // the lowest index among equals
  int second = -1;  // of the rest
  float margin = 0;
};
TwoBest two_best(std::span<const float> logits);  // at least two

// sum p ln(p / q) of the two distributions, in fp64 and nats; NaN where a logit is not finite.
double kl_divergence(std::span<const float> p, std::span<const float> q);

struct Agreement {
  int rows = 0;
  int different = 0;  // rows of other bits
  int nonfinite = 0;  // rows with a logit, on either side, that is not finite
  int flips = 0;
  double widest_flip = 0;  // margin
  double drift = 0;
  double largest_difference = 0;  // of a logit
  double kl_sum = 0;              // KL(base || other)

  // A row of the base and of the other side.
  void add(std::span<const float> base, std::span<const float> other);
  double mean_kl() const { return rows == 0 ? 0 : kl_sum / rows; }
};

// "640 rows (612 of other bits): 3 flips, the widest 0.0130, ..."
std::string to_string(const Agreement& agreement);

}  // namespace assay::replay
