// Method: one walk over the bytes by a table of what each is outside of strings. The text is no
// std::string, which asks for room at each of its millions of appends.
#include "recorder/json_layout.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace assay {
namespace {

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

std::string json_quoted(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
  });
  if (!plain) return nlohmann::json(text).dump();
  std::string quoted;
  quoted.reserve(text.size() + 2);
  quoted += '"';
  quoted += text;
  return quoted += '"';
}

char* JsonLayout::room_for(std::size_t more) {
  if (size_ + more > capacity_) {
    const std::size_t capacity = std::max(2 * capacity_, size_ + more + (std::size_t{1} << 16));
    std::unique_ptr<char[]> text(new char[capacity]);
    if (size_ > 0) std::memcpy(text.get(), text_.get(), size_);
    text_ = std::move(text);
    capacity_ = capacity;
  }
  return text_.get() + size_;
}

void JsonLayout::new_line() {
  const std::size_t indent = 2 * open_.size();
  char* const at = room_for(1 + indent);
  at[0] = '\n';
  std::memset(at + 1, ' ', indent);
  size_ += 1 + indent;
}

void JsonLayout::add(std::string_view piece) {
  for (std::size_t i = 0; i < piece.size();) {
    const Kind kind = kind_of(piece[i]);
    if (kind == kSpace) {
      ++i;
      continue;
    }
    sound_ = sound_ && !ended_;
    if (kind == kClose) {
      sound_ = sound_ && open_.size() > floor_ && open_.back() == (piece[i] == '}' ? '{' : '[');
      if (!open_.empty()) open_.pop_back();
      ended_ = open_.size() == floor_;
      if (!fresh_) new_line();
    } else if (fresh_) {
      new_line();
    }
    fresh_ = kind == kOpen;
    std::size_t end = i + 1;
    if (kind == kQuote) {
      end = end_of_string(piece, i);
      sound_ = sound_ && end != std::string_view::npos;
      end = std::min(end, piece.size());
    }
    while (kind == kPlain && end < piece.size() && kind_of(piece[end]) == kPlain) ++end;
    char* const at = room_for(end - i + 1);
    std::memcpy(at, piece.data() + i, end - i);
    size_ += end - i;
    if (kind == kOpen) open_ += piece[i];
    if (kind == kComma) new_line();
    if (kind == kColon) {
      at[1] = ' ';
      ++size_;
    }
    i = end;
  }
}

bool JsonLayout::add_whole(std::string_view body) {
  if (body.empty() || kind_of(body.front()) != kOpen || kind_of(body.back()) != kClose) return false;
  floor_ = open_.size();
  ended_ = false;
  sound_ = true;
  add(body);
  floor_ = 0;
  return sound_ && ended_;
}

}  // namespace assay
