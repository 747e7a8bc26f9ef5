// Decode attention in plain C++: one token's query heads over the cache, tile by tile.
//
// Up to four query heads of a group make one unit of work and share every load of K and V; the
// arithmetic per head is that of kernels/online_softmax.h. The unit does not depend on the number
// of threads, and no head is split over positions, so neither changes a bit.
#include "kernels/attention_decode/attention_decode.h"

#include "kernels/launch.h"
#include "kernels/online_softmax.h"
#include "kernels/ranges.h"

namespace assay::attention_decode_portable {

constexpr int kHeads = 4;  // of one group, per unit of work

template <int tkv>
static void attention_decode(const AttentionDecodeArgs& args, Launch& launch) {
  const int group = args.heads / args.kv_heads;
  const int parts = (group + kHeads - 1) / kHeads;
  for_ranges(launch, args.kv_heads * parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t kv_head = unit / parts;
      const int first = static_cast<int>(unit % parts) * kHeads;
      const int rows = group - first < kHeads ? group - first : kHeads;
      const std::int64_t at = (kv_head * group + first) * args.head_dim;
      attend_rows<tkv>({.q = args.q + at,
                        .k = args.k_cache + kv_head * args.head_stride,
                        .v = args.v_cache + kv_head * args.head_stride,
                        .out = args.out + at,
                        .token_stride = 0,
                        .position_stride = args.position_stride,
                        .rows = rows,
                        .group = rows,
                        .first_count = args.nkv,
                        .head_dim = args.head_dim,
                        .scale = args.scale});
    }
  });
}

}  // namespace assay::attention_decode_portable

ASSAY_VARIANT(attention_decode_cpu_portable_tkv32, assay::AttentionDecodeArgs,
              assay::attention_decode_portable::attention_decode<32>);
ASSAY_VARIANT(attention_decode_cpu_portable_tkv64, assay::AttentionDecodeArgs,
              assay::attention_decode_portable::attention_decode<64>);
