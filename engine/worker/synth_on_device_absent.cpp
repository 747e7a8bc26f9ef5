// Generation on a device in a program that was built without a CUDA compiler.
#include "engine/core/error.h"
#include "engine/worker/synth_on_device.h"

namespace assay {

void generate_on_device(const SynthTensor& tensor, std::byte*, void*) {
  throw Error(ErrorKind::kInternal, tensor.name + ": this build has no CUDA side");
}

}  // namespace assay
