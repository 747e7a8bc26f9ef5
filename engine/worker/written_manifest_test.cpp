// The manifest that this build wrote beside its worker, over the whole registry.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "engine/protocol/manifest.h"
#include "kernels/registry.h"
#include "kernels/registry_cuda.h"

namespace assay {
namespace {

std::set<std::string> registered() {
  std::set<std::string> ids;
  for (const RegisteredVariant& variant : cpu_registry()) ids.emplace(variant.info->id);
  for (const CudaVariant& variant : cuda_registry()) ids.emplace(variant.info->id);
  return ids;
}

TEST(WrittenManifest, SpeaksOfEveryRegisteredVariantAndOfNoOther) {
  const Manifest manifest = read_manifest(ASSAY_BIN "/assay-worker");
  std::set<std::string> ids;
  for (const ManifestVariant& variant : manifest.variants) ids.insert(variant.id);
  EXPECT_EQ(ids, registered());
}

TEST(WrittenManifest, EveryVariantHasCodeOfItsOwn) {
  const Manifest manifest = read_manifest(ASSAY_BIN "/assay-worker");
  std::map<std::string, std::string> ids;  // by code hash
  for (const ManifestVariant& variant : manifest.variants) {
    EXPECT_EQ(variant.code_hash.size(), 64u) << variant.id;
    const auto [same, added] = ids.emplace(variant.code_hash, variant.id);
    EXPECT_TRUE(added) << variant.id << " is the code of " << same->second;
    EXPECT_TRUE(variant.reaches.empty()) << variant.id << " reaches " << variant.reaches.front();
  }
}

TEST(WrittenManifest, HoldsTheSourcesOfEveryVariant) {
  const Manifest manifest = read_manifest(ASSAY_BIN "/assay-worker");
  for (const ManifestVariant& variant : manifest.variants) {
    ASSERT_FALSE(variant.files.empty()) << variant.id;
    EXPECT_EQ(variant.files.front().ends_with(".cu"),
              variant.id.find(".cuda.") != std::string::npos)
        << variant.id << " " << variant.files.front();
    for (const std::string& file : variant.files) {
      ASSERT_TRUE(manifest.files.contains(file)) << file;
      EXPECT_FALSE(file_content(manifest.files.at(file)).empty()) << file;
    }
  }
}

TEST(WrittenManifest, NamesTheCompilersOfWhatWasBuilt) {
  const Manifest manifest = read_manifest(ASSAY_BIN "/assay-worker");
  EXPECT_FALSE(manifest.compiler.empty());
  EXPECT_EQ(manifest.cuda_compiler.starts_with("nvcc "), has_cuda_code());
  EXPECT_EQ(manifest.cuda_flags.find("-no-compress") != std::string::npos, has_cuda_code());
}

}  // namespace
}  // namespace assay
