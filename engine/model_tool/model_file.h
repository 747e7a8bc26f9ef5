// A model by the name that commands use: a file, or "embedded".
#pragma once

#include <string>

#include "engine/embedded/embedded_model.h"
#include "engine/gguf/file.h"

namespace assay {

inline GgufFile open_model_file(const std::string& model) {
  if (model == "embedded") return GgufFile::from_memory(embedded_model(), model);
  return GgufFile::open(model);
}

}  // namespace assay
