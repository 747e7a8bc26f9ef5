// What the system has left.
#pragma once

#include <cstdint>

namespace assay {

// Bytes that the system says can be had without swapping; 0 when it does not say.
std::uint64_t available_memory();

}  // namespace assay
