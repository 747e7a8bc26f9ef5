// Elementwise addition in plain C++: a residual (same shape) or a bias (one row for all).
#include "kernels/add/add.h"

#include <cstdint>

#include "kernels/launch.h"

namespace assay::add_portable {

void add(const AddArgs& args, Launch& launch) {
  launch.pool.parallel_for(args.t, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float* a = args.a + i * args.k;
      const float* b = args.broadcast ? args.b : args.b + i * args.k;
      float* out = args.out + i * args.k;
      for (int j = 0; j < args.k; ++j) out[j] = a[j] + b[j];
    }
  });
}

}  // namespace assay::add_portable

ASSAY_VARIANT(add_cpu_portable, assay::AddArgs, assay::add_portable::add);
