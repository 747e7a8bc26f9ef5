// Which token follows a row of logits: the likeliest, or one that is drawn.
//
// Drawing, in this order:
//   1. top-k: the k largest logits stay (of equal ones the lowest ids); 0: all stay;
//   2. top-p: of what is left, the fewest likeliest tokens whose probabilities, at temperature 1,
//      add up to p or more stay; 1: all stay;
//   3. temperature: the probabilities of what is left are those of logits divided by T;
//   4. one of them is drawn: the first, by id, at which the sum of probabilities exceeds a random
//      share of their total.
// With temperature 0 nothing is drawn: the largest logit, of equal ones the lowest id.
//
// The same logits, settings and step give the same token on every machine, on a GPU and at any
// number of threads: probabilities are integers, whose sums have no order (draw_arithmetic.h; what
// is less than 2^-45 as likely as the largest logit has probability 0), exp is exp_f64.h, and the
// random number depends on seed and step alone (SplitMix64 at position seed * 2^32 + step), not on
// what was drawn before. Neither std::discrete_distribution nor std::exp promises that. Sums in
// f64 over ascending ids, as this was at first, are a chain that a GPU can only walk step by step.
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

// What is drawn from a row. `step`: 0 for the token after the prompt, then 1, 2, ...
struct Draw {
  Sampling sampling = {};
  int step = 0;
};

// 0 where every logit is NaN. At most draw_arithmetic::kMostTokens logits.
std::int32_t pick_token(std::span<const float> logits, const Draw& draw);

}  // namespace assay
