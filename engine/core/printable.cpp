#include "engine/core/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace assay {
namespace {

struct Character {
  std::size_t length = 0;  // bytes; 0: none begins here
  std::uint32_t code_point = 0;
};

Character character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || length > text.size()) return {};
  std::uint32_t code_point = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code_point = code_point << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = code_point < (length == 2 ? 0x80u : length == 3 ? 0x800u : 0x10000u);
  const bool surrogate = code_point >= 0xd800 && code_point < 0xe000;
  if (overlong || surrogate || code_point > 0x10ffff) return {};
  return {length, code_point};
}

// Moves the cursor, changes colours, or turns the direction of what follows.
bool is_control(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || c == 0x2028 ||
         c == 0x2029 || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::optional<std::size_t> first_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_at(text.substr(at)).length;
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string printable(std::string_view text, bool lines) {
  std::string result;
  while (!text.empty()) {
    const Character next = character_at(text);
    const std::string_view bytes = text.substr(0, next.length == 0 ? 1 : next.length);
    const bool shown = next.length > 0 && (!is_control(next.code_point) || (lines && text[0] == '\n'));
    if (shown) {
      result += bytes;
    } else {
      for (const char c : bytes) result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(c));
    }
    text.remove_prefix(bytes.size());
  }
  return result;
}

}  // namespace assay
