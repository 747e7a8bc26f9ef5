// How the eight partial sums of an output, visited one after another, become one. For AVX2 and
// AVX-512 files only.
//
// Visits are in the order 0, 4, 2, 6, 1, 5, 3, 7 of the partial sums, so that the contract's
// ((0+4)+(2+6)) + ((1+5)+(3+7)) needs three places per output at most.
#pragma once

#include <cstdint>

namespace assay {
namespace {

// Partial sums of one token that wait for the visits to come, joined as the contract says.
template <int kRows>
struct alignas(64) Waiting {
  float one[kRows];   // of the last even visit
  float two[kRows];   // of visits 0 and 1, or 4 and 5
  float four[kRows];  // of visits 0 to 3
};

// Where the outputs of a panel go: y[token * n + 0..count).
struct PanelOutput {
  float* y;
  std::int64_t n;
  int count;
};

// Takes the partial sums of `visit` of kTokens tokens; the last visit stores the outputs.
template <typename Lanes, int kTokens>
inline void join_visit(int visit, const typename Lanes::Floats* sums, std::int64_t token,
                       Waiting<Lanes::kRows>* waiting, const PanelOutput& out) {
  for (int i = 0; i < kTokens; ++i) {
    auto& wait = waiting[token + i];
    if (visit % 2 == 0) {
      Lanes::store(wait.one, sums[i]);
      continue;
    }
    const auto pair = Lanes::add(Lanes::load_floats(wait.one), sums[i]);
    if (visit % 4 == 1) {
      Lanes::store(wait.two, pair);
      continue;
    }
    const auto both = Lanes::add(Lanes::load_floats(wait.two), pair);
    if (visit == 3) {
      Lanes::store(wait.four, both);
    } else {
      Lanes::store_some(out.y + (token + i) * out.n, out.count,
                        Lanes::add(Lanes::load_floats(wait.four), both));
    }
  }
}

}  // namespace
}  // namespace assay
