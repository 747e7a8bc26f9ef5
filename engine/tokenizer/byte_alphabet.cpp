#include "engine/tokenizer/byte_alphabet.h"

#include <array>
#include <cstddef>

namespace assay {
namespace {

constexpr std::uint32_t kFirstShifted = 0x100;
constexpr std::size_t kLetters = 0x144;  // code points below this may be letters

struct Alphabet {
  std::array<std::string, 256> letters;
  std::array<int, kLetters> bytes;  // by code point; -1 when it is no letter
};

bool stands_for_itself(std::uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

Alphabet make_alphabet() {
  Alphabet alphabet;
  alphabet.bytes.fill(-1);
  std::uint32_t shifted = kFirstShifted;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const std::uint32_t letter = stands_for_itself(byte) ? byte : shifted++;
    std::string& text = alphabet.letters[byte];
    if (letter >= 0x80) text += static_cast<char>(0xc0 | letter >> 6);
    text += static_cast<char>(letter < 0x80 ? letter : 0x80 | (letter & 0x3f));
    alphabet.bytes[letter] = static_cast<int>(byte);
  }
  return alphabet;
}

const Alphabet& alphabet() {
  static const Alphabet instance = make_alphabet();
  return instance;
}

}  // namespace

std::string_view byte_letter(std::uint8_t byte) {
  return alphabet().letters[byte];
}

std::string letters_to_bytes(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    std::uint32_t code_point = lead;
    const bool pair = (lead & 0xe0) == 0xc0 && i + 1 < text.size() &&
                      (static_cast<std::uint8_t>(text[i + 1]) & 0xc0) == 0x80;
    if (pair) code_point = (lead & 0x1fu) << 6 | (static_cast<std::uint8_t>(text[i + 1]) & 0x3fu);
    // A lone byte of 0x80 or more is part of a longer character, and no letter.
    const bool letter =
        (pair || lead < 0x80) && code_point < kLetters && alphabet().bytes[code_point] >= 0;
    if (letter) {
      result += static_cast<char>(alphabet().bytes[code_point]);
    } else {
      result += text.substr(i, pair ? 2 : 1);
    }
    if (pair) ++i;
  }
  return result;
}

}  // namespace assay
