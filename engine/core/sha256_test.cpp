// Vectors of FIPS 180-2 and the empty text.
#include "engine/core/sha256.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr std::string_view kMillionA =
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256, KnownVectors) {
  EXPECT_EQ(sha256_hex(std::string_view()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(std::string_view("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      sha256_hex(std::string_view("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string_view(std::string(1'000'000, 'a'))), kMillionA);
}

TEST(Sha256, PiecesEqualTheWhole) {
  Sha256 hash;
  for (int i = 0; i < 1000; ++i) hash.update(std::string(1000, 'a'));
  EXPECT_EQ(hash.hex(), kMillionA);
}

TEST(Sha256, BytesEqualText) {
  const std::string text("a\0b\xff", 4);
  EXPECT_EQ(sha256_hex(std::as_bytes(std::span(text))), sha256_hex(std::string_view(text)));
}

TEST(Sha256, FilesAndTheirAbsence) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("assay_sha256_" + std::to_string(::getpid()));
  std::ofstream(path, std::ios::binary) << std::string(1'000'000, 'a');
  EXPECT_EQ(sha256_file(path), kMillionA);
  std::filesystem::remove(path);
  try {
    sha256_file(path);
    FAIL() << "hashed a file that is gone";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), "cannot read " + path.string() + ": check the path");
  }
}

}  // namespace
}  // namespace assay
