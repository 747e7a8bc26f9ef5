// Decoding is strict (no overlong forms, no surrogates), since a lenient decoder is a way around
// every filter behind it. The width table holds the blocks that people really type, not all of
// Unicode's East Asian Width: the cost of a miss is one crooked column.
#include "recorder/visible_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace assay {
namespace {

struct Decoded {
  std::uint32_t code = 0xFFFD;
  std::size_t bytes = 1;
  bool valid = false;
};

Decoded decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + size > text.size()) return {};
  std::uint32_t code = lead & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(at + i) & 0x3Fu);
  }
  const std::uint32_t least = size == 4 ? 0x10000u : size == 3 ? 0x800u : 0x80u;
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, size, true};
}

void append_utf8(std::string& out, std::uint32_t code) {  // three-byte codes only
  out += static_cast<char>(0xE0 | code >> 12);
  out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
  out += static_cast<char>(0x80 | (code & 0x3F));
}

bool acts(std::uint32_t code) {  // C1 controls, line separators, direction marks and overrides
  return (code >= 0x80 && code <= 0x9F) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x200E && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

struct Range {
  std::uint32_t first, last;
};
constexpr Range kZero[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},
                           {0x064B, 0x065F}, {0x200B, 0x200D}, {0x20D0, 0x20F0},
                           {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool within(const Range (&ranges)[N], std::uint32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

int width_of(std::uint32_t code) {
  if (code < 0x300) return 1;
  if (within(kZero, code)) return 0;
  return within(kWide, code) ? 2 : 1;
}

// Most text is, and all of it then stays as it is.
std::size_t plain_until(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x7F || (byte < 0x20 && byte != '\n' && byte != '\t')) break;
    ++at;
  }
  return at;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = plain_until(text, at);
    out.append(text.substr(at, plain - at));
    at = plain;
    if (at == text.size()) break;
    const Decoded next = decode(text, at);
    if (next.valid && next.code == '\r' && at + 1 < text.size() && text[at + 1] == '\n') {
      // a Windows line end counts as a line end
    } else if (!next.valid || acts(next.code)) {
      append_utf8(out, 0xFFFD);
    } else if (next.code == 0x7F) {
      append_utf8(out, 0x2421);
    } else if (next.code < 0x20 && next.code != '\n' && next.code != '\t') {
      append_utf8(out, 0x2400 + next.code);
    } else {
      out.append(text.substr(at, next.bytes));
    }
    at += next.bytes;
  }
  return out;
}

std::string visible_line(std::string_view text) {
  std::string line = visible(text);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text, at);
    width += width_of(next.code);
    at += next.bytes;
  }
  return width;
}

std::string cut_to_width(const std::string& text, int width) {
  if (display_width(text) <= width) return text;
  std::string out;
  int used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text, at);
    used += width_of(next.code);
    if (used > width - 1) break;
    out.append(text, at, next.bytes);
    at += next.bytes;
  }
  return out + "\u2026";
}

}  // namespace assay
