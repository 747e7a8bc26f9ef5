// SHA-256 (libcrypto) as lower-case hex.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace assay {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  // 64 hex digits; the object is finished afterwards.
  std::string hex();

 private:
  void* context_;  // EVP_MD_CTX
};

std::string sha256_hex(std::string_view text);
std::string sha256_hex(std::span<const std::byte> bytes);
// Hash of a whole file. Error(kUsage) when it cannot be read.
std::string sha256_file(const std::string& path);

}  // namespace assay
