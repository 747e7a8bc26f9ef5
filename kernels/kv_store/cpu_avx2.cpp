// Appends K and V rows to the f16 cache, eight values at a time by F16C.
//
// The conversion rounds to nearest even whatever the control register says, and agrees with
// engine/core/half.h. Values whose f16 exponent is all ones are counted from the converted bits.
#include <immintrin.h>

#include "kernels/kv_store/kv_store.h"
#include "kernels/launch.h"
#include "kernels/ranges.h"

namespace assay::kv_store_avx2 {

// from (head_dim) -> to (head_dim); returns how many stored values are not finite.
static std::uint64_t store_head(const float* from, std::uint16_t* to, int head_dim) {
  const __m128i exponent = _mm_set1_epi16(0x7c00);
  std::uint64_t nonfinite = 0;
  int i = 0;
  for (; i + 8 <= head_dim; i += 8) {
    const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), half);
    const __m128i bad = _mm_cmpeq_epi16(_mm_and_si128(half, exponent), exponent);
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(bad));  // two bits a value
    nonfinite += static_cast<std::uint64_t>(__builtin_popcount(mask)) / 2;
  }
  for (; i < head_dim; ++i) {
    to[i] = _cvtss_sh(from[i], _MM_FROUND_TO_NEAREST_INT);
    nonfinite += (to[i] & 0x7c00u) == 0x7c00u ? 1u : 0u;
  }
  return nonfinite;
}

static void kv_store(const KvStoreArgs& args, Launch& launch) {
  for_ranges(launch, args.t, 8, [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t nonfinite = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      for (int h = 0; h < args.kv_heads; ++h) {
        const std::int64_t from = (i * args.kv_heads + h) * args.head_dim;
        const std::int64_t to =
            (args.first_position + i) * args.position_stride + h * args.head_stride;
        nonfinite += store_head(args.k + from, args.k_cache + to, args.head_dim);
        nonfinite += store_head(args.v + from, args.v_cache + to, args.head_dim);
      }
    }
    if (nonfinite != 0) __atomic_fetch_add(args.nonfinite, nonfinite, __ATOMIC_RELAXED);
  });
}

}  // namespace assay::kv_store_avx2

ASSAY_VARIANT(kv_store_cpu_avx2, assay::KvStoreArgs, assay::kv_store_avx2::kv_store);
