// Dynamic shared memory above the 48 KB that a kernel may use unasked.
#pragma once

#include <string>

namespace assay::cuda {

// Lets `kernel`, a __global__ function, be launched with `bytes` of dynamic shared memory per
// block. Error(kInternal) with both figures where the GPU gives less: there is no other path to
// fall back to. `variant`: whose launch needs it.
void allow_shared_memory(const void* kernel, int bytes, const std::string& variant);

}  // namespace assay::cuda
