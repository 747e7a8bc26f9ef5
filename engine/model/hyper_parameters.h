// Hyper-parameters from a GGUF's metadata, for the one architecture that the engine knows.
#pragma once

#include "engine/model/model.h"

namespace assay {

// Keys `qwen2.*`; head_dim is embedding / heads unless qwen2.attention.key_length says otherwise;
// `vocab` stays 0 (the embedding's shape gives it). Error(kUsage) names the key.
HyperParameters read_hyper_parameters(const GgufFile& file);

}  // namespace assay
