// Panels of sixteen rows: 512-bit registers and vpdpbusd. For AVX-512 VNNI files only.
#pragma once

#include <cstdint>

#include "kernels/matvec/avx2_interleave.h"

namespace assay {
namespace {

struct VnniLanes {
  static constexpr int kRows = 16;
  using Ints = __m512i;
  using Floats = __m512;

  static Ints zero_ints() { return _mm512_setzero_si512(); }
  static Floats zero_floats() { return _mm512_setzero_ps(); }
  static Ints load_ints(const void* at) { return _mm512_load_si512(at); }
  static Floats load_floats(const float* at) { return _mm512_load_ps(at); }
  static Ints broadcast(std::int32_t value) { return _mm512_set1_epi32(value); }
  static Floats broadcast(float value) { return _mm512_set1_ps(value); }
  static Floats to_floats(Ints value) { return _mm512_cvtepi32_ps(value); }
  static Ints add(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
  static Ints mul(Ints a, Ints b) { return _mm512_mullo_epi32(a, b); }
  static Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
  static Floats sub(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
  static Floats mul(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
  static Ints add_products(Ints sum, Ints codes, Ints x) {
    return _mm512_dpbusd_epi32(sum, codes, x);
  }
  static void store(float* at, Floats value) { _mm512_store_ps(at, value); }
  static void store_some(float* at, int count, Floats value) {
    _mm512_mask_storeu_ps(at, static_cast<__mmask16>((1u << count) - 1), value);
  }
};

}  // namespace
}  // namespace assay
