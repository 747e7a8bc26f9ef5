#include "engine/tokenizer/utf8.h"

#include <cstddef>
#include <cstdint>

namespace assay {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::uint32_t kLastCodePoint = 0x10ffff;

struct Sequence {
  std::size_t length = 0;  // 0: nothing valid starts here
  std::uint32_t code_point = 0;
};

Sequence read_sequence(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(at);
  if (lead < 0x80) return {1, lead};
  std::size_t length = 0;
  std::uint32_t code_point = 0;
  if ((lead & 0xe0) == 0xc0) {
    length = 2;
    code_point = lead & 0x1fu;
  } else if ((lead & 0xf0) == 0xe0) {
    length = 3;
    code_point = lead & 0x0fu;
  } else if ((lead & 0xf8) == 0xf0) {
    length = 4;
    code_point = lead & 0x07u;
  }
  if (length == 0 || length > text.size() - at) return {};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return {};
    code_point = code_point << 6 | (byte(at + i) & 0x3fu);
  }
  if (code_point > kLastCodePoint) return {};
  return {length, code_point};
}

void append(std::string& text, std::uint32_t c) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

}  // namespace

std::string repair_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const Sequence sequence = read_sequence(text, at);
    if (sequence.length == 0) {
      result += kReplacement;
      ++at;
    } else {
      append(result, sequence.code_point);
      at += sequence.length;
    }
  }
  return result;
}

std::string without_surrogates(std::string_view repaired) {
  std::string result(repaired);
  for (std::size_t i = 0; i + 2 < result.size(); ++i) {
    if (result[i] == '\xed' && static_cast<std::uint8_t>(result[i + 1]) >= 0xa0) {
      result.replace(i, 3, kReplacement);
    }
  }
  return result;
}

}  // namespace assay
