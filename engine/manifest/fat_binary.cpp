#include "engine/manifest/fat_binary.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint64_t kContainerHeader = 16, kImageHeader = 32;
constexpr std::uint16_t kPtx = 1, kCubin = 2;

template <typename T>
T read_at(std::string_view bytes, std::uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

[[noreturn]] void damaged(const std::string& name, std::uint64_t at) {
  throw Error(
      ErrorKind::kBaseline,
      fmt::format("{}: the fat binary is of an unknown form at byte {}; build it again with "
                  "a known nvcc (11 to 13)",
                  name, at));
}

[[noreturn]] void compressed(const std::string& name) {
  throw Error(ErrorKind::kBaseline,
              fmt::format("{}: the fat binary is compressed; compile with -no-compress", name));
}

// Zeros fill images and containers up to multiples of 8.
std::uint64_t behind_zeros(std::string_view bytes, std::uint64_t at) {
  while (at < bytes.size() && bytes[at] == '\0') ++at;
  return at;
}

DeviceImage image_of(const std::string& name, std::uint16_t kind, std::uint32_t architecture,
                     std::string_view payload) {
  DeviceImage image;
  image.architecture = architecture;
  if (kind == kCubin) {
    if (!payload.starts_with(ELFMAG)) compressed(name);
    image.bytes = payload;
    return image;
  }
  image.kind = DeviceImage::Kind::kPtx;
  image.bytes = payload.substr(0, payload.find('\0'));
  const auto is_text = [](unsigned char c) { return (c >= 32 && c < 127) || (c >= 9 && c <= 13); };
  if (!std::all_of(image.bytes.begin(), image.bytes.end(), is_text)) compressed(name);
  return image;
}

void read_container(const std::string& name, std::string_view bytes, std::uint64_t base,
                    std::vector<DeviceImage>& images) {
  std::uint64_t at = 0;
  while (at < bytes.size()) {
    if (bytes.size() - at < kImageHeader) damaged(name, base + at);
    const auto kind = read_at<std::uint16_t>(bytes, at);
    const std::uint64_t header = read_at<std::uint32_t>(bytes, at + 4);
    const auto size = read_at<std::uint64_t>(bytes, at + 8);
    const auto architecture = read_at<std::uint32_t>(bytes, at + 28);
    if (header < kImageHeader || header > bytes.size() - at || size > bytes.size() - at - header) {
      damaged(name, base + at);
    }
    if (kind == kCubin || kind == kPtx) {
      images.push_back(image_of(name, kind, architecture, bytes.substr(at + header, size)));
    }
    at += header + size;
  }
}

}  // namespace

std::vector<DeviceImage> device_images(const ObjectFile& object) {
  std::vector<DeviceImage> images;
  for (const ObjectSection& section : object.sections) {
    if (section.name != ".nv_fatbin") continue;
    const std::string_view bytes = section.bytes;
    std::uint64_t at = behind_zeros(bytes, 0);
    while (at < bytes.size()) {
      if (bytes.size() - at < kContainerHeader || read_at<std::uint32_t>(bytes, at) != kMagic) {
        damaged(object.name, at);
      }
      const std::uint64_t header = read_at<std::uint16_t>(bytes, at + 6);
      const auto size = read_at<std::uint64_t>(bytes, at + 8);
      if (header < kContainerHeader || header > bytes.size() - at ||
          size > bytes.size() - at - header) {
        damaged(object.name, at);
      }
      read_container(object.name, bytes.substr(at + header, size), at + header, images);
      at = behind_zeros(bytes, at + header + size);
    }
  }
  return images;
}

}  // namespace assay
