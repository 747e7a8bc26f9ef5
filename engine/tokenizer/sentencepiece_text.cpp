#include "engine/tokenizer/sentencepiece_text.h"

#include <fmt/format.h>

#include <charconv>

namespace assay {
namespace {

constexpr std::string_view kMark = "\xe2\x96\x81";  // U+2581, lower one eighth block

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  result.reserve(text.size());
  std::size_t at = text.find(from);
  while (at != std::string_view::npos) {
    result += text.substr(0, at);
    result += to;
    text.remove_prefix(at + from.size());
    at = text.find(from);
  }
  return result += text;
}

}  // namespace

std::string spaces_to_marks(std::string_view text) {
  return replaced(text, " ", kMark);
}

std::string marks_to_spaces(std::string_view text) {
  return replaced(text, kMark, " ");
}

std::string text_of_byte(std::uint8_t byte) {
  return fmt::format("<0x{:02X}>", byte);
}

int byte_of_text(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return -1;
  int byte = -1;
  const char* end = text.data() + 5;
  const auto [stopped, fault] = std::from_chars(text.data() + 3, end, byte, 16);
  return fault == std::errc() && stopped == end && byte >= 0 ? byte : -1;
}

}  // namespace assay
