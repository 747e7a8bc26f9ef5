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

// How much is written between two looks at the room that is left.
constexpr std::size_t kStretch = 256;

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

// Numbers and the commas between them are most of a sample: without a look at anything else.
std::size_t JsonLayout::add_plain(std::string_view piece, std::size_t at) {
  while (at < piece.size()) {
    make_room(kStretch + 2);
    char* out = text_.get() + size_;
    const std::size_t most = std::min(piece.size(), at + kStretch);
    while (at < most && kind_of(piece[at]) == kPlain) *out++ = piece[at++];
    const bool goes_on =
        in_line_ && at + 1 < piece.size() && piece[at] == ',' && kind_of(piece[at + 1]) == kPlain;
    if (goes_on) {
      *out++ = ',';
      *out++ = ' ';
      ++at;
    }
    size_ = static_cast<std::size_t>(out - text_.get());
    if (!goes_on && at < most) break;
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
