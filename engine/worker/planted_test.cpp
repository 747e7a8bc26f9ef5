// What can be said of the planted variants without a GPU, and of a driver that is too old.
//
// A fault that compiles to the code of its control, or of what is in service, would prove nothing.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/protocol/manifest.h"

namespace assay {
namespace {

using Json = nlohmann::json;

constexpr int kPlanted = 20;  // kernels/planted/linked_cuda_variants.inc

const ManifestVariant& variant(const Manifest& manifest, const std::string& id) {
  const ManifestVariant* found = manifest.find(id);
  if (found == nullptr) throw std::runtime_error(id + " is not in the manifest");
  return *found;
}

// The worker's reply to one request, with the older driver first on the way to libraries.
Json reply_with_old_driver(const std::string& worker, const Json& request) {
  const std::string command = "echo '" + request.dump() +
                              "' | LD_LIBRARY_PATH=" ASSAY_OLD_DRIVER " " ASSAY_BIN "/" + worker;
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("popen failed");
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), output)) {
    text.append(buffer.data(), got);
  }
  pclose(output);
  return Json::parse(text);
}

TEST(Planted, EveryFaultHasCodeOfItsOwn) {
  const Manifest manifest = read_manifest(ASSAY_BIN "/assay-worker-planted");
  std::map<std::string, std::string> ids;  // by code hash
  int planted = 0;
  for (const ManifestVariant& one : manifest.variants) {
    planted += one.id.starts_with("add.cuda.planted") ? 1 : 0;
    const auto [same, added] = ids.emplace(one.code_hash, one.id);
    EXPECT_TRUE(added) << one.id << " is the code of " << same->second;
  }
  EXPECT_EQ(planted, kPlanted);
}

TEST(Planted, OnlyTheFallbackReachesAnotherLauncher) {
  const Manifest manifest = read_manifest(ASSAY_BIN "/assay-worker-planted");
  for (const ManifestVariant& one : manifest.variants) {
    if (one.id == "add.cuda.planted[fault=fallback]") continue;
    EXPECT_EQ(one.reaches, std::vector<std::string>{}) << one.id;
  }
  EXPECT_EQ(variant(manifest, "add.cuda.planted[fault=fallback]").reaches,
            std::vector<std::string>{"add.cuda.vector"});
}

// So that a history of the planted worker's runs speaks of the code that people run.
TEST(Planted, TheOtherVariantsAreThoseOfTheOrdinaryWorker) {
  const Manifest ordinary = read_manifest(ASSAY_BIN "/assay-worker");
  const Manifest planted = read_manifest(ASSAY_BIN "/assay-worker-planted");
  EXPECT_EQ(planted.variants.size(), ordinary.variants.size() + kPlanted);
  for (const ManifestVariant& one : ordinary.variants) {
    EXPECT_EQ(variant(planted, one.id).code_hash, one.code_hash) << one.id;
    EXPECT_FALSE(one.id.starts_with("add.cuda.planted")) << one.id;
  }
}

TEST(OldDriver, IsNamedWithWhatItOffersAndWhatIsNeeded) {
  for (const char* worker : {"assay-worker", "assay-worker-planted"}) {
    const Json hello = reply_with_old_driver(worker, {{"request", "hello"}});
    EXPECT_EQ(hello.at("gpu_key"), "");
    EXPECT_EQ(hello.at("gpu_absent"),
              "the NVIDIA driver is too old: it offers CUDA 12.2, and this build needs 13.0: "
              "install a newer driver");
  }
}

TEST(OldDriver, EndsALoadAsTheMachinesFault) {
  const Json reply = reply_with_old_driver("assay-worker", {{"request", "load"},
                                                            {"model", "embedded"},
                                                            {"backend", "cuda"},
                                                            {"service", Json::object()},
                                                            {"context", 64}});
  EXPECT_EQ(reply.at("error").at("kind"), 13);
  EXPECT_EQ(reply.at("error").at("message"),
            "load: backend 'cuda': the NVIDIA driver is too old: it offers CUDA 12.2, and this "
            "build needs 13.0: install a newer driver");
}

}  // namespace
}  // namespace assay
