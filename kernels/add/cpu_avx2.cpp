// Elementwise addition, eight at a time; the last few of a row one by one.
#include <immintrin.h>

#include <cstdint>

#include "kernels/add/add.h"
#include "kernels/launch.h"
#include "kernels/ranges.h"

namespace assay::add_avx2 {

// a, b, out (k)
static void add_row(const float* a, const float* b, float* out, int k) {
  int i = 0;
  for (; i + 8 <= k; i += 8) {
    _mm256_storeu_ps(out + i, _mm256_add_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)));
  }
  for (; i < k; ++i) out[i] = a[i] + b[i];
}

static void add(const AddArgs& args, Launch& launch) {
  for_ranges(launch, args.t, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float* b = args.broadcast ? args.b : args.b + i * args.k;
      add_row(args.a + i * args.k, b, args.out + i * args.k, args.k);
    }
  });
}

}  // namespace assay::add_avx2

ASSAY_VARIANT(add_cpu_avx2, assay::AddArgs, assay::add_avx2::add);
