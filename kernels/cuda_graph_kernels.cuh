// The kernels that a launcher enqueues, found by capturing it into a graph.
//
// The runtime can name only kernels of its own program, so kernel nodes are read through the
// driver's functions, which know a library's kernels, too. The program is not linked against the
// driver: its functions are asked of the runtime, and stay away where there is no GPU.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <set>

#include "kernels/cuda_stage.h"

namespace assay::cuda {

// Captures what `launch` enqueues on the stream, and runs none of it. Its kernels must be loaded,
// as an earlier launch leaves them. Errors are launch's, or Error(kEnvironment) from the runtime
// and the driver.
std::set<CudaKernelUse> captured_kernels(cudaStream_t stream, const std::function<void()>& launch);

}  // namespace assay::cuda
