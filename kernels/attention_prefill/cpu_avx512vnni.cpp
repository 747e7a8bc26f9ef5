// Causal prefill attention with AVX-512, sixteen query rows to a register; the arithmetic is
// kernels/online_softmax_avx512.h.
//
// A unit of work is a run of tokens times the query heads of one group, at most 48 rows: they share
// the conversion of each tile of K and V. (VNNI itself is not used: it names the processors.)
#include "kernels/attention_prefill/attention_prefill.h"

#include "kernels/launch.h"
#include "kernels/online_softmax_avx512.h"
#include "kernels/ranges.h"

namespace assay::attention_prefill_avx512 {

constexpr int kRows = 48;  // at most, per unit of work; more query heads than that are cut

template <int tkv>
static void attention_prefill(const AttentionPrefillArgs& args, Launch& launch) {
  const int group = args.heads / args.kv_heads;
  const int heads = group < kRows ? group : kRows;  // of a group, per unit
  const int parts = (group + heads - 1) / heads;
  const int tokens = kRows / heads;
  const int blocks = (args.t + tokens - 1) / tokens;
  const std::int64_t token_stride = static_cast<std::int64_t>(args.heads) * args.head_dim;
  const std::int64_t units = static_cast<std::int64_t>(blocks) * args.kv_heads * parts;
  for_ranges(launch, units, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t kv_head = unit % args.kv_heads;
      const int part = static_cast<int>(unit / args.kv_heads % parts);
      const int first = static_cast<int>(unit / args.kv_heads / parts) * tokens;
      const int run = args.t - first < tokens ? args.t - first : tokens;
      const int own = group - part * heads < heads ? group - part * heads : heads;
      const std::int64_t head = kv_head * group + part * heads;
      const std::int64_t at = first * token_stride + head * args.head_dim;
      attend_rows_avx512<tkv, kRows>({.q = args.q + at,
                                      .k = args.k_cache + kv_head * args.head_stride,
                                      .v = args.v_cache + kv_head * args.head_stride,
                                      .out = args.out + at,
                                      .token_stride = token_stride,
                                      .position_stride = args.position_stride,
                                      .rows = run * own,
                                      .group = own,
                                      .first_count = args.past + first + 1,
                                      .head_dim = args.head_dim,
                                      .scale = args.scale});
    }
  });
}

}  // namespace assay::attention_prefill_avx512

ASSAY_VARIANT(attention_prefill_cpu_avx512vnni_tkv32, assay::AttentionPrefillArgs,
              assay::attention_prefill_avx512::attention_prefill<32>);
