// Weight formats for kernels that want 32 codes at a time. For AVX2 and AVX-512 files only.
//
// A format has Block, codes(row, b): the codes of 32-block b as unsigned bytes; scales(row, b,
// count): scale and offset of the 32-blocks from b on, zero after `count`, though eight are read;
// kMin, when the offset times the sum of the activations' codes is taken away in f32; and kOffset,
// the integer that codes are too large by.
#pragma once

#include "kernels/blocks.h"
#include "kernels/matvec/avx2_interleave.h"
#include "kernels/matvec/q4k_scales_avx2.h"

namespace assay {
namespace {

inline __m256i spread_nibbles(const std::uint8_t* bytes) {
  const __m128i both = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const __m256i wide =
      _mm256_inserti128_si256(_mm256_castsi128_si256(both), _mm_srli_epi16(both, 4), 1);
  return _mm256_and_si256(wide, _mm256_set1_epi8(0x0f));
}

inline std::int32_t word_at(const void* at) {
  std::int32_t word;
  __builtin_memcpy(&word, at, 4);
  return word;
}

// 32 bits -> 16 in the bytes of set bits, 0 in the others.
inline __m256i spread_fifth_bits(const std::uint8_t* high) {
  const __m256i bytes = _mm256_shuffle_epi8(
      _mm256_set1_epi32(word_at(high)),
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
  const __m256i one = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
  const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, one), one);
  return _mm256_and_si256(set, _mm256_set1_epi8(16));
}

template <typename Block>
inline __m256i five_bits(const Block& block) {
  return _mm256_or_si256(spread_nibbles(block.q), spread_fifth_bits(block.high));
}

// Scale and offset of eight 32-blocks.
struct EightScales {
  __m256 scale;
  __m256 offset;
};

// The first four bytes of four blocks. One insertion each: from a list of four words GCC 12 makes a
// chain of shifts in integer registers.
template <typename Block>
inline __m128i four_words(const Block* blocks) {
  __m128i words = _mm_loadu_si32(blocks);
  words = _mm_insert_epi32(words, word_at(blocks + 1), 1);
  words = _mm_insert_epi32(words, word_at(blocks + 2), 2);
  return _mm_insert_epi32(words, word_at(blocks + 3), 3);
}

// Those of blocks that begin with f16 d, and for kMin then f16 m. Eight words are read, whatever
// the row's end; lanes from `count` on become zero.
template <typename Block, bool kMin>
inline EightScales scales_of_blocks(const Block* blocks, int count) {
  __m256i words = _mm256_set_m128i(four_words(blocks + 4), four_words(blocks));
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  words = _mm256_and_si256(words, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane));
  const __m256i both = _mm256_packus_epi32(_mm256_and_si256(words, _mm256_set1_epi32(0xffff)),
                                           _mm256_srli_epi32(words, 16));
  const __m256i apart = _mm256_permute4x64_epi64(both, _MM_SHUFFLE(3, 1, 2, 0));
  EightScales scales;
  scales.scale = _mm256_cvtph_ps(_mm256_castsi256_si128(apart));
  scales.offset = _mm256_setzero_ps();
  if (kMin) {
    const __m256 m = _mm256_cvtph_ps(_mm256_extracti128_si256(apart, 1));
    scales.offset = _mm256_xor_ps(m, _mm256_set1_ps(-0.0f));
  }
  return scales;
}
// Those of a 256-block, from the order 0,2,4,6,1,3,5,7 to 0..7.
template <typename Block>
inline EightScales scales_of_k(const Block& block) {
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const ScalesQ4K all = read_scales_q4k(block);
  return {_mm256_permutevar8x32_ps(all.scale, order), _mm256_permutevar8x32_ps(all.min, order)};
}

// What 32-blocks have in common; kTooLarge is kOffset.
template <typename BlockType, int kTooLarge>
struct SmallFormat {
  using Block = BlockType;
  static constexpr bool kMin = kHasOffset<Block>;
  static constexpr int kOffset = kTooLarge;
  static EightScales scales(const Block* row, int b, int count) {
    return scales_of_blocks<Block, kMin>(row + b, count);
  }
};
struct FormatQ4_0 : SmallFormat<BlockQ4_0, 8> {
  static __m256i codes(const Block* row, int b) { return spread_nibbles(row[b].q); }
};
struct FormatQ4_1 : SmallFormat<BlockQ4_1, 0> {
  static __m256i codes(const Block* row, int b) { return spread_nibbles(row[b].q); }
};
struct FormatQ5_0 : SmallFormat<BlockQ5_0, 16> {
  static __m256i codes(const Block* row, int b) { return five_bits(row[b]); }
};
struct FormatQ5_1 : SmallFormat<BlockQ5_1, 0> {
  static __m256i codes(const Block* row, int b) { return five_bits(row[b]); }
};
struct FormatQ8_0 : SmallFormat<BlockQ8_0, 128> {
  static __m256i codes(const Block* row, int b) {
    return _mm256_xor_si256(load_256(row[b].q), _mm256_set1_epi8(-128));
  }
};

// What q4_K and q5_K have in common.
template <typename BlockType>
struct MinFormatK {
  using Block = BlockType;
  static constexpr bool kMin = true;
  static constexpr int kOffset = 0;
  static __m256i nibbles(const Block* row, int b) {
    const __m256i bytes = load_256(row[b / 8].q + b % 8 / 2 * 32);
    const __m256i four = b % 2 == 0 ? bytes : _mm256_srli_epi16(bytes, 4);
    return _mm256_and_si256(four, _mm256_set1_epi8(0x0f));
  }
  static EightScales scales(const Block* row, int b, int) { return scales_of_k(row[b / 8]); }
};
struct FormatQ4K : MinFormatK<BlockQ4K> {
  static __m256i codes(const Block* row, int b) { return nibbles(row, b); }
};
struct FormatQ5K : MinFormatK<BlockQ5K> {
  static __m256i codes(const Block* row, int b) {
    const __m256i high = _mm256_srl_epi16(load_256(row[b / 8].high), _mm_cvtsi32_si128(b % 8));
    const __m256i fifth = _mm256_and_si256(high, _mm256_set1_epi8(1));
    return _mm256_or_si256(nibbles(row, b), _mm256_slli_epi16(fifth, 4));
  }
};

}  // namespace
}  // namespace assay
