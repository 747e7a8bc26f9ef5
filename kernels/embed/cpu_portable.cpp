// Token embedding by the scalar definition of each weight format.
//
// One row of the table per token, dequantised by kernels/blocks.h. Rows are independent, so the
// split over threads cannot change a bit.
#include "kernels/blocks.h"
#include "kernels/embed/embed.h"
#include "kernels/launch.h"

namespace assay::embed_portable {

void embed(const EmbedArgs& args, Launch& launch) {
  const std::size_t stride = row_bytes(args.dtype, static_cast<std::size_t>(args.k));
  const auto* table = static_cast<const unsigned char*>(args.table);
  launch.pool.parallel_for(args.t, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto token = static_cast<std::size_t>(args.tokens[i]);
      dequantize_row(args.dtype, table + token * stride, args.k, args.out + i * args.k);
    }
  });
}

}  // namespace assay::embed_portable

ASSAY_VARIANT(embed_cpu_portable, assay::EmbedArgs, assay::embed_portable::embed);
