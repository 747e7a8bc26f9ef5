// assay-manifest: writes `<worker>.manifest.json`, what the build says of a worker's variants.
//
// It runs as the last step of linking the worker, over the archives that went into it, so that the
// manifest is as old as the program it speaks of.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/manifest/code_hash.h"
#include "engine/manifest/source_files.h"
#include "engine/protocol/manifest.h"
#include "kernels/variant.h"

namespace assay {
namespace {

struct Options {
  std::string worker, root, compiler, flags;
  std::vector<std::string> objects;
  std::string cuda_compiler, cuda_flags;
  std::vector<std::string> cuda_objects;
};

std::string id_of_symbol(const std::string& symbol) {
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) {
      if (info.symbol == symbol) return std::string(info.id);
    }
  }
  return symbol;  // a launch function that no list knows
}

bool is_cuda(const VariantInfo& info) {
  const auto name = parse_variant_id(info.id);
  return name && name->backend == "cuda";
}

Manifest make_manifest(const Options& options) {
  Manifest manifest;
  manifest.worker_sha256 = sha256_file(options.worker);
  manifest.compiler = options.compiler;
  manifest.flags = options.flags;
  manifest.source_root = options.root;
  SourceTree tree = source_tree(options.root);
  manifest.tree = std::move(tree.name);
  manifest.dirty = std::move(tree.dirty);
  manifest.cuda_compiler = options.cuda_compiler;
  manifest.cuda_flags = options.cuda_flags;
  // Two sets: a template of the library that both sides instantiate must not become the other's.
  const ObjectSet objects = read_objects(options.objects);
  const ObjectSet cuda_objects = read_objects(options.cuda_objects);
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) {
      const std::optional<CodeHash> code =
          hash_code(is_cuda(info) ? cuda_objects : objects, std::string(info.symbol));
      if (!code) continue;  // known, not built here
      ManifestVariant variant;
      variant.id = info.id;
      variant.code_hash = code->sha256;
      variant.files = source_closure(options.root, std::string(info.source));
      for (const std::string& symbol : code->reaches) {
        variant.reaches.push_back(id_of_symbol(symbol));
      }
      for (const std::string& file : variant.files) {
        if (manifest.files.contains(file)) continue;
        manifest.files[file] = pack_file(read_source(options.root + "/" + file));
      }
      manifest.variants.push_back(std::move(variant));
    }
  }
  return manifest;
}

void write_manifest(const Manifest& manifest, const std::string& path) {
  const std::string temporary = path + "." + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary);
  file << nlohmann::json(manifest).dump(1) << '\n';
  file.close();
  std::error_code failed;
  if (file) std::filesystem::rename(temporary, path, failed);
  if (!file || failed) {
    std::filesystem::remove(temporary, failed);
    throw Error(ErrorKind::kUsage, path + ": cannot be written; is the disk full or read-only?");
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  CLI::App app{"Writes WORKER.manifest.json from the objects that a worker was linked from."};
  assay::Options options;
  app.add_option("--worker", options.worker, "The linked worker")->required();
  app.add_option("--root", options.root, "Root of the source tree")->required();
  app.add_option("--compiler", options.compiler, "Name and version of the compiler");
  app.add_option("--flags", options.flags, "Common flags and build type");
  app.add_option("--cuda-compiler", options.cuda_compiler, "The same of CUDA variants");
  app.add_option("--cuda-flags", options.cuda_flags, "The same of CUDA variants");
  app.add_option("--cuda-object", options.cuda_objects, "Object file or archive of CUDA variants")
      ->allow_extra_args(false);
  app.add_option("objects", options.objects, "Object files and archives")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    assay::write_manifest(assay::make_manifest(options), options.worker + ".manifest.json");
  } catch (const assay::Error& error) {
    std::fprintf(stderr, "assay-manifest: %s\n", error.what());
    return error.exit_code();
  }
  return 0;
}
