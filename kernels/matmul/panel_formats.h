// How each weight type fills a panel (panel.h). For AVX2 and AVX-512 files only.
//
// Codes are unsigned bytes; what has to be taken off them is kOffset, and comes off through the sum
// of the activations' codes.
#pragma once

#include "kernels/blocks.h"
#include "kernels/matmul/panel.h"
#include "kernels/matvec/q4k_scales_avx2.h"

namespace assay {
namespace {

struct PanelQ8_0 {
  using Block = BlockQ8_0;
  template <int kRows>
  using Panel = PanelBlock<kRows>;
  static constexpr int kElements = 32;
  static constexpr int kOffset = 128;

  static __m256i codes(const Block* row, int b) {
    return _mm256_xor_si256(load_256(row[b].q), _mm256_set1_epi8(-128));
  }
  template <typename Panel>
  static void scales(const Block* row, int blocks, const PanelOrder& order, int r, Panel* panel) {
    for (int b = 0; b < blocks; ++b) panel[order.place(b)].scale[r] = _cvtsh_ss(row[b].d);
  }
};

struct PanelQ4K {
  using Block = BlockQ4K;
  template <int kRows>
  using Panel = MinPanelBlock<kRows>;
  static constexpr int kElements = 256;

  static __m256i codes(const Block* row, int b) {
    const __m256i bytes = load_256(row[b / 8].q + b % 8 / 2 * 32);
    const __m256i nibbles = b % 2 == 0 ? bytes : _mm256_srli_epi16(bytes, 4);
    return _mm256_and_si256(nibbles, _mm256_set1_epi8(0x0f));
  }
  template <typename Panel>
  static void scales(const Block* row, int blocks, const PanelOrder& order, int r, Panel* panel) {
    alignas(32) float scale[8];
    alignas(32) float low[8];
    for (int b = 0; b < blocks; b += 8) {
      const ScalesQ4K all = read_scales_q4k(row[b / 8]);
      _mm256_store_ps(scale, all.scale);
      _mm256_store_ps(low, all.min);
      for (int i = 0; i < 8; ++i) {
        Panel& out = panel[order.place(b + 2 * i % 8 + i / 4)];
        out.scale[r] = scale[i];
        out.low[r] = low[i];
      }
    }
  }
};

struct PanelQ6K {
  using Block = BlockQ6K;
  template <int kRows>
  using Panel = HalvesPanelBlock<kRows>;
  static constexpr int kElements = 256;
  static constexpr int kOffset = 32;

  static __m256i codes(const Block* row, int b) {
    const Block& block = row[b / 8];
    const int half = b % 8 / 4;
    const int quarter = b % 4;
    const __m256i low = load_256(block.low + half * 64 + quarter % 2 * 32);
    const __m256i high = load_256(block.high + half * 32);
    const __m256i four = quarter < 2 ? low : _mm256_srli_epi16(low, 4);
    const __m256i two =
        _mm256_slli_epi16(_mm256_srl_epi16(high, _mm_cvtsi32_si128(2 * quarter)), 4);
    return _mm256_or_si256(_mm256_and_si256(four, _mm256_set1_epi8(0x0f)),
                           _mm256_and_si256(two, _mm256_set1_epi8(0x30)));
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
