// The first 24 bytes of a GGUF: magic, version, tensor count, metadata count.
#pragma once

#include <cstdint>

#include "engine/gguf/cursor.h"

namespace assay {

struct GgufHeader {
  std::uint32_t version = 3;   // 2 or 3
  std::uint64_t tensors = 0;   // not yet compared with the file's size
  std::uint64_t metadata = 0;  // not yet compared with the file's size
};

// Error(kUsage) when this is no GGUF, a big-endian one, or one of another version than 2 and 3.
GgufHeader read_header(Cursor& cursor);

}  // namespace assay
