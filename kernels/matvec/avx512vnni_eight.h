// Eight integer dots with 512-bit vpdpbusd, two 32-blocks to a register, for avx2_blocks.h. For
// AVX-512 VNNI files only.
#pragma once

#include "kernels/matvec/avx2_formats.h"
#include "kernels/matvec/avx512vnni_sums.h"

namespace assay {
namespace {

// [a a b b], nibbles: the low ones of a, the high ones of a, then those of b.
inline __m512i nibble_pair(const std::uint8_t* a, const std::uint8_t* b) {
  const __m256i both = _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a))),
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(b)), 1);
  const __m512i wide = _mm512_castsi256_si512(both);
  const __m512i twice = _mm512_shuffle_i64x2(wide, wide, _MM_SHUFFLE(1, 1, 0, 0));
  const __m512i shift = _mm512_setr_epi64(0, 0, 4, 4, 0, 0, 4, 4);
  return _mm512_and_si512(_mm512_srlv_epi64(twice, shift), _mm512_set1_epi8(0x0f));
}

// Sixteen more where a bit of the two blocks' fifth bits is set.
inline __m512i add_fifth_bits(__m512i codes, const std::uint8_t* a, const std::uint8_t* b) {
  std::uint32_t low;
  std::uint32_t high;
  __builtin_memcpy(&low, a, 4);
  __builtin_memcpy(&high, b, 4);
  const auto set = static_cast<__mmask64>(low | static_cast<std::uint64_t>(high) << 32);
  return _mm512_mask_add_epi8(codes, set, codes, _mm512_set1_epi8(16));
}

inline __m512i code_pair(const BlockQ4_0* row, int b) {
  return nibble_pair(row[b].q, row[b + 1].q);
}
inline __m512i code_pair(const BlockQ4_1* row, int b) {
  return nibble_pair(row[b].q, row[b + 1].q);
}
inline __m512i code_pair(const BlockQ5_0* row, int b) {
  return add_fifth_bits(nibble_pair(row[b].q, row[b + 1].q), row[b].high, row[b + 1].high);
}
inline __m512i code_pair(const BlockQ5_1* row, int b) {
  return add_fifth_bits(nibble_pair(row[b].q, row[b + 1].q), row[b].high, row[b + 1].high);
}
inline __m512i code_pair(const BlockQ8_0* row, int b) {
  const __m512i both =
      _mm512_inserti64x4(_mm512_castsi256_si512(load_256(row[b].q)), load_256(row[b + 1].q), 1);
  return _mm512_xor_si512(both, _mm512_set1_epi8(-128));
}
// b is even.
inline __m512i code_pair(const BlockQ5K* row, int b) {
  const BlockQ5K& block = row[b / 8];
  const __m512i bytes = _mm512_broadcast_i64x4(load_256(block.q + b % 8 / 2 * 32));
  const __m512i high = _mm512_broadcast_i64x4(load_256(block.high));
  const __m512i shift = _mm512_setr_epi64(0, 0, 0, 0, 4, 4, 4, 4);
  const __m512i one = _mm512_setr_epi64(0, 0, 0, 0, 1, 1, 1, 1);
  const __m512i four = _mm512_and_si512(_mm512_srlv_epi64(bytes, shift), _mm512_set1_epi8(0x0f));
  const __m512i bit = _mm512_add_epi64(one, _mm512_set1_epi64(b % 8));
  const __m512i fifth = _mm512_and_si512(_mm512_srlv_epi64(high, bit), _mm512_set1_epi8(1));
  return _mm512_or_si512(four, _mm512_slli_epi16(fifth, 4));
}

struct EightVnni {
  template <typename Format>
  static __m256i dots(const typename Format::Block* row, int b, const std::int8_t* x) {
    __m512i p[4];
    for (int i = 0; i < 4; ++i) {
      p[i] = _mm512_dpbusd_epi32(_mm512_setzero_si512(), code_pair(row, b + 2 * i),
                                 _mm512_loadu_si512(x + 64 * i));
    }
    return in_order(join_halves_512(quarter_sums(p)));
  }
};

}  // namespace
}  // namespace assay
