// How SentencePiece writes texts: U+2581 for each space, "<0x0A>" for a byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

std::string spaces_to_marks(std::string_view text);
std::string marks_to_spaces(std::string_view text);

// "<0x0A>" for 10.
std::string text_of_byte(std::uint8_t byte);
// Its inverse, in either case of letters; -1 for any other text.
int byte_of_text(std::string_view text);

}  // namespace assay
