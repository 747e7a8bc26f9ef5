#include "engine/gguf/cursor.h"

#include <fmt/format.h>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr std::size_t kLongestQuote = 64;

}  // namespace

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, kLongestQuote)) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c >= 0x20 && c < 0x7f) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return result + (text.size() > kLongestQuote ? "...\"" : "\"");
}

std::string describe(const Place& place, std::string_view part) {
  if (place.section == Place::Section::kHeader) return std::string(part);
  std::string text = fmt::format(
      "{} {}", place.section == Place::Section::kMetadata ? "metadata" : "tensor", place.index);
  if (place.name) text.append(1, ' ').append(quoted(*place.name));
  text += ": ";
  if (!place.elements.empty()) {
    text += "element ";
    for (const std::uint64_t i : place.elements) text += fmt::format("[{}]", i);
    text += " ";
  }
  return text.append(part);
}

void Cursor::fail(std::string_view part, std::uint64_t at, std::string_view problem,
                  std::string_view remedy) const {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {} at byte {} {}: {}", file_,
                                             describe(place, part), at, problem, remedy));
}

void Cursor::require(std::uint64_t bytes, std::string_view part) const {
  if (bytes <= left()) return;
  fail(part, offset_, fmt::format("needs {} bytes, {} are left in the file", bytes, left()));
}

std::string_view Cursor::read_string(std::string_view part) {
  const std::uint64_t start = offset_;
  const auto length = read<std::uint64_t>(part);
  if (length > left()) {
    fail(part, start,
         fmt::format("has a length of {}, {} bytes are left in the file", length, left()));
  }
  const auto* text = reinterpret_cast<const char*>(bytes_.data() + offset_);
  offset_ += length;
  return {text, static_cast<std::size_t>(length)};
}

std::uint64_t Cursor::read_count(std::string_view part, std::uint64_t least_bytes) {
  const std::uint64_t start = offset_;
  const auto count = read<std::uint64_t>(part);
  if (count > left() / least_bytes) {
    fail(part, start,
         fmt::format("is {}, the {} bytes left in the file hold at most {}", count, left(),
                     left() / least_bytes));
  }
  return count;
}

void Cursor::skip(std::uint64_t bytes, std::string_view part) {
  require(bytes, part);
  offset_ += bytes;
}

}  // namespace assay
