// matvec_q6k with 512-bit vpdpbusd and codes unpacked 64 at a time, in their own order.
//
// The other mechanisms transpose words so that a lane belongs to one 32-block, 256 bits at a time.
// Here two neighbouring blocks fill a register as they come, high bits are shifted per half, and
// the four-byte sums of eight blocks are brought together by two levels of unpacking and adding.
// After these, a 128-bit lane holds half blocks 0,2,4,6 first, 0,2,4,6 second, 1,3,5,7 first,
// 1,3,5,7 second; offsets of the activations and the block's scales are put into that order.
#include "kernels/blocks.h"
#include "kernels/launch.h"
#include "kernels/matvec/avx2_interleave.h"
#include "kernels/matvec/avx512vnni_sums.h"
#include "kernels/matvec/matvec.h"
#include "kernels/matvec/weight_rows.h"
#include "kernels/ranges.h"

namespace assay {
namespace {

// Minus 32 times the sums of sixteen codes, in the order of the sums above.
void prepare_offsets(const std::int8_t* q, std::int32_t* out) {
  for (int i = 0; i < 16; ++i) {
    const int block = 2 * (i % 4) + i / 8;
    const int half = i / 4 % 2;
    std::int32_t sum = 0;
    for (int c = 0; c < 16; ++c) sum += q[32 * block + 16 * half + c];
    out[i] = -32 * sum;
  }
}

// Blocks 2 i and 2 i + 1 of half a 256-block, i = 0 and 1.
inline void unpack_half(const std::uint8_t* low, const std::uint8_t* high, __m512i out[2]) {
  const __m512i nibble = _mm512_set1_epi8(0x0f);
  const __m512i pair = _mm512_set1_epi8(0x30);
  const __m512i four = _mm512_loadu_si512(low);
  const __m512i two = _mm512_broadcast_i64x4(load_256(high));
  const __m512i first = _mm512_setr_epi64(4, 4, 4, 4, 2, 2, 2, 2);   // left
  const __m512i second = _mm512_setr_epi64(0, 0, 0, 0, 2, 2, 2, 2);  // right
  out[0] = _mm512_or_si512(_mm512_and_si512(four, nibble),
                           _mm512_and_si512(_mm512_sllv_epi64(two, first), pair));
  out[1] = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16(four, 4), nibble),
                           _mm512_and_si512(_mm512_srlv_epi64(two, second), pair));
}

inline __m256 add_block(__m256 lanes, const BlockQ6K& block, const std::int8_t* q,
                        const std::int32_t* offset, const float* d) {
  __m512i codes[4];
  unpack_half(block.low, block.high, codes);
  unpack_half(block.low + 64, block.high + 32, codes + 2);
  __m512i p[4];
  for (int i = 0; i < 4; ++i) {
    p[i] = _mm512_dpbusd_epi32(_mm512_setzero_si512(), codes[i], _mm512_loadu_si512(q + 64 * i));
  }
  const __m128i order = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block.scales));
  const __m512i scales = _mm512_cvtepi8_epi32(_mm_shuffle_epi8(bytes, order));
  const __m512i sums = _mm512_add_epi32(quarter_sums(p), _mm512_loadu_si512(offset));
  const __m256i dots = in_order(join_halves_512(_mm512_mullo_epi32(sums, scales)));
  const __m256 scaled = _mm256_mul_ps(_mm256_set1_ps(_cvtsh_ss(block.d)), _mm256_cvtepi32_ps(dots));
  return _mm256_add_ps(lanes, _mm256_mul_ps(scaled, _mm256_loadu_ps(d)));
}

}  // namespace

static void matvec_q6k_wide(const MatvecArgs& args, Launch& launch) {
  const int blocks = args.k / 256;
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    auto* offsets = static_cast<std::int32_t*>(thread_scratch(blocks * 64));
    for (int b = 0; b < blocks; ++b) prepare_offsets(args.xq.q + 256 * b, offsets + 16 * b);
    for (std::int64_t r = begin; r < end; ++r) {
      const BlockQ6K* row = weight_row<BlockQ6K>(args.weights, r, args.k);
      __m256 lanes = _mm256_setzero_ps();
      for (int b = 0; b < blocks; ++b) {
        lanes = add_block(lanes, row[b], args.xq.q + 256 * b, offsets + 16 * b, args.xq.d + 8 * b);
      }
      args.y[r] = sum_natural(lanes);
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matvec_q6k_cpu_avx512vnni_wide, assay::MatvecArgs, assay::matvec_q6k_wide);
