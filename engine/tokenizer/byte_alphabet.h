// The letters by which byte-level vocabularies write bytes (GPT-2's map).
//
// Token texts in a GGUF are UTF-8, tokens are any bytes. So each of the 256 bytes has a printable
// character: the visible ones of Latin-1 stand for themselves, the other 68, in ascending order,
// are U+0100 upwards (a space is U+0120, "Ġ").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

// The byte's character in UTF-8: one or two bytes.
std::string_view byte_letter(std::uint8_t byte);
// The bytes that a token's text stands for. Characters outside the alphabet stay as they are.
std::string letters_to_bytes(std::string_view text);

}  // namespace assay
