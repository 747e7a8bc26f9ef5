// Activations rearranged so that 256-blocks need no horizontal sums. For AVX2 and AVX-512 files
// only.
//
// Problem: a term needs one integer sum per 32-block, and a 256-bit register holds one 32-block;
// adding up its eight 32-bit lanes for each of eight blocks costs more than the products. Method:
// transpose 4 x 4 words of 32 bits, so that a register's lane belongs to one block and products of
// that block land in the same lane. Weights are transposed once per 256-block and activations once
// per launch and thread; what remains per block is one addition of two halves.
//
// A 128-bit half L of register i holds words 4L + i of four blocks: {0,2,4,6} and {1,3,5,7} where
// kEvenOdd (q4_K: low and high nibbles of a byte), else {0,1,2,3} and {4,5,6,7} (q6_K: two halves).
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/quantize_activations/quantize_activations.h"

namespace assay {

// 256 activations of one token.
struct alignas(64) InterleavedBlock {
  std::int8_t q[256];  // (i = 0..3, set = 0..1, 32)
  float d[8];          // one per block, in the order of the sets
  float sum[8];        // of a block's codes, same order
  std::int32_t
      offset[16];  // (set, 8): -32 times the sum of 16 codes: half L of a set's four blocks
};

static inline void transpose_words(const __m256i in[4], __m256i out[4]) {
  const __m256i low01 = _mm256_unpacklo_epi32(in[0], in[1]);
  const __m256i low23 = _mm256_unpacklo_epi32(in[2], in[3]);
  const __m256i high01 = _mm256_unpackhi_epi32(in[0], in[1]);
  const __m256i high23 = _mm256_unpackhi_epi32(in[2], in[3]);
  out[0] = _mm256_unpacklo_epi64(low01, low23);
  out[1] = _mm256_unpackhi_epi64(low01, low23);
  out[2] = _mm256_unpacklo_epi64(high01, high23);
  out[3] = _mm256_unpackhi_epi64(high01, high23);
}

static inline __m256i load_256(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

template <bool kEvenOdd>
static inline void interleave_block(const std::int8_t* q, const float* d, const std::int16_t* sum,
                                    InterleavedBlock& out) {
  const __m256i ones8 = _mm256_set1_epi8(1);
  const __m256i ones16 = _mm256_set1_epi16(1);
  for (int set = 0; set < 2; ++set) {
    __m256i in[4];
    __m256i words[4];
    for (int g = 0; g < 4; ++g) {
      const int block = kEvenOdd ? 2 * g + set : 4 * set + g;
      in[g] = load_256(q + 32 * block);
      out.d[4 * set + g] = d[block];
      out.sum[4 * set + g] = sum[block];
    }
    transpose_words(in, words);
    __m256i total = _mm256_setzero_si256();
    for (int i = 0; i < 4; ++i) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(out.q + (2 * i + set) * 32), words[i]);
      const __m256i pairs = _mm256_maddubs_epi16(ones8, words[i]);
      total = _mm256_add_epi32(total, _mm256_madd_epi16(pairs, ones16));
    }
    const __m256i minus = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_slli_epi32(total, 5));
    _mm256_store_si256(reinterpret_cast<__m256i*>(out.offset + 8 * set), minus);
  }
}

// Token rows [first, end) of xq -> out (end - first, k / 256).
template <bool kEvenOdd>
static inline void interleave_rows(const QuantizedRows& xq, int first, int end, int k,
                                   InterleavedBlock* out) {
  const std::int64_t blocks = static_cast<std::int64_t>(end - first) * (k / 256);
  const std::int64_t at = static_cast<std::int64_t>(first) * k;
  for (std::int64_t b = 0; b < blocks; ++b) {
    interleave_block<kEvenOdd>(xq.q + at + b * 256, xq.d + at / 32 + b * 8,
                               xq.sum + at / 32 + b * 8, out[b]);
  }
}

// Adds the two halves of each set: (set 0, set 1) -> 8 block sums in the order of the sets.
static inline __m256i join_halves(__m256i set0, __m256i set1) {
  return _mm256_add_epi32(_mm256_permute2x128_si256(set0, set1, 0x20),
                          _mm256_permute2x128_si256(set0, set1, 0x31));
}

// Eight partial sums in the order 0,2,4,6,1,3,5,7 -> ((0+4)+(2+6)) + ((1+5)+(3+7)).
static inline float sum_even_odd(__m256 lanes) {
  const __m256 pairs = _mm256_add_ps(lanes, _mm256_permute_ps(lanes, 0x4e));
  const __m256 sums = _mm256_add_ps(pairs, _mm256_permute_ps(pairs, 0xb1));
  return _mm_cvtss_f32(_mm_add_ss(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1)));
}

// The same for partial sums in the order 0..7.
static inline float sum_natural(__m256 lanes) {
  const __m128 fours = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
  const __m128 twos = _mm_add_ps(fours, _mm_movehl_ps(fours, fours));
  return _mm_cvtss_f32(_mm_add_ss(twos, _mm_movehdup_ps(twos)));
}

}  // namespace assay
