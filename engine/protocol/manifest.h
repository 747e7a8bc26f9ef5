// What the build says of a worker: written beside it as `<worker>.manifest.json` by
// engine/manifest, read by the runner. It never comes from the process under suspicion.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace assay {

struct ManifestVariant {
  std::string id;
  std::string code_hash;             // SHA-256 of the code reachable from the launch function
  std::vector<std::string> files;    // its source file first, then every project header it includes
  std::vector<std::string> reaches;  // other variants whose launch functions its code reaches
};

struct ManifestFile {
  std::string sha256;
  std::string zstd_base64;  // whole content, compressed
};

struct Manifest {
  int version = 1;
  std::string worker_sha256;  // of the worker program's file
  std::string compiler;       // name and version
  std::string flags;          // common flags and build type
  std::string cuda_compiler;  // the same of CUDA variants; empty where they are not built
  std::string cuda_flags;
  std::string source_root;  // absolute, on the machine that built it
  std::string tree;         // git commit, with "-dirty" when files differ; "unknown" without git
  std::vector<std::string> dirty;  // the files that differ
  std::vector<ManifestVariant> variants;
  std::map<std::string, ManifestFile> files;  // by path from the root

  const ManifestVariant* find(const std::string& id) const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ManifestVariant, id, code_hash, files, reaches)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ManifestFile, sha256, zstd_base64)
// What differs and the two of CUDA are written where they hold something.
void to_json(nlohmann::json& json, const Manifest& manifest);
void from_json(const nlohmann::json& json, Manifest& manifest);

// Reads and checks a manifest. Error(kBaseline) when absent, damaged, or of another version, or
// when the worker's bytes are not those that it speaks of.
Manifest read_manifest(const std::string& worker_path);

// Files of the variant that differ on disk from the manifest (or are gone), below `source_root`.
std::vector<std::string> stale_files(const Manifest& manifest, const ManifestVariant& variant);

// The content of a manifest file entry, decompressed. Error(kBaseline) when it is damaged.
std::string file_content(const ManifestFile& file);
// The entry of a file with this content; file_content's inverse.
ManifestFile pack_file(const std::string& content);

}  // namespace assay
