// Floods of damaged files: every truncation of a valid one, every value of every byte of its
// header region, and random spoilings of several bytes. Each must be read or give Error(kUsage);
// under AddressSanitizer and UBSan this also shows that nothing outside the file is touched. The
// bytes lie in a heap block of exactly the file's size, so that one byte too far is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <random>
#include <string>

#include "engine/core/error.h"
#include "engine/gguf/read_everything.h"

namespace assay {
namespace {

enum class Outcome { kRead, kRefused };

// One line: the file, the field, its byte, what is wrong, what to do. (No bytes have no field.)
bool names_its_place(const std::string& message) {
  const std::size_t at = message.find(" at byte ");
  const bool placed = at != std::string::npos && std::isdigit(message[at + 9]) != 0 &&
                      message.find(": ", at) != std::string::npos;
  return message.starts_with("m: ") && message.find('\n') == std::string::npos &&
         (placed || message.starts_with("m: there are no bytes: "));
}

Outcome try_read(const std::vector<std::byte>& bytes) {
  const auto exact = std::make_unique<std::byte[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), exact.get());
  try {
    const GgufFile file = GgufFile::from_memory({exact.get(), bytes.size()}, "m");
    read_everything(file);
    return Outcome::kRead;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage) << error.what();
    EXPECT_TRUE(names_its_place(error.what())) << error.what();
    return Outcome::kRefused;
  }
}

TEST(Mutation, TheSmallFileIsValid) {
  const std::vector<std::byte> bytes = small_file();
  EXPECT_EQ(GgufFile::from_memory(bytes, "m").tensors().size(), 3u);
}

TEST(Mutation, EveryTruncationIsRefused) {
  const std::vector<std::byte> whole = small_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> cut(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(try_read(cut), Outcome::kRefused) << "cut to " << size << " bytes";
  }
}

TEST(Mutation, EveryValueOfEveryHeaderByteIsReadOrRefused) {
  std::vector<std::byte> bytes = small_file();
  const std::size_t region = GgufFile::from_memory(bytes, "m").tensors()[0].offset;
  ASSERT_LT(region, bytes.size());
  int read = 0;
  int refused = 0;
  for (std::size_t at = 0; at < region; ++at) {
    const std::byte original = bytes[at];
    for (int value = 0; value < 256; ++value) {
      bytes[at] = static_cast<std::byte>(value);
      (try_read(bytes) == Outcome::kRead ? read : refused) += 1;
    }
    bytes[at] = original;
  }
  EXPECT_EQ(read + refused, static_cast<int>(region) * 256);
  EXPECT_GT(read, static_cast<int>(region));  // the original value, names, numbers
  EXPECT_GT(refused, 10000);
}

TEST(Mutation, RandomSpoilingIsReadOrRefused) {
  const std::vector<std::byte> whole = small_file();
  std::mt19937_64 random(20240917);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = whole;
    const int changes = 1 + static_cast<int>(random() % 6);
    for (int i = 0; i < changes; ++i) {
      const std::size_t at = random() % bytes.size();
      bytes[at] = static_cast<std::byte>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
    refused += try_read(bytes) == Outcome::kRefused ? 1 : 0;
  }
  EXPECT_GT(refused, 5000);
}

TEST(Mutation, NoiseAfterAValidHeaderIsReadOrRefused) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 5000; ++round) {
    ByteWriter writer;
    writer.header(random() % 3, random() % 3);
    const std::size_t length = random() % 200;
    for (std::size_t i = 0; i < length; ++i) {
      // Mostly small values, as lengths and types are.
      writer.u8(static_cast<std::uint8_t>(random() % 4 == 0 ? random() : random() % 3));
    }
    try_read(writer.bytes());
  }
}

}  // namespace
}  // namespace assay
