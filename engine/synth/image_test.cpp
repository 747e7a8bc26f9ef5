// The bytes of whole models: golden, the same by any number of threads, in memory and on disk.
#include "engine/synth/image.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/gguf/file.h"
#include "engine/model/model.h"

namespace assay {
namespace {

SynthImage image_of(const std::string& name, int threads = 2) {
  return SynthImage(parse_synth_name(name), threads, [] {});
}

std::string digest_of_image(const std::string& name, int threads = 2) {
  return sha256_hex(image_of(name, threads).bytes());
}

class SynthFolder : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / ("assay_synth_" + std::to_string(::getpid()));
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(dir_), {}));
  }
  std::string refusal(const std::string& path) const {
    try {
      write_synth_file(parse_synth_name("tiny-q8_0"), path, 2, {});
      return "written";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
  }
  std::filesystem::path dir_;
};

TEST(SynthImage, TinyHasTheseBytesForEver) {
  EXPECT_EQ(digest_of_image("tiny-q4_k_m"),
            "cffeed2f29446cea2bf024717b82ab3865b958af2585cf9553be14cda4df4758");
  EXPECT_EQ(digest_of_image("tiny-q8_0"),
            "80cc59b2a475f9594e450eca443c62ae5f0dca53d65d55bfb09f7ab2636987af");
  EXPECT_EQ(digest_of_image("tiny-f16"),
            "33d718c251fa368db9e8c36b2e1caa3091f683314f16673492e4df9af1ab7a68");
  EXPECT_EQ(digest_of_image("tiny-q4_k_m@7"),
            "c97e749471a290bef4adfd8bffaa25d858fe2fd82da2a6b4d94f8b957d963958");
}

TEST(SynthImage, ThreadsDoNotChangeTheBytes) {
  const std::string expected = digest_of_image("tiny-q4_k_m", 1);
  EXPECT_EQ(digest_of_image("tiny-q4_k_m", 3), expected);
  EXPECT_EQ(digest_of_image("tiny-q4_k_m", 8), expected);
}

TEST(SynthImage, EveryShapeAndQuantIsAModel) {
  for (const char* quant : {"q4_k_m", "q8_0", "f16"}) {
    const SynthImage image = image_of(std::string("tiny-") + quant);
    const GgufFile file = GgufFile::from_memory(image.bytes(), "synth");
    const Model model = read_model(file);
    EXPECT_EQ(model.hyper.name, std::string("synth:tiny-") + quant);
    EXPECT_EQ(model.hyper.vocab, 2000);
    EXPECT_FALSE(model.tied);
    EXPECT_EQ(file.get_string("tokenizer.ggml.model"), "no_vocab");
    EXPECT_EQ(file.get_u32("qwen2.vocab_size"), 2000u);
  }
  // The others are too large to make here, but their heads and sizes are not.
  for (const SynthShape& shape : synth_shapes()) {
    for (const SynthQuant quant : {SynthQuant::kQ4KM, SynthQuant::kQ8_0, SynthQuant::kF16}) {
      const SynthFile file = synth_file({.shape = &shape, .quant = quant});
      std::uint64_t end = 0;
      for (const SynthTensor& tensor : file.tensors) {
        EXPECT_EQ(tensor.columns % tensor.block_elements(), 0u) << tensor.name;
        EXPECT_GE(tensor.offset, end);
        EXPECT_LT(tensor.offset, end + 32);
        end = tensor.offset + tensor.bytes();
      }
      EXPECT_GE(file.size, file.head.size() + end);
    }
  }
}

TEST(SynthImage, AModelThatDoesNotFitSaysSo) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit little{1u << 28, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &little), 0);
  std::string message;
  try {
    image_of("qwen2.5-1.5b-q4_k_m");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    message = error.what();
  }
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_TRUE(message.starts_with("synth:qwen2.5-1.5b-q4_k_m: out of memory: the model takes "))
      << message;
  EXPECT_TRUE(message.ends_with(" MiB are available; name a smaller shape or quant")) << message;
}

TEST_F(SynthFolder, AFileHasTheBytesOfTheImage) {
  const std::string path = dir_ / "tiny.gguf";
  const std::uint64_t size = write_synth_file(parse_synth_name("tiny-q4_k_m"), path, 2, {});
  EXPECT_EQ(size, std::filesystem::file_size(path));
  EXPECT_EQ(sha256_file(path), digest_of_image("tiny-q4_k_m"));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(SynthFolder, NothingIsWrittenOver) {
  const std::string path = dir_ / "mine.gguf";
  std::ofstream(path) << "mine";
  EXPECT_EQ(refusal(path), path +
                               ": is there already, and models are not written over: name another "
                               "file, or remove this one");
  EXPECT_EQ(std::filesystem::file_size(path), 4u);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(SynthFolder, AFullDiskLeavesNothing) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{1u << 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const std::string path = dir_ / "large.gguf";
  const std::string message = refusal(path);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  EXPECT_EQ(message, path +
                         ": cannot be written: File too large; nothing was left there. Free space "
                         "or make its folder writable, then repeat the command");
  EXPECT_EQ(entries(), 0u);
}

TEST_F(SynthFolder, StoppedItLeavesNothing) {
  int asked = 0;
  try {
    write_synth_file(parse_synth_name("tiny-q8_0"), dir_ / "tiny.gguf", 2,
                     [&] { return ++asked > 3; });
    ADD_FAILURE() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInconclusive);
    EXPECT_STREQ(error.what(), "stopped before all was written; no file was made");
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(SynthFolder, AFolderThatIsNotThere) {
  const std::string path = dir_ / "none/tiny.gguf";
  EXPECT_EQ(refusal(path), path + ": its folder does not exist; make it first");
}

}  // namespace
}  // namespace assay
