#include "engine/gguf/header.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace assay {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::string_view kSwappedMagic = "FUGG";
constexpr std::uint32_t kOldest = 2;
constexpr std::uint32_t kNewest = 3;  // the layout of 2, plus a big-endian form

[[noreturn]] void fail_big_endian(const Cursor& cursor, std::string_view part, std::uint64_t at) {
  cursor.fail(part, at, "has its bytes in big-endian order",
              "only little-endian files are read, convert it for this machine");
}

}  // namespace

GgufHeader read_header(Cursor& cursor) {
  const auto bytes = cursor.read<std::array<char, 4>>("magic");
  const std::string_view magic(bytes.data(), bytes.size());
  if (magic == kSwappedMagic) fail_big_endian(cursor, "magic", 0);
  if (magic != kMagic) {
    cursor.fail("magic", 0, fmt::format("is {}, not \"GGUF\"", quoted(magic)),
                "this is no GGUF file, name a model in that format");
  }
  const auto version = cursor.read<std::uint32_t>("version");
  if (version != 0 && (version & 0xffffu) == 0) fail_big_endian(cursor, "version", 4);
  if (version < kOldest || version > kNewest) {
    cursor.fail("version", 4,
                fmt::format("is {}, versions {} and {} are read", version, kOldest, kNewest),
                version < kOldest ? "convert the model again with a current converter"
                                  : "write the model as version 3");
  }
  GgufHeader header;
  header.version = version;
  header.tensors = cursor.read<std::uint64_t>("tensor count");
  header.metadata = cursor.read<std::uint64_t>("metadata count");
  return header;
}

}  // namespace assay
