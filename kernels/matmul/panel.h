// Weight panels: rows of quantised weights unpacked side by side, for AVX2 and AVX-512 files only.
//
// Problem: a prompt's matmul meets every weight block once per token, and unpacking codes, turning
// their order and adding up lanes costs several times the products themselves. Method: a thread
// takes kRows weight rows at a time (one row per 32-bit lane of a register), unpacks all of them
// once into a panel, and passes all tokens of a run over it. A lane belongs to one output, so
// nothing is ever added across lanes, and an activation word of four codes is broadcast.
//
// The contract's eight partial sums (kernels/matvec/README.md) are kept by visiting the 32-blocks
// in the order of the final additions: partial sum 0 (blocks 0, 8, 16, ...), then 4, 2, 6, 1, 5, 3,
// 7. One chain is alive at a time, so the sums cost no registers. The panel lies in that order.
#pragma once

#include "kernels/blocks.h"
#include "kernels/matvec/avx2_interleave.h"

namespace assay {

// 32 columns of kRows rows: code 4 g + i of row r is codes[g][r][i].
template <int kRows>
struct alignas(64) PanelBlock {
  std::uint8_t codes[8][kRows][4];
  float scale[kRows];
};
// With what a block's sum of activation codes is multiplied and then taken away.
template <int kRows>
struct alignas(64) MinPanelBlock : PanelBlock<kRows> {
  float low[kRows];
};
// With an integer scale for each half of the columns.
template <int kRows>
struct alignas(64) HalvesPanelBlock : PanelBlock<kRows> {
  std::int32_t half[2][kRows];
};

// Partial sums in the order in which they are visited, and where each begins in the panel.
struct PanelOrder {
  static constexpr int kLane[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  int begin[9];  // begin[i] .. begin[i + 1]: panel blocks of partial sum kLane[i]
  int at[8];     // block b lies at at[b % 8] + b / 8

  explicit PanelOrder(int blocks) {
    begin[0] = 0;
    for (int i = 0; i < 8; ++i) {
      at[kLane[i]] = begin[i];
      begin[i + 1] = begin[i] + (blocks + 7 - kLane[i]) / 8;
    }
  }
  int place(int block) const { return at[block % 8] + block / 8; }
};

// 8 x 8 words of 32 bits: out[g] holds word g of rows 0..7.
static inline void transpose_8x8(const __m256i in[8], __m256i out[8]) {
  __m256i pairs[8];
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = _mm256_unpacklo_epi32(in[2 * i], in[2 * i + 1]);
    pairs[2 * i + 1] = _mm256_unpackhi_epi32(in[2 * i], in[2 * i + 1]);
  }
  __m256i fours[8];
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < 2; ++i) {
      const __m256i a = pairs[4 * half + i];
      const __m256i b = pairs[4 * half + 2 + i];
      fours[4 * half + 2 * i] = _mm256_unpacklo_epi64(a, b);
      fours[4 * half + 2 * i + 1] = _mm256_unpackhi_epi64(a, b);
    }
  }
  for (int i = 0; i < 4; ++i) {
    out[i] = _mm256_permute2x128_si256(fours[i], fours[4 + i], 0x20);
    out[4 + i] = _mm256_permute2x128_si256(fours[i], fours[4 + i], 0x31);
  }
}

// Rows [first, first + kRows) of the weights -> panel (k / 32 blocks); lanes of rows from n on
// repeat the last row, and are never stored. Format: Block, codes(row, b) the 32 codes
// of block b as unsigned bytes, and scales(row, blocks, order, r, panel) for everything else.
template <typename Format, int kRows>
static void pack_panel(const void* weights, std::int64_t first, std::int64_t n, int k,
                       const PanelOrder& order, typename Format::template Panel<kRows>* panel) {
  using Block = typename Format::Block;
  const int blocks = k / 32;
  const std::int64_t stride = k / kBlockElements<Block>;
  const Block* rows[kRows];
  for (int r = 0; r < kRows; ++r) {
    rows[r] = static_cast<const Block*>(weights) + (first + r < n ? first + r : n - 1) * stride;
    Format::scales(rows[r], blocks, order, r, panel);
  }
  for (int b = 0; b < blocks; ++b) {
    PanelBlock<kRows>& out = panel[order.place(b)];
    for (int part = 0; part < kRows / 8; ++part) {
      __m256i in[8];
      __m256i words[8];
      for (int r = 0; r < 8; ++r) in[r] = Format::codes(rows[8 * part + r], b);
      transpose_8x8(in, words);
      for (int g = 0; g < 8; ++g) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(out.codes[g][8 * part]), words[g]);
      }
    }
  }
}

}  // namespace assay
