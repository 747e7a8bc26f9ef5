// A synthetic model's tensors, generated where a GPU will read them.
//
// The same pure functions as on the host (blocks.h), one block per thread, so that the bits are the
// same and nothing of the model's size crosses the bus. No CUDA header is needed here; where the CUDA
// side is not built there is nothing to generate on.
#pragma once

#include <cstddef>

#include "engine/synth/tensors.h"

namespace assay {

// Enqueues the writing of a whole tensor of codes to device memory; `stream` is a cudaStream_t.
// Error(kInternal) for a tensor of another kind: vectors are small and come from the host.
void generate_on_device(const SynthTensor& tensor, std::byte* device, void* stream);

}  // namespace assay
