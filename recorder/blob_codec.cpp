// zstd carries its content's size, which bounds the memory that a damaged file can ask for.
#include "recorder/blob_codec.h"

#include <fmt/format.h>
#include <zstd.h>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr int kLevel = 12;
constexpr unsigned long long kLargest = 256ull << 20;  // bytes

[[noreturn]] void damaged(const std::string& what) {
  throw Error(ErrorKind::kCheckFound, what);
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

}  // namespace assay
