// How each weight type fills a panel (panel.h) and which term it has (panel_terms.h). For AVX2 and
// AVX-512 files only.
#pragma once

#include <type_traits>

#include "kernels/matmul/panel.h"
#include "kernels/matmul/panel_terms.h"
#include "kernels/matvec/avx2_formats.h"

namespace assay {
namespace {

// Format::scales reads eight blocks; where a row ends before, it gets them with zeros behind.
template <typename Format>
inline EightScales eight_scales(const typename Format::Block* row, int b, int count) {
  if (count == 8) return Format::scales(row, b, 8);
  using Block = typename Format::Block;
  Block last[8] = {};
  __builtin_memcpy(last, row + b * 32 / kBlockElements<Block>,
                   sizeof(Block) * static_cast<std::size_t>(count));
  return Format::scales(last, 0, count);
}

// Formats with one scale per 32-block.
template <typename Format>
struct PanelOf : Format {
  template <int kRows>
  using Panel = std::conditional_t<Format::kMin, MinPanelBlock<kRows>, PanelBlock<kRows>>;
  using Term = std::conditional_t<Format::kMin, MinTerm, OffsetTerm<Format::kOffset>>;

  template <typename Panel>
  static void scales(const typename Format::Block* row, int blocks, const PanelOrder& order, int r,
                     Panel* panel) {
    alignas(32) float scale[8];
    alignas(32) float offset[8];
    for (int b = 0; b < blocks; b += 8) {
      const int count = blocks - b < 8 ? blocks - b : 8;
      const EightScales eight = eight_scales<Format>(row, b, count);
      _mm256_store_ps(scale, eight.scale);
      _mm256_store_ps(offset, eight.offset);
      for (int i = 0; i < count; ++i) {
        Panel& out = panel[order.place(b + i)];
        out.scale[r] = scale[i];
        if constexpr (Format::kMin) out.low[r] = offset[i];
      }
    }
  }
};

using PanelQ4_0 = PanelOf<FormatQ4_0>;
using PanelQ4_1 = PanelOf<FormatQ4_1>;
using PanelQ5_0 = PanelOf<FormatQ5_0>;
using PanelQ5_1 = PanelOf<FormatQ5_1>;
using PanelQ8_0 = PanelOf<FormatQ8_0>;
using PanelQ4K = PanelOf<FormatQ4K>;
using PanelQ5K = PanelOf<FormatQ5K>;

struct PanelQ6K {
  using Block = BlockQ6K;
  template <int kRows>
  using Panel = HalvesPanelBlock<kRows>;
  using Term = HalvesTerm<32>;

  static __m256i codes(const Block* row, int b) {
    const Block& block = row[b / 8];
    const int half = b % 8 / 4;
    const int quarter = b % 4;
    const __m256i low = load_256(block.low + half * 64 + quarter % 2 * 32);
    const __m256i high = load_256(block.high + half * 32);
    const __m256i four = quarter < 2 ? low : _mm256_srli_epi16(low, 4);
    const __m256i pair = _mm256_srl_epi16(high, _mm_cvtsi32_si128(2 * quarter));
    return _mm256_or_si256(_mm256_and_si256(four, _mm256_set1_epi8(0x0f)),
                           _mm256_and_si256(_mm256_slli_epi16(pair, 4), _mm256_set1_epi8(0x30)));
  }
  template <typename Panel>
  static void scales(const Block* row, int blocks, const PanelOrder& order, int r, Panel* panel) {
    for (int b = 0; b < blocks; ++b) {
      Panel& out = panel[order.place(b)];
      out.scale[r] = _cvtsh_ss(row[b / 8].d);
      out.half[0][r] = row[b / 8].scales[b % 8 * 2];
      out.half[1][r] = row[b / 8].scales[b % 8 * 2 + 1];
    }
  }
};

}  // namespace
}  // namespace assay
