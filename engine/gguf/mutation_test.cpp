// Floods of damaged files: every truncation of a valid one, every value of every byte of its
// header region, and random spoilings of several bytes. Each must be read or give Error(kUsage);
// under AddressSanitizer and UBSan this also shows that nothing outside the file is touched. The
// bytes lie in a heap block of exactly the file's size, so that one byte too far is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "engine/core/error.h"
#include "engine/gguf/file.h"
#include "engine/gguf/gguf_builder.h"

namespace assay {
namespace {

std::vector<std::byte> small_file() {
  ByteWriter nested;
  nested.type(GgufType::kArray).u64(2);
  nested.type(GgufType::kString).u64(1).string("ab");
  nested.type(GgufType::kBool).u64(2).u8(0).u8(1);
  GgufBuilder builder;
  builder.alignment(8)
      .u32("general.alignment", 8)
      .boolean("flag", true)
      .strings("words", {"x", "", "yz"})
      .array<float>("numbers", GgufType::kF32, {1.0f, 2.0f})
      .encoded("nested", GgufType::kArray, nested)
      .tensor("a", {2, 3}, 0, std::vector<std::byte>(24))
      .tensor("b", {32}, 8, std::vector<std::byte>(34))
      .tensor("c", {256, 2}, 14, std::vector<std::byte>(420));
  return builder.build();
}

// Uses whatever the file offers, as a loader would.
std::size_t touch(const GgufFile& file) {
  std::size_t sum = 0;
  const auto add_value = [&sum](const GgufValue& value, const auto& self) -> void {
    for (const std::byte b : value.bytes) sum += static_cast<std::size_t>(b);
    sum += value.as_u64().value_or(0) + value.type_text().size();
    for (const GgufValue& element : value.elements()) self(element, self);
  };
  for (const GgufMetadata::Entry& entry : file.metadata().entries()) {
    sum += entry.key.size();
    add_value(entry.value, add_value);
  }
  for (const GgufTensor& tensor : file.tensors()) {
    for (const std::byte b : tensor.data) sum += static_cast<std::size_t>(b);
    sum += tensor.shape_text().size();
  }
  return sum;
}

enum class Outcome { kRead, kRefused };

Outcome try_read(const std::vector<std::byte>& bytes) {
  const auto exact = std::make_unique<std::byte[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), exact.get());
  try {
    const GgufFile file = GgufFile::from_memory({exact.get(), bytes.size()}, "m");
    touch(file);
    return Outcome::kRead;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage) << error.what();
    EXPECT_EQ(std::string(error.what()).rfind("m: ", 0), 0u) << error.what();
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
