// Token embedding, eight codes at a time.
//
// Each format's formula as in kernels/blocks.cpp, with the same multiplications and the one
// subtraction in the same order, so the bits are the same; f16 goes through F16C. Formats differ in
// how codes are unpacked only, so each has one small function per block.
#include <immintrin.h>

#include "kernels/blocks.h"
#include "kernels/embed/embed.h"
#include "kernels/launch.h"
#include "kernels/ranges.h"

namespace assay::embed_avx2 {

static inline float half(std::uint16_t bits) {
  return _cvtsh_ss(bits);
}

// Eight unsigned bytes as f32.
static inline __m256 codes8(__m128i bytes) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
}

static inline __m128i load8(const void* from) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(from));
}

static void copy_f32(const float* row, int k, float* out) {
  int i = 0;
  for (; i + 8 <= k; i += 8) _mm256_storeu_ps(out + i, _mm256_loadu_ps(row + i));
  for (; i < k; ++i) out[i] = row[i];
}

static void expand_f16(const std::uint16_t* row, int k, float* out) {
  int i = 0;
  for (; i + 8 <= k; i += 8) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + i));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(bits));
  }
  for (; i < k; ++i) out[i] = half(row[i]);
}

static void expand_bf16(const std::uint16_t* row, int k, float* out) {
  for (int i = 0; i < k; ++i) out[i] = bfloat_to_float(row[i]);
}

static void expand_q8_0(const BlockQ8_0* blocks, int k, float* out) {
  for (int i = 0; i < k; i += 8) {
    const BlockQ8_0& block = blocks[i / 32];
    const __m256 q = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(load8(block.q + i % 32)));
    _mm256_storeu_ps(out + i, _mm256_mul_ps(_mm256_set1_ps(half(block.d)), q));
  }
}

static void expand_q4k(const BlockQ4K& block, float* out) {
  const __m128i low_bits = _mm_set1_epi8(0x0f);
  for (int i = 0; i < 256; i += 8) {
    const int sub = i / 32;
    const std::uint8_t* s = block.scales;
    const int scale = sub < 4 ? s[sub] & 63 : (s[sub + 4] & 0x0f) | ((s[sub - 4] >> 6) << 4);
    const int min = sub < 4 ? s[sub + 4] & 63 : (s[sub + 4] >> 4) | ((s[sub] >> 6) << 4);
    __m128i bytes = load8(block.q + (i / 64) * 32 + i % 32);
    if (sub % 2 == 1) bytes = _mm_srli_epi16(bytes, 4);
    const __m256 q = codes8(_mm_and_si128(bytes, low_bits));
    const __m256 factor = _mm256_set1_ps(half(block.d) * static_cast<float>(scale));
    const __m256 offset = _mm256_set1_ps(half(block.dmin) * static_cast<float>(min));
    _mm256_storeu_ps(out + i, _mm256_sub_ps(_mm256_mul_ps(factor, q), offset));
  }
}

static void expand_q6k(const BlockQ6K& block, float* out) {
  for (int i = 0; i < 256; i += 8) {
    const int quarter = i % 128 / 32;
    const int lane = i % 32;
    __m128i low = load8(block.low + i / 128 * 64 + (quarter % 2) * 32 + lane);
    if (quarter >= 2) low = _mm_srli_epi16(low, 4);
    low = _mm_and_si128(low, _mm_set1_epi8(0x0f));
    __m128i high = load8(block.high + i / 128 * 32 + lane);
    high = _mm_srl_epi16(high, _mm_cvtsi32_si128(2 * quarter));
    high = _mm_slli_epi16(_mm_and_si128(high, _mm_set1_epi8(3)), 4);
    const __m256i code =
        _mm256_sub_epi32(_mm256_cvtepu8_epi32(_mm_or_si128(low, high)), _mm256_set1_epi32(32));
    const float factor = half(block.d) * static_cast<float>(block.scales[i / 16]);
    _mm256_storeu_ps(out + i, _mm256_mul_ps(_mm256_set1_ps(factor), _mm256_cvtepi32_ps(code)));
  }
}

// row of k elements -> out (k)
static void expand_row(DType dtype, const unsigned char* row, int k, float* out) {
  switch (dtype) {
    case DType::kF32:
      copy_f32(reinterpret_cast<const float*>(row), k, out);
      return;
    case DType::kF16:
      expand_f16(reinterpret_cast<const std::uint16_t*>(row), k, out);
      return;
    case DType::kQ8_0:
      expand_q8_0(reinterpret_cast<const BlockQ8_0*>(row), k, out);
      return;
    case DType::kQ4K:
      for (int i = 0; i < k; i += 256) {
        expand_q4k(*(reinterpret_cast<const BlockQ4K*>(row) + i / 256), out + i);
      }
      return;
    case DType::kBF16:
      expand_bf16(reinterpret_cast<const std::uint16_t*>(row), k, out);
      return;
    case DType::kQ4_0:
    case DType::kQ4_1:
    case DType::kQ5_0:
    case DType::kQ5_1:
    case DType::kQ5K:
      dequantize_row(dtype, row, k, out);
      return;
    case DType::kQ6K:
      for (int i = 0; i < k; i += 256) {
        expand_q6k(*(reinterpret_cast<const BlockQ6K*>(row) + i / 256), out + i);
      }
      return;
  }
}

static void embed(const EmbedArgs& args, Launch& launch) {
  const std::size_t stride = row_bytes(args.dtype, static_cast<std::size_t>(args.k));
  const auto* table = static_cast<const unsigned char*>(args.table);
  for_ranges(launch, args.t, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto token = static_cast<std::size_t>(args.tokens[i]);
      expand_row(args.dtype, table + token * stride, args.k, args.out + i * args.k);
    }
  });
}

}  // namespace assay::embed_avx2

ASSAY_VARIANT(embed_cpu_avx2, assay::EmbedArgs, assay::embed_avx2::embed);
