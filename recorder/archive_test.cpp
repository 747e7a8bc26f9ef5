// The file of an export: no damage goes unseen, and nothing that it claims is believed.
#include "recorder/archive.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/sha256.h"

namespace assay {
namespace {

constexpr const char* kDamaged =
    "is damaged or was cut off: its content does not match the SHA-256 in its head; copy it again";
constexpr const char* kNone = "is no archive of `assay export`, or was cut off";

const ArchiveFiles kFiles{{"experiments/in_service.yaml", "version: 1\n"},
                          {"experiments/notes/tile.md", "# Notes\n\"\u00e4\" \\ \t\n"},
                          {"results/records/0001-tile.json", "{}\n"}};

std::string refusal(const std::string& bytes) {
  try {
    unpack_archive(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "unpacked";
}

// An archive with a right head around any bytes.
std::string headed(const std::string& rest, const std::string& version = "1") {
  const std::string text = "assay-archive " + version + " sha256:" + sha256_hex(rest) + "\n";
  std::string head("\x50\x2a\x4d\x18", 4);
  head += static_cast<char>(text.size());
  return head + std::string(3, '\0') + text + rest;
}

std::string frame(const std::string& content) {
  std::string zstd(ZSTD_compressBound(content.size()), '\0');
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), content.data(), content.size(), 3));
  return zstd;
}

TEST(Archive, GivesBackItsFilesAndTheSameBytes) {
  const std::string bytes = pack_archive(kFiles);
  EXPECT_EQ(unpack_archive(bytes), kFiles);
  EXPECT_EQ(pack_archive(unpack_archive(bytes)), bytes);
  EXPECT_EQ(unpack_archive(
                headed(frame(R"({"format": "assay-archive", "version": 1, "files": {"a": "b"}})"))),
            (ArchiveFiles{{"a", "b"}}));
}

TEST(Archive, IsTwoZstdFramesOfWhichToolsSkipTheFirst) {
  const std::string bytes = pack_archive(kFiles);
  std::string content(1 << 16, '\0');
  const std::size_t size =
      ZSTD_decompress(content.data(), content.size(), bytes.data(), bytes.size());
  ASSERT_FALSE(ZSTD_isError(size));
  content.resize(size);
  EXPECT_EQ(nlohmann::json::parse(content).at("files").get<ArchiveFiles>(), kFiles);
}

TEST(Archive, AChangedByteAnywhereIsRefused) {
  const std::string bytes = pack_archive(kFiles);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const std::string why = refusal(damaged);
      const bool told = why == kDamaged || why == kNone ||
                        why == "is version 0 of the form, this program reads 1; update it";
      EXPECT_TRUE(told) << at << ": " << why;
    }
  }
}

TEST(Archive, CutOffOrLengthenedIsRefused) {
  const std::string bytes = pack_archive(kFiles);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string why = refusal(bytes.substr(0, size));
    EXPECT_TRUE(why == kDamaged || why == kNone) << size << ": " << why;
  }
  EXPECT_EQ(refusal(bytes + '\0'), kDamaged);
  EXPECT_EQ(refusal(bytes + bytes), kDamaged);
}

TEST(Archive, OtherFilesAreRefused) {
  EXPECT_EQ(refusal(""), kNone);
  EXPECT_EQ(refusal(std::string(1000, 'x')), kNone);
  EXPECT_EQ(refusal(headed(frame("{}"), "2")),
            "is version 2 of the form, this program reads 1; update it");
  EXPECT_EQ(refusal(headed("plain text")),
            "does not hold one zstd frame of a stated size; it was not written by `assay export`");
  EXPECT_EQ(refusal(headed(frame("{}") + frame("{}"))),
            "does not hold one whole zstd frame; it was not written by `assay export`");
}

TEST(Archive, ContentOfAnotherFormIsRefused) {
  EXPECT_EQ(refusal(headed(frame("{\"a\":\n}"))),
            "its content, line 2: not JSON: cut off, edited, or with a merge conflict in it");
  EXPECT_EQ(refusal(headed(frame(std::string(100000, '[')))),
            "its content, line 1: nested too deeply for a record");
  EXPECT_EQ(refusal(headed(frame(R"({"format": "assay-archive", "version": 2, "files": {}})"))),
            "is of another form than this program's archives");
  for (const char* files : {"[]", "7", R"({"a": 1})", R"({"a": {"b": "c"}})"}) {
    const std::string json =
        std::string(R"({"format": "assay-archive", "version": 1, "files": )") + files + "}";
    EXPECT_EQ(refusal(headed(frame(json))), "its list of files is missing or of the wrong type")
        << files;
  }
}

TEST(Archive, AKeyThatStandsTwiceIsRefused) {
  const std::string json = "{\"format\": \"assay-archive\", \"version\": 1, \"files\": {\n";
  EXPECT_EQ(refusal(headed(frame(json + "\"a\": \"1\",\n\"a\": \"2\"}}"))),
            "its content, line 3: \"a\" stands twice in one object");
  EXPECT_EQ(refusal(headed(frame(json + "\"a\": \"1\",\n\"\\u0061\" : \"2\"}}"))),
            "its content, line 3: \"a\" stands twice in one object");
  EXPECT_EQ(
      refusal(headed(frame(json + "\"a\": \"1\"}, \"a\": {\"a\": [{\"a\": 1}, {\"a\": 1}]}}"))),
      "unpacked")
      << "not in one object";
}

TEST(Archive, TheNumberOfFilesIsBounded) {
  const auto many = [](int count) {
    std::string json = R"({"format": "assay-archive", "version": 1, "files": {)";
    for (int i = 0; i < count; ++i) json += fmt::format("{}\"{}\":\"\"", i > 0 ? "," : "", i);
    return headed(frame(json + "}}"));
  };
  EXPECT_EQ(refusal(many(20'000)), "unpacked");
  EXPECT_EQ(refusal(many(20'001)), "claims to hold 20001 files, and 20000 are the most");
  EXPECT_EQ(refusal(many(2'000'010)), "its content, line 1: more values than any record has");
  ArchiveFiles files;
  for (int i = 0; i <= 20'000; ++i) files[fmt::format("{:05}", i)] = "";
  try {
    pack_archive(files);
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("this history has 20001 files with 340082 bytes of text, and an "
                                 "archive holds 20000 with 134217728 at most: export a part of it"))
        << error.what();
  }
}

TEST(Archive, ClaimedSizesAreBounded) {
  // A frame header that states 2^40 bytes, and nothing behind it.
  const std::string huge("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\x01\0\0", 13);
  EXPECT_EQ(refusal(headed(huge)),
            "claims to hold 1099511627776 bytes, and 134217728 are the most");
}

}  // namespace
}  // namespace assay
