// A bf16 weight in memory, so that it is not taken for an f16 one.
#pragma once

#include <cstdint>

namespace assay {

struct Bfloat16 {
  std::uint16_t bits;
};

}  // namespace assay
