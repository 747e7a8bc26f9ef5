// Hyper-parameters from a GGUF's metadata, for the architectures that the engine knows.
#pragma once

#include "engine/model/model.h"

namespace assay {

// Keys `<architecture>.*`; head_dim is embedding / heads unless <architecture>.attention.key_length
// says otherwise; `vocab` stays 0 (the embedding's shape gives it). Error(kUsage) names the key.
HyperParameters read_hyper_parameters(const GgufFile& file);

}  // namespace assay
