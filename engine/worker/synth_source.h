// Where a CUDA backend gets a synthetic model's matrices from.
#pragma once

#include <string>

#include "engine/backend/cuda/cuda_backend.h"

namespace assay {

// Writes the matrices of the synthetic model of this name on the device (synth_on_device.h); its
// vectors, and whatever another model has, come from the host: empty for a name that is no
// `synth:` one.
DeviceSource synth_source(const std::string& model);

}  // namespace assay
