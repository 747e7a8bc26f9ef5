#include "gates/cli/utf8_stream.h"

#include <utility>

namespace assay {
namespace {

// Bytes of the character that this byte begins; 1 for what begins none.
std::size_t length_from(unsigned char lead) {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  return 1;
}

}  // namespace

std::string Utf8Stream::push(std::string_view bytes) {
  held_ += bytes;
  // Only the last character can be unfinished: its first byte is among the last three.
  std::size_t keep_from = held_.size();
  for (std::size_t back = 1; back <= 3 && back <= held_.size(); ++back) {
    const auto byte = static_cast<unsigned char>(held_[held_.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;  // in the middle of a character
    if (length_from(byte) > back) keep_from = held_.size() - back;
    break;
  }
  std::string whole = held_.substr(0, keep_from);
  held_.erase(0, keep_from);
  return whole;
}

std::string Utf8Stream::finish() {
  return std::exchange(held_, {});
}

}  // namespace assay
