// Rows of any format of avx2_formats.h times one row of quantised activations, eight 32-blocks at a
// time. For AVX2 and AVX-512 files only.
//
// Products of four bytes are summed inside their lane; three levels of pairwise additions bring the
// sums of eight blocks into the eight lanes, which are the contract's partial sums. Blocks beyond
// the end count as zero: adding +0 to a sum that began at +0 changes no bit. kProducts says how
// unsigned codes meet signed ones.
#pragma once

#include "kernels/matvec/avx2_formats.h"
#include "kernels/matvec/avx2_q8_0.h"
#include "kernels/matvec/matvec.h"
#include "kernels/matvec/weight_rows.h"
#include "kernels/ranges.h"

namespace assay {
namespace {

// Codes up to 63: twice 63 * 127 fits 16 bits.
inline __m256i products_avx2(__m256i codes, __m256i x) {
  return _mm256_madd_epi16(_mm256_maddubs_epi16(codes, x), _mm256_set1_epi16(1));
}

// lanes + terms of blocks b .. b + count of the row, count in 1..8.
template <typename Format, ProductsQ8_0 kProducts, bool kWhole>
inline __m256 add_terms(__m256 lanes, const typename Format::Block* row, int b, int count,
                        const QuantizedRows& x) {
  alignas(32) float scale[8];
  alignas(32) float offset[8];
  Format::eight(row, b, kWhole ? 8 : count, scale, offset);
  __m256i p[8];
  for (int j = 0; j < 8; ++j) {
    const bool there = kWhole || j < count;
    p[j] = there ? kProducts(Format::codes(row, b + j), load_256(x.q + 32 * (b + j)))
                 : _mm256_setzero_si256();
  }
  __m256i sums;
  __m256 d;
  if (kWhole) {
    sums = _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x.sum + b)));
    d = _mm256_loadu_ps(x.d + b);
  } else {
    alignas(32) std::int32_t some_sums[8] = {};
    alignas(32) float some_d[8] = {};
    for (int j = 0; j < count; ++j) {
      some_sums[j] = x.sum[b + j];
      some_d[j] = x.d[b + j];
    }
    sums = _mm256_load_si256(reinterpret_cast<const __m256i*>(some_sums));
    d = _mm256_load_ps(some_d);
  }
  __m256i dots = sum_eight(p);
  if (Format::kOffset != 0) {
    const __m256i factor = _mm256_set1_epi32(Format::kOffset);
    dots = _mm256_sub_epi32(dots, _mm256_mullo_epi32(sums, factor));
  }
  __m256 term = _mm256_mul_ps(_mm256_load_ps(scale), _mm256_cvtepi32_ps(dots));
  if (Format::kMin) {
    term = _mm256_sub_ps(term, _mm256_mul_ps(_mm256_load_ps(offset), _mm256_cvtepi32_ps(sums)));
  }
  return _mm256_add_ps(lanes, _mm256_mul_ps(term, d));
}

}  // namespace

template <typename Format, ProductsQ8_0 kProducts>
static void run_blocks_matvec(const MatvecArgs& args, Launch& launch) {
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    const int blocks = args.k / 32;
    for (std::int64_t r = begin; r < end; ++r) {
      const auto* row =
          weight_row<typename Format::Block, Format::kElements>(args.weights, r, args.k);
      __m256 lanes = _mm256_setzero_ps();
      int b = 0;
      for (; b + 8 <= blocks; b += 8) {
        lanes = add_terms<Format, kProducts, true>(lanes, row, b, 8, args.xq);
      }
      if (b < blocks) {
        lanes = add_terms<Format, kProducts, false>(lanes, row, b, blocks - b, args.xq);
      }
      args.y[r] = sum_natural(lanes);
    }
  });
}

}  // namespace assay
