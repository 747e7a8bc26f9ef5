#include "engine/gguf/writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "engine/gguf/read_everything.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class Writer : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("assay_writer_" + std::to_string(::getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return folder_ / name; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

GgufContent content_of(const GgufFile& file) {
  GgufContent content{.version = file.version(),
                      .alignment = file.alignment(),
                      .metadata = EncodedMetadata::copy_of(file.metadata()),
                      .tensors = {}};
  for (const GgufTensor& t : file.tensors()) {
    content.tensors.push_back({.name = std::string(t.name),
                               .ne = {t.ne.begin(), t.ne.begin() + t.dims},
                               .type_number = t.type_number,
                               .bytes = t.data.size()});
  }
  return content;
}

// Reads, and writes again in pieces of `piece` bytes.
void copy(const GgufFile& file, const std::string& path, std::size_t piece) {
  GgufWriter writer(path, content_of(file));
  for (const GgufTensor& tensor : file.tensors()) {
    std::span<const std::byte> data = tensor.data;
    while (!data.empty()) {
      writer.write(data.first(std::min(piece, data.size())));
      data = data.subspan(std::min(piece, data.size()));
    }
  }
  writer.finish();
}

TEST_F(Writer, AFileReadAndWrittenHasTheSameBytes) {
  std::vector<std::byte> bytes = small_file();
  bytes.resize((bytes.size() + 7) / 8 * 8);  // converters pad the end
  for (const std::uint32_t version : {2u, 3u}) {
    bytes[4] = static_cast<std::byte>(version);
    for (const std::size_t piece : {1u, 7u, 4096u}) {
      copy(GgufFile::from_memory(bytes, "m"), at("copy"), piece);
      EXPECT_EQ(read_whole_file(at("copy")), text_of(bytes));
      fs::remove(at("copy"));
    }
  }
}

TEST_F(Writer, TheEmbeddedModelReadAndWrittenHasTheSameBytes) {
  const std::string path = std::string(ASSAY_SOURCE_ROOT) + "/engine/embedded/embedded.gguf";
  const GgufFile file = GgufFile::open(path);
  copy(file, at("copy"), std::size_t{3} << 20);
  EXPECT_EQ(GgufFile::open(at("copy")).sha256(), file.sha256());
}

TEST_F(Writer, EveryTypeIsReadBackAsItWasSet) {
  GgufContent content;
  EncodedMetadata& m = content.metadata;
  m.set("u8", std::uint8_t{200});
  m.set("i8", std::int8_t{-100});
  m.set("u16", std::uint16_t{60000});
  m.set("i16", std::int16_t{-30000});
  m.set("u32", std::uint32_t{4000000000});
  m.set("i32", std::int32_t{-2000000000});
  m.set("u64", ~std::uint64_t{0});
  m.set("i64", std::int64_t{-5});
  m.set("f32", 1.5f);
  m.set("f64", 1e-300);
  m.set("bool", true);
  m.set("string", "caf\xc3\xa9");
  m.set_array<std::int16_t>("ints", std::vector<std::int16_t>{-1, 2});
  m.set_array<double>("floats", std::vector<double>{0.5, -2});
  m.set_strings("strings", std::vector<std::string>{"", "two"});
  m.set("u8", std::uint8_t{7});  // again: the place stays
  GgufWriter(at("all"), content).finish();

  const GgufFile file = GgufFile::open(at("all"));
  EXPECT_EQ(file.metadata().entries()[0].key, "u8");
  EXPECT_EQ(file.metadata().entries().size(), 15u);
  EXPECT_EQ(file.get_u32("u8"), 7u);
  EXPECT_EQ(file.get_i32("i8"), -100);
  EXPECT_EQ(file.get_u32("u16"), 60000u);
  EXPECT_EQ(file.get_i32("i16"), -30000);
  EXPECT_EQ(file.get_u32("u32"), 4000000000u);
  EXPECT_EQ(file.get_i32("i32"), -2000000000);
  EXPECT_EQ(file.get_u64("u64"), ~std::uint64_t{0});
  EXPECT_EQ(file.metadata().find("i64")->as_i64(), -5);
  EXPECT_EQ(file.get_f32("f32"), 1.5f);
  EXPECT_EQ(file.metadata().find("f64")->as_f64(), 1e-300);
  EXPECT_TRUE(file.get_bool("bool"));
  EXPECT_EQ(file.get_string("string"), "caf\xc3\xa9");
  EXPECT_EQ(file.get_ints("ints"), (std::vector<std::int64_t>{-1, 2}));
  EXPECT_EQ(file.get_floats("floats"), (std::vector<float>{0.5f, -2.0f}));
  EXPECT_EQ(file.get_strings("strings"), (std::vector<std::string_view>{"", "two"}));
}

TEST_F(Writer, AnotherAlignmentIsWrittenDown) {
  GgufContent content{
      .alignment = 64,
      .tensors = {{.name = "a", .ne = {3}, .bytes = 12}, {.name = "b", .ne = {1, 2}, .bytes = 8}}};
  GgufWriter writer(at("m"), content);
  writer.write(std::vector<std::byte>(12, std::byte{1}));
  writer.write(std::vector<std::byte>(8, std::byte{2}));
  writer.finish();
  const GgufFile file = GgufFile::open(at("m"));
  EXPECT_EQ(file.get_u32("general.alignment"), 64u);
  EXPECT_EQ(file.find_tensor("b")->offset % 64, 0u);
  EXPECT_EQ(file.find_tensor("b")->data[7], std::byte{2});
}

TEST_F(Writer, WithoutFinishNothingIsLeft) {
  const GgufContent content{.tensors = {{.name = "a", .ne = {2}, .bytes = 8}}};
  {
    GgufWriter writer(at("m"), content);
    writer.write(std::vector<std::byte>(4));
    EXPECT_FALSE(fs::exists(at("m")));
    EXPECT_THROW(writer.finish(), Error);                          // four bytes are missing
    EXPECT_THROW(writer.write(std::vector<std::byte>(5)), Error);  // one too many
  }
  EXPECT_EQ(files(), 0u);
}

// A limit on file size stands for a full disk: write() fails half-way.
TEST_F(Writer, AFullDiskIsOneErrorAndLeavesNothing) {
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 20, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    GgufWriter writer(
        at("m"), {.tensors = {{.name = "a", .ne = {1 << 20}, .bytes = std::uint64_t{4} << 20}}});
    for (int i = 0; i < 4; ++i) writer.write(std::vector<std::byte>(1 << 20));
    writer.finish();
  } catch (const Error& error) {
    message = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  }
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message,
            at("m") +
                ": cannot be written: File too large; nothing was left there. Free space or "
                "make its folder writable, then repeat the command");
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace assay
