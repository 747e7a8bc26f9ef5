#include "engine/protocol/manifest.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "engine/core/error.h"
#include "engine/core/sha256.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class ManifestTest : public testing::Test {
 protected:
  ManifestTest() {
    char name[] = "/tmp/assay_manifest_XXXXXX";
    folder_ = mkdtemp(name);
    worker_ = folder_ + "/worker";
    write(worker_, "the worker's bytes");
    write(folder_ + "/a.cpp", "int a;\n");
    write(folder_ + "/a.h", "extern int a;\n");
    manifest_.worker_sha256 = sha256_hex(std::string_view("the worker's bytes"));
    manifest_.source_root = folder_;
    manifest_.variants = {{"op.cpu.plain", std::string(64, 'a'), {"a.cpp", "a.h"}, {}}};
    manifest_.files = {{"a.cpp", pack_file("int a;\n")}, {"a.h", pack_file("extern int a;\n")}};
  }
  ~ManifestTest() override { fs::remove_all(folder_); }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  void store() { write(worker_ + ".manifest.json", nlohmann::json(manifest_).dump()); }
  std::string refusal(ErrorKind kind = ErrorKind::kBaseline) {
    try {
      read_manifest(worker_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "read";
  }

  std::string folder_, worker_;
  Manifest manifest_;
};

TEST_F(ManifestTest, GivesBackWhatWasWritten) {
  store();
  const Manifest read = read_manifest(worker_);
  EXPECT_EQ(nlohmann::json(read), nlohmann::json(manifest_));
  ASSERT_NE(read.find("op.cpu.plain"), nullptr);
  EXPECT_EQ(read.find("op.cpu.other"), nullptr);
  EXPECT_EQ(file_content(read.files.at("a.h")), "extern int a;\n");
}

TEST_F(ManifestTest, TheCompilerOfCudaStandsThereWhereItWasUsed) {
  EXPECT_FALSE(nlohmann::json(manifest_).contains("cuda_compiler"));
  EXPECT_FALSE(nlohmann::json(manifest_).contains("cuda_flags"));
  manifest_.cuda_compiler = "nvcc 13.0.88";
  manifest_.cuda_flags = "-fmad=false";
  store();
  const Manifest read = read_manifest(worker_);
  EXPECT_EQ(read.cuda_compiler, "nvcc 13.0.88");
  EXPECT_EQ(read.cuda_flags, "-fmad=false");
}

TEST_F(ManifestTest, RefusesWhatDoesNotSpeakOfThisWorker) {
  const std::string path = worker_ + ".manifest.json";
  EXPECT_EQ(refusal(ErrorKind::kUsage),
            path + ": no manifest there; build the worker, or name one with --worker");
  store();
  EXPECT_EQ(refusal(), "read");
  write(worker_, "other bytes");
  EXPECT_EQ(refusal(), path + ": it speaks of other bytes than those of " + worker_ +
                           "; build the worker again");
  manifest_.version = 2;
  store();
  EXPECT_EQ(refusal(), path + ": version 2, and this program reads 1; build the worker again");
  write(path, "{\"version\": 1, ");
  EXPECT_EQ(refusal().substr(0, path.size() + 10), path + ": damaged ");
}

TEST_F(ManifestTest, NamesFilesThatChangedOrVanished) {
  const ManifestVariant& variant = manifest_.variants[0];
  EXPECT_TRUE(stale_files(manifest_, variant).empty());
  write(folder_ + "/a.h", "extern long a;\n");
  EXPECT_EQ(stale_files(manifest_, variant), std::vector<std::string>{"a.h"});
  fs::remove(folder_ + "/a.cpp");
  EXPECT_EQ(stale_files(manifest_, variant), (std::vector<std::string>{"a.cpp", "a.h"}));
}

TEST(PackFile, AnyContentComesBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (const std::string& content :
       {std::string(), std::string("x"), std::string("xy"), all, std::string(100000, 'q')}) {
    const ManifestFile file = pack_file(content);
    EXPECT_EQ(file.sha256, sha256_hex(content));
    EXPECT_EQ(file_content(file), content);
  }
}

TEST(PackFile, DamageIsNoticed) {
  ManifestFile file = pack_file("some content");
  ManifestFile cut = file;
  cut.zstd_base64 = "!" + cut.zstd_base64.substr(1);
  EXPECT_THROW(file_content(cut), Error);
  file.sha256 = sha256_hex(std::string_view("some other content"));
  EXPECT_THROW(file_content(file), Error);
}

}  // namespace
}  // namespace assay
