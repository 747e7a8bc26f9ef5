// What one 32-block adds to the partial sums of kTokens tokens, per kind of format. For AVX2 and
// AVX-512 files only.
//
// Lanes is the instruction set: Ints and Floats of kRows lanes, and the few operations on them. How
// a term is formed is the contract of kernels/matvec/README.md.
#pragma once

#include "kernels/matmul/panel.h"
#include "kernels/matmul/panel_tokens.h"

namespace assay {
namespace {

// One 32-block of consecutive token rows.
struct TokenBlocks {
  const std::int8_t* q;
  const float* d;
  const std::int32_t* sums;
  std::int64_t blocks;  // from one token's to the next token's

  TokenBlocks(const PanelTokens& x, std::int64_t token, std::int64_t block, int words)
      : q(x.q + (token * x.blocks + block) * 32),
        d(x.d + token * x.blocks + block),
        sums(x.sums + (token * x.blocks + block) * words),
        blocks(x.blocks) {}
  // Four codes.
  std::int32_t word(int token, int g) const {
    std::int32_t four;
    __builtin_memcpy(&four, q + token * blocks * 32 + 4 * g, 4);
    return four;
  }
  float scale(int token) const { return d[token * blocks]; }
  std::int32_t sum(int token, int words, int i) const { return sums[token * blocks * words + i]; }
};

// dots[i] += products of word rows kBegin .. kEnd.
template <typename Lanes, int kTokens, int kBegin, int kEnd>
inline void add_products(typename Lanes::Ints* dots, const PanelBlock<Lanes::kRows>& w,
                         const TokenBlocks& x) {
  for (int g = kBegin; g < kEnd; ++g) {
    const auto codes = Lanes::load_ints(w.codes[g]);
    for (int i = 0; i < kTokens; ++i) {
      dots[i] = Lanes::add_products(dots[i], codes, Lanes::broadcast(x.word(i, g)));
    }
  }
}

// (scale * dot - low * sum) * d.
struct MinTerm {
  using Sums = FloatSums;
  template <typename Lanes, int kTokens>
  static void add(typename Lanes::Floats* sums, const MinPanelBlock<Lanes::kRows>& w,
                  const TokenBlocks& x) {
    typename Lanes::Ints dots[kTokens];
    for (auto& dot : dots) dot = Lanes::zero_ints();
    add_products<Lanes, kTokens, 0, 8>(dots, w, x);
    const auto scale = Lanes::load_floats(w.scale);
    const auto low = Lanes::load_floats(w.low);
    for (int i = 0; i < kTokens; ++i) {
      const auto high = Lanes::mul(scale, Lanes::to_floats(dots[i]));
      const auto less =
          Lanes::mul(low, Lanes::broadcast(__builtin_bit_cast(float, x.sum(i, 1, 0))));
      const auto term = Lanes::mul(Lanes::sub(high, less), Lanes::broadcast(x.scale(i)));
      sums[i] = Lanes::add(sums[i], term);
    }
  }
};

// (scale * dot) * d, codes with an offset.
template <int kOffset>
struct OffsetTerm {
  using Sums = OffsetSums<kOffset>;
  template <typename Lanes, int kTokens>
  static void add(typename Lanes::Floats* sums, const PanelBlock<Lanes::kRows>& w,
                  const TokenBlocks& x) {
    typename Lanes::Ints dots[kTokens];
    for (int i = 0; i < kTokens; ++i) dots[i] = Lanes::broadcast(x.sum(i, 1, 0));
    add_products<Lanes, kTokens, 0, 8>(dots, w, x);
    const auto scale = Lanes::load_floats(w.scale);
    for (int i = 0; i < kTokens; ++i) {
      const auto high = Lanes::mul(scale, Lanes::to_floats(dots[i]));
      sums[i] = Lanes::add(sums[i], Lanes::mul(high, Lanes::broadcast(x.scale(i))));
    }
  }
};

// (scale * (half0 * dot0 + half1 * dot1)) * d, codes with an offset.
template <int kOffset>
struct HalvesTerm {
  using Sums = HalfOffsetSums<kOffset>;
  template <typename Lanes, int kTokens>
  static void add(typename Lanes::Floats* sums, const HalvesPanelBlock<Lanes::kRows>& w,
                  const TokenBlocks& x) {
    typename Lanes::Ints first[kTokens];
    typename Lanes::Ints second[kTokens];
    scaled_half<Lanes, kTokens, 0>(first, w, x);
    scaled_half<Lanes, kTokens, 1>(second, w, x);
    const auto scale = Lanes::load_floats(w.scale);
    for (int i = 0; i < kTokens; ++i) {
      const auto dot = Lanes::add(first[i], second[i]);
      const auto high = Lanes::mul(scale, Lanes::to_floats(dot));
      sums[i] = Lanes::add(sums[i], Lanes::mul(high, Lanes::broadcast(x.scale(i))));
    }
  }
  template <typename Lanes, int kTokens, int kHalf>
  static void scaled_half(typename Lanes::Ints* dots, const HalvesPanelBlock<Lanes::kRows>& w,
                          const TokenBlocks& x) {
    for (int i = 0; i < kTokens; ++i) dots[i] = Lanes::broadcast(x.sum(i, 2, kHalf));
    add_products<Lanes, kTokens, 4 * kHalf, 4 * kHalf + 4>(dots, w, x);
    const auto scale = Lanes::load_ints(w.half[kHalf]);
    for (int i = 0; i < kTokens; ++i) dots[i] = Lanes::mul(dots[i], scale);
  }
};

}  // namespace
}  // namespace assay
