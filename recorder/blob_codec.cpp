// zstd carries its content's size, which bounds the memory that a damaged file can ask for.
#include "recorder/blob_codec.h"

#include <fmt/format.h>
#include <zstd.h>

#include <array>
#include <cstdint>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr int kLevel = 12;
constexpr unsigned long long kLargest = 256ull << 20;  // bytes
constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

[[noreturn]] void damaged(const std::string& what) {
  throw Error(ErrorKind::kCheckFound, what);
}

std::array<int, 256> digit_values() {
  std::array<int, 256> values;
  values.fill(-1);
  for (int i = 0; i < 64; ++i) values[static_cast<unsigned char>(kDigits[i])] = i;
  return values;
}

}  // namespace

std::string compress(const std::string& content) {
  std::string zstd(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size =
      ZSTD_compress(zstd.data(), zstd.size(), content.data(), content.size(), kLevel);
  if (ZSTD_isError(size)) {
    throw Error(ErrorKind::kInternal, fmt::format("compressing: {}", ZSTD_getErrorName(size)));
  }
  zstd.resize(size);
  return zstd;
}

std::string decompress(const std::string& zstd) {
  const unsigned long long size = ZSTD_getFrameContentSize(zstd.data(), zstd.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    damaged("a stored source is not zstd data");
  }
  if (size > kLargest) damaged(fmt::format("a stored source claims {} bytes", size));
  std::string content(static_cast<std::size_t>(size), '\0');
  const std::size_t done =
      ZSTD_decompress(content.data(), content.size(), zstd.data(), zstd.size());
  if (ZSTD_isError(done) || done != content.size()) damaged("a stored source is damaged zstd data");
  return content;
}

std::string to_base64(const std::string& bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < left ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & 63];
    text += left > 1 ? kDigits[group >> 6 & 63] : '=';
    text += left > 2 ? kDigits[group & 63] : '=';
  }
  return text;
}

std::string from_base64(const std::string& text) {
  static const std::array<int, 256> kValues = digit_values();
  if (text.size() % 4 != 0) damaged("base64 text has a length that is not a multiple of four");
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const int pads = !last ? 0 : text[i + 2] == '=' ? 2 : text[i + 3] == '=' ? 1 : 0;
    std::uint32_t group = 0;
    for (int j = 0; j < 4; ++j) {
      const int value = j >= 4 - pads ? 0 : kValues[static_cast<unsigned char>(text[i + j])];
      if (value < 0 || (j >= 4 - pads && text[i + j] != '=')) {
        damaged(fmt::format("base64 text has a wrong character at offset {}", i + j));
      }
      group = group << 6 | static_cast<std::uint32_t>(value);
    }
    for (int j = 0; j < 3 - pads; ++j) bytes += static_cast<char>(group >> (16 - 8 * j) & 255u);
  }
  return bytes;
}

}  // namespace assay
