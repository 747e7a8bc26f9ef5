// Which token follows a row of logits: the likeliest, or one that is drawn.
//
// Drawing, in this order:
//   1. top-k: the k largest logits stay (of equal ones the lowest ids); 0: all stay;
//   2. top-p: of what is left, the fewest likeliest tokens whose probabilities, at temperature 1,
//      add up to p or more stay; 1: all stay;
//   3. temperature: the probabilities of what is left are those of logits divided by T;
//   4. one of them is drawn.
// With temperature 0 nothing is drawn: the largest logit, of equal ones the lowest id.
//
// The same logits, settings and step give the same token on every machine and at any number of
// threads: sums run over ascending ids in f64, exp is exp_f64.h, and the random number depends on
// seed and step alone (SplitMix64 at position seed * 2^32 + step), not on what was drawn before.
// Neither std::discrete_distribution nor std::exp promises that.
//
// A NaN is never drawn; where the largest logit is infinite, only infinite ones are.
#pragma once

#include <cstdint>
#include <span>

namespace assay {

struct Sampling {
  double temperature = 0;
  int top_k = 0;
  double top_p = 1;
  std::int32_t seed = 0;
};

// `step`: 0 for the token after the prompt, then 1, 2, ... 0 where every logit is NaN.
std::int32_t pick_token(std::span<const float> logits, const Sampling& sampling, int step);

// The random number of a step: in [0, 1), a multiple of 2^-53.
double uniform_number(std::int32_t seed, int step);

}  // namespace assay
