// Working memory of a kernel, one piece per thread.
//
// Kernels allocate nothing while a model runs: a thread's piece grows to the largest size that was
// ever asked for and stays. It lives behind a function of its own, in a file compiled for any
// processor, so that files compiled for AVX2 emit no library code that other files could pick up.
#pragma once

#include <cstddef>

namespace assay {

// At least `floats` floats, 64-byte aligned, contents undefined; valid until this thread's next
// call.
float* thread_scratch(std::size_t floats);

}  // namespace assay
