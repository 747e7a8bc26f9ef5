// The head's hash covers everything behind it, and the head itself has one form only, so that there
// is no byte whose change goes unseen. What a hostile archive with a right hash may still do is
// bounded: the frame states its size before memory is taken for it.
#include "recorder/archive.h"

#include <fmt/format.h>
#include <zstd.h>

#include <cstdint>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "recorder/json_text.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

constexpr int kLevel = 12;
// Some hundred times the history of this repository; read, it takes several times its size.
constexpr unsigned long long kLargestContent = 128ull << 20;  // bytes
constexpr std::size_t kMostFiles = 20'000;
constexpr std::string_view kName = "assay-archive ";
constexpr std::string_view kVersion = "1";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kUsage, what);
}

std::string little_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

// The frame to be skipped, for what follows it.
std::string head_of(std::string_view rest) {
  const std::string text = fmt::format("{}{} sha256:{}\n", kName, kVersion, sha256_hex(rest));
  return little_endian(ZSTD_MAGIC_SKIPPABLE_START) +
         little_endian(static_cast<std::uint32_t>(text.size())) + text;
}

std::string decompress_one_frame(std::string_view zstd) {
  const unsigned long long size = ZSTD_getFrameContentSize(zstd.data(), zstd.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    refuse("does not hold one zstd frame of a stated size; it was not written by `assay export`");
  }
  if (size > kLargestContent) {
    refuse(fmt::format("claims to hold {} bytes, and {} are the most", size, kLargestContent));
  }
  std::string content(static_cast<std::size_t>(size), '\0');
  const bool one = ZSTD_findFrameCompressedSize(zstd.data(), zstd.size()) == zstd.size();
  const std::size_t done =
      one ? ZSTD_decompress(content.data(), content.size(), zstd.data(), zstd.size()) : 0;
  if (!one || ZSTD_isError(done) || done != content.size()) {
    refuse("does not hold one whole zstd frame; it was not written by `assay export`");
  }
  return content;
}

ArchiveFiles read_files(const std::string& text) {
  try {
    const nlohmann::json json = parse_json_text(text);
    if (json.at("format") != "assay-archive" || json.at("version") != 1) {
      refuse("is of another form than this program's archives");
    }
    const nlohmann::json& files = json.at("files");
    if (files.size() > kMostFiles) {
      refuse(fmt::format("claims to hold {} files, and {} are the most", files.size(), kMostFiles));
    }
    return files.get<ArchiveFiles>();
  } catch (const nlohmann::json::exception&) {
    refuse("its list of files is missing or of the wrong type");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUsage) throw;
    refuse(fmt::format("its content, line {}", error.what()));
  }
}

}  // namespace

std::string pack_archive(const ArchiveFiles& files) {
  const std::string content =
      canonical_json({{"format", "assay-archive"}, {"version", 1}, {"files", files}});
  std::string zstd(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size =
      ZSTD_compress(zstd.data(), zstd.size(), content.data(), content.size(), kLevel);
  if (ZSTD_isError(size)) {
    throw Error(ErrorKind::kInternal, fmt::format("compressing: {}", ZSTD_getErrorName(size)));
  }
  zstd.resize(size);
  if (content.size() > kLargestContent || zstd.size() + 256 > kLargestArchive ||
      files.size() > kMostFiles) {
    refuse(
        fmt::format("this history has {} files with {} bytes of text, and an archive holds {} with "
                    "{} at most: export a part of it (--since N, or single experiments)",
                    files.size(), content.size(), kMostFiles, kLargestContent));
  }
  return head_of(zstd) + zstd;
}

ArchiveFiles unpack_archive(const std::string& bytes) {
  if (bytes.size() > kLargestArchive) {
    refuse(
        fmt::format("has {} bytes, and an archive has {} at most", bytes.size(), kLargestArchive));
  }
  const std::size_t head = head_of("").size();
  if (bytes.size() < head || bytes.compare(8, kName.size(), kName) != 0) {
    refuse("is no archive of `assay export`, or was cut off");
  }
  const std::size_t version_at = 8 + kName.size();
  const std::string version = bytes.substr(version_at, bytes.find(' ', version_at) - version_at);
  if (version != kVersion && version.size() < 4 &&
      version.find_first_not_of("0123456789") == std::string::npos) {
    refuse(fmt::format("is version {} of the form, this program reads {}; update it", version,
                       kVersion));
  }
  const std::string_view rest = std::string_view(bytes).substr(head);
  if (bytes.compare(0, head, head_of(rest)) != 0) {
    refuse(
        "is damaged or was cut off: its content does not match the SHA-256 in its head; copy "
        "it again");
  }
  return read_files(decompress_one_frame(rest));
}

}  // namespace assay
