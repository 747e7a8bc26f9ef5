// Approximate p of the exact tests, for simulations that need very many of them.
#pragma once

#include <span>

namespace assay {

// P(sum >= the observed one) where row i adds one of its `width` choices, each as likely, and the
// first is the observed one: what sign_flip_p (width 2: v, -v) and relabelling_p (width 3) count.
// By Lugannani and Rice's saddlepoint formula, within a few percent from a dozen rows on. 1 where
// the observed sum is not above the mean of all.
double approximate_choice_tail(std::span<const double> choices, int width);

// The least W+ (sum of ranks of the positive values) with P(W+ >= it) <= p, for n values without
// ties; n (n + 1) / 2 + 1 where no W+ is so rare. n from 1 to 96.
int rare_signed_rank(int n, double p);

}  // namespace assay
