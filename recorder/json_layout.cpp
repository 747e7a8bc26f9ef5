// Method: one walk over the bytes by a table of what each is outside of strings. The text is no
// std::string, which asks for room at each of its millions of appends.
#include "recorder/json_layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
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

constexpr std::size_t kShort = 24;  // below it a call costs more than it saves

// Behind the closing quote of the string that opens at `at`; npos when there is none.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  std::size_t i = at + 1;
  for (const std::size_t most = std::min(text.size(), i + kShort); i < most; ++i) {  // most keys
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') break;
  }
  for (std::size_t quote = at;;) {
    if (quote < i) quote = text.find('"', i);
    if (quote == std::string_view::npos) return quote;
    const std::size_t slash = text.substr(i, quote - i).find('\\');
    if (slash == std::string_view::npos) return quote + 1;
    i += slash + 2;  // what is escaped
  }
}

// How many of eight characters are digits, or other parts of a number without an exponent, before
// the first that is none. Method: all eight at once, each within its byte of one word.
std::size_t digits_at(const char* eight) {
  static_assert(std::endian::native == std::endian::little, "the first character is lowest");
  constexpr std::uint64_t kEach = 0x0101010101010101, kTop = 0x80 * kEach;
  std::uint64_t word = 0;
  std::memcpy(&word, eight, sizeof word);
  const std::uint64_t low = word & ~kTop;
  const std::uint64_t from_minus = low + (0x80 - '-') * kEach;  // top bit: '-' or above
  const std::uint64_t past_nine = low + (0x7F - '9') * kEach;   // top bit: above '9'
  const std::uint64_t others = (~from_minus | past_nine | word) & kTop;
  return static_cast<std::size_t>(std::countr_zero(others)) / 8;  // 64 / 8 where there is none
}

// How much is written between two looks at the room that is left.
constexpr std::size_t kStretch = 256;

// Stands in JSON as it is.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

}  // namespace

void append_json_quoted(std::string& out, std::string_view text) {
  if (!is_plain(text)) {
    out += nlohmann::json(text).dump();
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

std::string json_quoted(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + 2);
  append_json_quoted(quoted, text);
  return quoted;
}

void JsonLayout::make_room(std::size_t more) {
  if (size_ + more <= capacity_) return;
  const std::size_t capacity = std::max(2 * capacity_, size_ + more + (std::size_t{1} << 16));
  std::unique_ptr<char[]> text(new char[capacity]);
  if (size_ > 0) std::memcpy(text.get(), text_.get(), size_);
  text_ = std::move(text);
  capacity_ = capacity;
}

void JsonLayout::new_line() {
  if (in_line_) return;
  const std::size_t indent = 2 * open_.size();
  make_room(indent + 2);
  text_[size_] = '\n';
  std::memset(text_.get() + size_ + 1, ' ', indent);
  size_ += 1 + indent;
}

void JsonLayout::add_quoted(std::string_view text) {
  if (!is_plain(text)) {
    add(json_quoted(text));
    return;
  }
  sound_ = sound_ && !ended_;
  if (fresh_) new_line();
  fresh_ = false;
  make_room(text.size() + 2);
  text_[size_++] = '"';
  std::copy(text.begin(), text.end(), text_.get() + size_);
  size_ += text.size();
  text_[size_++] = '"';
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
    if (kind == kPlain) {
      i = add_plain(piece, i);
      continue;
    }
    std::size_t end = i + 1;
    if (kind == kQuote) {
      end = end_of_string(piece, i);
      sound_ = sound_ && end != std::string_view::npos;
      end = std::min(end, piece.size());
    }
    make_room(end - i + 1);
    std::memcpy(text_.get() + size_, piece.data() + i, end - i);
    size_ += end - i;
    if (kind == kOpen) open_ += piece[i];
    if (kind == kComma) new_line();
    if (kind == kColon || (kind == kComma && in_line_)) text_[size_++] = ' ';
    i = end;
  }
}

std::size_t JsonLayout::add_plain(std::string_view piece, std::size_t at) {
  if (in_line_) at = add_numbers(piece, at);
  while (at < piece.size()) {
    make_room(kStretch);
    char* out = text_.get() + size_;
    const std::size_t most = std::min(piece.size(), at + kStretch);
    while (at < most && kind_of(piece[at]) == kPlain) *out++ = piece[at++];
    size_ = static_cast<std::size_t>(out - text_.get());
    if (at < most) break;
  }
  return at;
}

// Numbers and the commas between them are most of a sample.
std::size_t JsonLayout::add_numbers(std::string_view piece, std::size_t at) {
  while (at + 8 < piece.size()) {
    make_room(kStretch);
    char* out = text_.get() + size_;
    char* const most = out + kStretch - 10;  // what one turn writes
    bool goes_on = true;
    while (goes_on && out < most && at + 8 < piece.size()) {
      std::memcpy(out, piece.data() + at, 8);
      const std::size_t digits = digits_at(piece.data() + at);
      out += digits;
      at += digits;
      if (digits == 8) continue;
      goes_on = piece[at] == ',' && kind_of(piece[at + 1]) == kPlain;
      if (!goes_on) break;
      *out++ = ',';
      *out++ = ' ';
      ++at;
    }
    size_ = static_cast<std::size_t>(out - text_.get());
    if (!goes_on) break;
  }
  return at;
}

bool JsonLayout::add_whole(std::string_view body, Shape shape) {
  if (body.empty() || kind_of(body.front()) != kOpen || kind_of(body.back()) != kClose)
    return false;
  floor_ = open_.size();
  ended_ = false;
  sound_ = true;
  in_line_ = shape == Shape::kLine;
  add(body);
  in_line_ = false;
  floor_ = 0;
  return sound_ && ended_;
}

}  // namespace assay
