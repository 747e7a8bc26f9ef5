// Panels of eight rows: 256-bit registers, products by vpmaddubsw. For AVX2 files only.
//
// Codes must not exceed 63: pairs of products then fit 16 bits.
#pragma once

#include <cstdint>

#include "kernels/matvec/avx2_interleave.h"

namespace assay {
namespace {

struct Avx2Lanes {
  static constexpr int kRows = 8;
  using Ints = __m256i;
  using Floats = __m256;

  static Ints zero_ints() { return _mm256_setzero_si256(); }
  static Floats zero_floats() { return _mm256_setzero_ps(); }
  static Ints load_ints(const void* at) { return load_256(at); }
  static Floats load_floats(const float* at) { return _mm256_load_ps(at); }
  static Ints broadcast(std::int32_t value) { return _mm256_set1_epi32(value); }
  static Floats broadcast(float value) { return _mm256_set1_ps(value); }
  static Floats to_floats(Ints value) { return _mm256_cvtepi32_ps(value); }
  static Ints add(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
  static Ints mul(Ints a, Ints b) { return _mm256_mullo_epi32(a, b); }
  static Floats add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
  static Floats sub(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
  static Floats mul(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Ints add_products(Ints sum, Ints codes, Ints x) {
    const __m256i pairs = _mm256_maddubs_epi16(codes, x);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  static void store(float* at, Floats value) { _mm256_store_ps(at, value); }
  static void store_some(float* at, int count, Floats value) {
    if (count == kRows) {
      _mm256_storeu_ps(at, value);
      return;
    }
    alignas(32) float all[kRows];
    _mm256_store_ps(all, value);
    for (int i = 0; i < count; ++i) at[i] = all[i];
  }
};

}  // namespace
}  // namespace assay
