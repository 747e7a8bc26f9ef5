// Containers put together by hand; real ones are read in code_hash_cuda_test.cpp.
#include "engine/manifest/fat_binary.h"

#include <gtest/gtest.h>

#include <functional>

#include "engine/core/error.h"

namespace assay {
namespace {

void put(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

// An image with a header of 64 bytes.
std::string image(std::uint16_t kind, std::uint32_t architecture, const std::string& payload) {
  std::string bytes;
  put(bytes, kind, 2);
  put(bytes, 0x101, 2);
  put(bytes, 64, 4);
  put(bytes, payload.size(), 8);
  put(bytes, 0, 12);
  put(bytes, architecture, 4);
  put(bytes, 0, 32);
  return bytes + payload;
}

std::string container(const std::string& images) {
  std::string bytes;
  put(bytes, 0xba55ed50, 4);
  put(bytes, 1, 2);
  put(bytes, 16, 2);
  put(bytes, images.size(), 8);
  return bytes + images;
}

ObjectFile object_with(const std::string& bytes) {
  ObjectFile object;
  object.name = "a.o";
  object.sections.resize(2);
  object.sections[1].name = ".nv_fatbin";
  object.sections[1].bytes = bytes;
  return object;
}

std::string refusal(const std::string& bytes) {
  try {
    device_images(object_with(bytes));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBaseline);
    return error.what();
  }
  return "read";
}

TEST(FatBinary, ImagesOfAllContainersAreReadInOrder) {
  const std::string bytes =
      container(image(2, 90, "\177ELF machine") + image(1, 90, std::string(".entry k\0\0\0", 11))) +
      std::string(8, '\0') + container(image(2, 100, "\177ELF other"));
  const std::vector<DeviceImage> images = device_images(object_with(bytes));
  ASSERT_EQ(images.size(), 3u);
  EXPECT_EQ(images[0].kind, DeviceImage::Kind::kCubin);
  EXPECT_EQ(images[0].architecture, 90u);
  EXPECT_EQ(images[0].bytes, "\177ELF machine");
  EXPECT_EQ(images[1].kind, DeviceImage::Kind::kPtx);
  EXPECT_EQ(images[1].bytes, ".entry k");
  EXPECT_EQ(images[2].architecture, 100u);
}

TEST(FatBinary, AnObjectWithoutOneHasNoImages) {
  EXPECT_TRUE(device_images(ObjectFile{}).empty());
}

TEST(FatBinary, WhatIsCompressedOrDamagedIsRefused) {
  const std::string compressed = "a.o: the fat binary is compressed; compile with -no-compress";
  EXPECT_EQ(refusal(container(image(2, 90, "\x28\xb5\x2f\xfd bytes"))), compressed);
  EXPECT_EQ(refusal(container(image(1, 90, "\x28\xb5\x2f\xfd bytes"))), compressed);
  const auto damaged = [](int at) {
    return "a.o: the fat binary is of an unknown form at byte " + std::to_string(at) +
           "; build it again with a known nvcc (11 to 13)";
  };
  EXPECT_EQ(refusal("no fat binary at all"), damaged(0));
  const std::string whole = container(image(2, 90, "\177ELF machine"));
  EXPECT_EQ(refusal(whole.substr(0, whole.size() - 1)), damaged(0));
  EXPECT_EQ(refusal(container(image(2, 90, "\177ELF machine").substr(0, 40))), damaged(16));
}

}  // namespace
}  // namespace assay
