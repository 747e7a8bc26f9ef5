// Appends K and V rows to the f16 cache by the integer conversion of engine/core/half.h.
//
// A value beyond 65,504 becomes infinite in f16 and would poison every later step; it is stored as
// it is and counted, so that the engine can report it.
#include "engine/core/half.h"
#include "kernels/kv_store/kv_store.h"
#include "kernels/launch.h"

namespace assay::kv_store_portable {

// from (head_dim) -> to (head_dim); returns how many stored values are not finite.
std::uint64_t store_head(const float* from, std::uint16_t* to, int head_dim) {
  std::uint64_t nonfinite = 0;
  for (int i = 0; i < head_dim; ++i) {
    to[i] = float_to_half(from[i]);
    nonfinite += (to[i] & 0x7c00u) == 0x7c00u ? 1u : 0u;
  }
  return nonfinite;
}

void kv_store(const KvStoreArgs& args, Launch& launch) {
  launch.pool.parallel_for(args.t, 8, [&](std::int64_t begin, std::int64_t end) {
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

}  // namespace assay::kv_store_portable

ASSAY_VARIANT(kv_store_cpu_portable, assay::KvStoreArgs, assay::kv_store_portable::kv_store);
