#include "engine/worker/synth_source.h"

#include <map>
#include <memory>
#include <utility>

#include "engine/synth/model_name.h"
#include "engine/worker/synth_on_device.h"

namespace assay {

DeviceSource synth_source(const std::string& model) {
  if (!model.starts_with(kSynthPrefix)) return {};
  auto tensors = std::make_shared<std::map<std::string, SynthTensor>>();
  for (SynthTensor& tensor : tensors_of(parse_synth_name(model))) {
    if (tensor.kind == SynthKind::kCodes) tensors->emplace(tensor.name, std::move(tensor));
  }
  return [tensors](const Weight& weight, std::byte* device, void* stream) {
    const auto found = tensors->find(weight.name);
    if (found == tensors->end()) return false;
    generate_on_device(found->second, device, stream);
    return true;
  };
}

}  // namespace assay
