// Service maps of a GPU, made of what is registered: the workbench's own map is not read down here.
#pragma once

#include <string>

#include "kernels/selection.h"

namespace assay::replay {

// Per op the first registered variant, but for the two kinds of attention, where another one is in
// service. `fused_ops`: compound ops by their fused kernels in place of the separate ones.
ServiceSelection cuda_service(bool fused_ops);

// Decode attention with this many splits, at every length.
ServiceSelection with_splits(ServiceSelection service, int splits);
// 32 splits to 1,024 positions, 64 to 2,048, 128 above: three graphs.
ServiceSelection with_splits_by_length(ServiceSelection service);
inline constexpr int kFirstEdge = 1024;   // positions read
inline constexpr int kSecondEdge = 2048;  // likewise
std::string splits_variant(int splits);

// Every matvec with this number of rows per warp.
ServiceSelection with_matvec_rows(ServiceSelection service, int rows);

}  // namespace assay::replay
