// What people call a tensor's type by its number in GGUF, types that the engine does not compute
// with included.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

// "q4_K", "q2_K", or "type 99".
std::string name_of_type(std::uint32_t number);

}  // namespace assay
