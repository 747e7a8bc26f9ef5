#include "recorder/json_layout.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

// What a character is outside of strings.
enum Kind : unsigned char { kPlain, kSpace, kQuote, kOpen, kClose, kComma, kColon };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (const char c : {' ', '\n', '\t', '\r'}) kinds[static_cast<unsigned char>(c)] = kSpace;
  kinds['"'] = kQuote;
  kinds['{'] = kinds['['] = kOpen;
  kinds['}'] = kinds[']'] = kClose;
  kinds[','] = kComma;
  kinds[':'] = kColon;
  return kinds;
}();

Kind kind_of(char c) {
  return kKinds[static_cast<unsigned char>(c)];
}

// Behind the closing quote of the string that opens at `at`; npos when there is none.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;  // what is escaped
  }
  return std::string_view::npos;
}

}  // namespace

bool is_laid_out(std::string_view compact) {
  if (compact.empty() || kind_of(compact[0]) != kOpen) return false;
  std::string open;
  for (std::size_t i = 0; i < compact.size();) {
    const char c = compact[i++];
    const Kind kind = kind_of(c);
    if (kind == kQuote) {
      i = end_of_string(compact, i - 1);
      if (i == std::string_view::npos) return false;
    } else if (kind == kOpen) {
      open += c;
    } else if (kind == kClose) {
      if (open.back() != (c == '}' ? '{' : '[')) return false;
      open.pop_back();
      if (open.empty()) return i == compact.size();
    }
  }
  return false;
}

void JsonLayout::new_line() {
  out_ += '\n';
  out_.append(2 * depth_, ' ');
}

void JsonLayout::add(std::string_view piece) {
  for (std::size_t i = 0; i < piece.size();) {
    const Kind kind = kind_of(piece[i]);
    if (kind == kSpace) {
      ++i;
      continue;
    }
    if (kind == kClose) {
      depth_ -= depth_ > 0 ? 1 : 0;
      if (!fresh_) new_line();
    } else if (fresh_) {
      new_line();
    }
    fresh_ = kind == kOpen;
    std::size_t end = i + 1;
    if (kind == kQuote) end = std::min(end_of_string(piece, i), piece.size());
    while (kind == kPlain && end < piece.size() && kind_of(piece[end]) == kPlain) ++end;
    out_.append(piece.substr(i, end - i));
    i = end;
    if (kind == kOpen) ++depth_;
    if (kind == kComma) new_line();
    if (kind == kColon) out_ += ' ';
  }
}

}  // namespace assay
