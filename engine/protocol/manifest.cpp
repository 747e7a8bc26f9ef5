#include "engine/protocol/manifest.h"

#include <fmt/format.h>
#include <zstd.h>

#include <filesystem>
#include <optional>

#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/core/whole_file.h"

namespace assay {
namespace {

constexpr int kVersion = 1;
constexpr int kZstdLevel = 9;
constexpr unsigned long long kLargestFile = 64ull << 20;

[[noreturn]] void reject(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kBaseline, fmt::format("{}: {}; build the worker again", path, why));
}

// A path that was never built is bad input; the rest is a build that is not whole.
[[noreturn]] void missing(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: {}; build the worker, or name one with --worker", path, what));
}

}  // namespace

const ManifestVariant* Manifest::find(const std::string& id) const {
  for (const ManifestVariant& variant : variants) {
    if (variant.id == id) return &variant;
  }
  return nullptr;
}

void to_json(nlohmann::json& json, const Manifest& manifest) {
  json = {{"version", manifest.version},         {"worker_sha256", manifest.worker_sha256},
          {"compiler", manifest.compiler},       {"flags", manifest.flags},
          {"source_root", manifest.source_root}, {"tree", manifest.tree},
          {"variants", manifest.variants},       {"files", manifest.files}};
  if (!manifest.dirty.empty()) json["dirty"] = manifest.dirty;
  if (manifest.cuda_compiler.empty()) return;
  json["cuda_compiler"] = manifest.cuda_compiler;
  json["cuda_flags"] = manifest.cuda_flags;
}

void from_json(const nlohmann::json& json, Manifest& manifest) {
  json.at("version").get_to(manifest.version);
  json.at("worker_sha256").get_to(manifest.worker_sha256);
  json.at("compiler").get_to(manifest.compiler);
  json.at("flags").get_to(manifest.flags);
  json.at("source_root").get_to(manifest.source_root);
  json.at("tree").get_to(manifest.tree);
  json.at("variants").get_to(manifest.variants);
  json.at("files").get_to(manifest.files);
  manifest.dirty = json.value("dirty", std::vector<std::string>());
  manifest.cuda_compiler = json.value("cuda_compiler", "");
  manifest.cuda_flags = json.value("cuda_flags", "");
}

Manifest read_manifest(const std::string& worker_path) {
  const std::string path = worker_path + ".manifest.json";
  const std::optional<std::string> text = read_whole_file(path);
  if (!text) missing(path, "no manifest there");
  Manifest manifest;
  try {
    const nlohmann::json json = nlohmann::json::parse(*text);
    const int version = json.at("version").get<int>();
    if (version != kVersion) {
      reject(path, fmt::format("version {}, and this program reads {}", version, kVersion));
    }
    manifest = json.get<Manifest>();
  } catch (const nlohmann::json::exception& error) {
    reject(path, fmt::format("damaged ({})", error.what()));
  }
  if (!std::filesystem::is_regular_file(worker_path)) missing(worker_path, "no worker there");
  if (sha256_file(worker_path) != manifest.worker_sha256) {
    reject(path, fmt::format("it speaks of other bytes than those of {}", worker_path));
  }
  return manifest;
}

std::vector<std::string> stale_files(const Manifest& manifest, const ManifestVariant& variant) {
  std::vector<std::string> stale;
  for (const std::string& file : variant.files) {
    const std::string path = manifest.source_root + "/" + file;
    const auto recorded = manifest.files.find(file);
    const bool current = recorded != manifest.files.end() &&
                         std::filesystem::is_regular_file(path) &&
                         sha256_file(path) == recorded->second.sha256;
    if (!current) stale.push_back(file);
  }
  return stale;
}

ManifestFile pack_file(const std::string& content) {
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), kZstdLevel);
  if (ZSTD_isError(size)) {
    throw Error(ErrorKind::kInternal, fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  }
  packed.resize(size);
  return {sha256_hex(content), to_base64(packed)};
}

std::string file_content(const ManifestFile& file) {
  const std::string packed = from_base64(file.zstd_base64).value_or("");
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  std::string content;
  bool intact = size <= kLargestFile;  // the two error values are larger
  if (intact) {
    content.resize(size);
    intact =
        ZSTD_decompress(content.data(), content.size(), packed.data(), packed.size()) == size &&
        sha256_hex(content) == file.sha256;
  }
  if (!intact) {
    throw Error(ErrorKind::kBaseline,
                fmt::format("manifest: the stored file {} is damaged; build the worker again",
                            file.sha256.substr(0, 12)));
  }
  return content;
}

}  // namespace assay
