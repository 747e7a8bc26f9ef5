#include "experiments/caret.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace assay {
namespace {

constexpr std::size_t kWindow = 100;  // characters of a long line that are shown
constexpr std::string_view kCut = "...";

std::string_view line_of(std::string_view text, int line) {
  std::size_t begin = 0;
  for (int i = 0; i < line; ++i) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  std::string_view rest = text.substr(begin, text.find('\n', begin) - begin);
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

// Bytes of the UTF-8 character at the front of `rest`, by its lead byte; 0 when it is not one.
std::size_t character_bytes(std::string_view rest) {
  const auto lead = static_cast<unsigned char>(rest.front());
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (size == 0 || lead > 0xf4 || rest.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(rest[i]) & 0xc0) != 0x80) return 0;
  }
  return size;
}

struct Character {
  std::string_view shown;
  std::size_t begin;  // byte in the line
};

std::vector<Character> characters(std::string_view line) {
  std::vector<Character> all;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t size = character_bytes(line.substr(at));
    std::string_view picture = line.substr(at, std::max<std::size_t>(size, 1));
    const auto byte = static_cast<unsigned char>(line[at]);
    if (byte == '\t') picture = " ";
    if (size == 0 || (byte < 0x20 && byte != '\t') || byte == 0x7f) picture = "?";
    all.push_back({picture, at});
    at += std::max<std::size_t>(size, 1);
  }
  return all;
}

}  // namespace

std::string caret_message(std::string_view file_name, std::string_view text, int line,
                          int byte_column, std::string_view message) {
  const std::vector<Character> all = characters(line_of(text, line));
  std::size_t column = 0;
  while (column < all.size() && all[column].begin < static_cast<std::size_t>(byte_column)) ++column;

  std::size_t first = 0;
  std::size_t last = all.size();
  if (all.size() > kWindow) {
    first = column > kWindow / 2 ? column - kWindow / 2 : 0;
    first = std::min(first, all.size() - kWindow);
    last = first + kWindow;
  }
  std::string picture(first > 0 ? kCut : "");
  const std::size_t indent = picture.size() + column - first;
  for (std::size_t i = first; i < last; ++i) picture += all[i].shown;
  if (last < all.size()) picture += kCut;
  return fmt::format("{}:{}:{}: {}\n{}\n{}^", file_name, line + 1, column + 1, message, picture,
                     std::string(indent, ' '));
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t end = std::min(text.size(), kLongest);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;  // not inside a character
  }
  std::string out = "`";
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  if (end < text.size()) out += kCut;
  return out + "`";
}

}  // namespace assay
