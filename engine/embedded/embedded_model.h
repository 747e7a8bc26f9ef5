// The model that ships inside the program: the bytes of embedded.gguf.
#pragma once

#include <cstddef>
#include <span>

namespace assay {

// Aligned to 64 bytes; lives as long as the program.
std::span<const std::byte> embedded_model();

}  // namespace assay
