// Causal prefill attention in AVX2 and F16C: blocks of query rows over the cache, tile by tile.
//
// A unit of work is a run of tokens times the query heads of one group, about 32 rows, so that a
// tile of K and V is read once for all of them and stays in the first-level cache. The arithmetic
// per row is that of kernels/online_softmax_avx2.h and stops at the row's own position: it depends
// neither on t, nor on where a block begins, nor on threads.
#include "kernels/attention_prefill/attention_prefill.h"

#include "kernels/launch.h"
#include "kernels/online_softmax_avx2.h"
#include "kernels/ranges.h"

namespace assay::attention_prefill_avx2 {

constexpr int kRows = 32;  // about, per unit of work

template <int tkv>
static void attention_prefill(const AttentionPrefillArgs& args, Launch& launch) {
  const int group = args.heads / args.kv_heads;
  const int tokens = group < kRows ? kRows / group : 1;  // per unit
  const int blocks = (args.t + tokens - 1) / tokens;
  const std::int64_t token_stride = static_cast<std::int64_t>(args.heads) * args.head_dim;
  for_ranges(launch, blocks * args.kv_heads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t kv_head = unit % args.kv_heads;
      const int first = static_cast<int>(unit / args.kv_heads) * tokens;
      const int run = args.t - first < tokens ? args.t - first : tokens;
      const std::int64_t at = first * token_stride + kv_head * group * args.head_dim;
      attend_rows_avx2<tkv>({.q = args.q + at,
                             .k = args.k_cache + kv_head * args.head_stride,
                             .v = args.v_cache + kv_head * args.head_stride,
                             .out = args.out + at,
                             .token_stride = token_stride,
                             .position_stride = args.position_stride,
                             .rows = run * group,
                             .group = group,
                             .first_count = args.past + first + 1,
                             .head_dim = args.head_dim,
                             .scale = args.scale});
    }
  });
}

}  // namespace assay::attention_prefill_avx2

ASSAY_VARIANT(attention_prefill_cpu_avx2_tkv32, assay::AttentionPrefillArgs,
              assay::attention_prefill_avx2::attention_prefill<32>);
ASSAY_VARIANT(attention_prefill_cpu_avx2_tkv64, assay::AttentionPrefillArgs,
              assay::attention_prefill_avx2::attention_prefill<64>);
ASSAY_VARIANT(attention_prefill_cpu_avx2_tkv128, assay::AttentionPrefillArgs,
              assay::attention_prefill_avx2::attention_prefill<128>);
