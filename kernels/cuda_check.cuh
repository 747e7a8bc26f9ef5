// Checked CUDA calls: every failure becomes an Error that names the call or the launch.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "engine/core/error.h"

namespace assay::cuda {

// Error(kEnvironment) for memory, driver and device faults that the machine explains, kInternal for
// the rest. `what`: the call and its object, "cudaMalloc of 1024 bytes for the KV cache".
void check(cudaError_t status, const std::string& what);
// After each kernel launch: the launch's own status (a kernel's faults show at the next wait, which
// names this launch as the last one). `variant`: its id, or id and kernel.
void check_launch(const char* variant);
// The launch named last on this thread, "none" before any.
const char* last_launch();

}  // namespace assay::cuda
