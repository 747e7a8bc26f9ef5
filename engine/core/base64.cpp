// OpenSSL's block functions do the work. Its decoder forgives blanks and stray padding, so the
// result is encoded again and must give the text back.
#include "engine/core/base64.h"

#include <openssl/evp.h>

#include <climits>

#include "engine/core/error.h"

namespace assay {

std::string to_base64(const std::string& bytes) {
  if (bytes.size() > INT_MAX / 2) {
    throw Error(ErrorKind::kInternal, "more than 1 GiB of bytes to write as base64");
  }
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::optional<std::string> from_base64(const std::string& text) {
  if (text.empty()) return "";
  if (text.size() % 4 != 0 || text.size() > INT_MAX / 2) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(length) - padding);
  if (to_base64(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace assay
