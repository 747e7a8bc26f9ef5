// Texts for models that read words: written for this program, in several manners.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/gguf/file.h"

namespace assay::replay {

// Each text by the model's own vocabulary, in pieces of at most `most` tokens, 650 tokens or more
// in all for a vocabulary of usual size. Error(kUsage) when the file has no vocabulary.
std::vector<std::vector<std::int32_t>> text_tokens(const GgufFile& file, int most);

}  // namespace assay::replay
