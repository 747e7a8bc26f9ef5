// Valid files: every value type, every accessor, tensors, files on disk. Faults of single fields
// are in malformed_test.cpp, floods of them in mutation_test.cpp.
#include "engine/gguf/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/gguf/gguf_builder.h"

namespace assay {
namespace {

template <typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

std::vector<std::byte> counted(std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

class OnDisk : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("assay_gguf_" + std::to_string(::getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::vector<std::byte>& bytes) {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  std::filesystem::path folder_;
};

TEST(GgufFile, ReadsEveryScalarType) {
  GgufBuilder builder;
  builder.scalar<std::uint8_t>("u8", GgufType::kU8, 200)
      .scalar<std::int8_t>("i8", GgufType::kI8, -100)
      .scalar<std::uint16_t>("u16", GgufType::kU16, 60000)
      .scalar<std::int16_t>("i16", GgufType::kI16, -30000)
      .scalar<std::uint32_t>("u32", GgufType::kU32, 4000000000u)
      .scalar<std::int32_t>("i32", GgufType::kI32, -2000000000)
      .scalar<float>("f32", GgufType::kF32, 1.5f)
      .boolean("yes", true)
      .boolean("no", false)
      .string("text", "g\xc3\xbc")
      .scalar<std::uint64_t>("u64", GgufType::kU64, ~std::uint64_t{0})
      .scalar<std::int64_t>("i64", GgufType::kI64, std::numeric_limits<std::int64_t>::min())
      .scalar<double>("f64", GgufType::kF64, -0.25);
  const std::vector<std::byte> bytes = builder.build();
  const GgufFile file = GgufFile::from_memory(bytes, "m");
  EXPECT_EQ(file.metadata().entries().size(), 13u);
  EXPECT_EQ(file.get_u32("u8"), 200u);
  EXPECT_EQ(file.get_i32("i8"), -100);
  EXPECT_EQ(file.get_u32("u16"), 60000u);
  EXPECT_EQ(file.get_i32("i16"), -30000);
  EXPECT_EQ(file.get_u32("u32"), 4000000000u);
  EXPECT_EQ(file.get_i32("i32"), -2000000000);
  EXPECT_EQ(file.get_f32("f32"), 1.5f);
  EXPECT_TRUE(file.get_bool("yes"));
  EXPECT_FALSE(file.get_bool("no"));
  EXPECT_EQ(file.get_string("text"), "g\xc3\xbc");
  EXPECT_EQ(file.get_u64("u64"), ~std::uint64_t{0});
  EXPECT_EQ(file.metadata().find("i64")->as_i64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(file.get_f32("f64"), -0.25f);
}

TEST(GgufFile, ReadsArrays) {
  GgufBuilder builder;
  builder.strings("s", {"", "a", std::string(1, '\0')})
      .array<std::int16_t>("i", GgufType::kI16, {-1, 0, 7})
      .array<std::uint64_t>("u", GgufType::kU64, {5})
      .array<float>("f", GgufType::kF32, {0.5f, -0.0f})
      .array<double>("d", GgufType::kF64, {1e30})
      .array<std::uint8_t>("b", GgufType::kBool, {1, 0, 1})
      .strings("none", {});
  const std::vector<std::byte> bytes = builder.build();
  const GgufFile file = GgufFile::from_memory(bytes, "m");
  using namespace std::string_view_literals;
  EXPECT_EQ(file.get_strings("s"), (std::vector<std::string_view>{"", "a", "\0"sv}));
  EXPECT_EQ(file.get_ints("i"), (std::vector<std::int64_t>{-1, 0, 7}));
  EXPECT_EQ(file.get_ints("u"), (std::vector<std::int64_t>{5}));
  EXPECT_EQ(file.get_floats("f"), (std::vector<float>{0.5f, 0.0f}));
  EXPECT_EQ(file.get_floats("d"), (std::vector<float>{1e30f}));
  EXPECT_EQ(file.get_bools("b"), (std::vector<bool>{true, false, true}));
  EXPECT_TRUE(file.get_strings("none").empty());
}

TEST(GgufFile, ReadsNestedArrays) {
  ByteWriter value;  // [["ab"], [], ["c", ""]]
  value.type(GgufType::kArray).u64(3);
  value.type(GgufType::kString).u64(1).string("ab");
  value.type(GgufType::kI8).u64(0);
  value.type(GgufType::kString).u64(2).string("c").string("");
  GgufBuilder builder;
  builder.encoded("nested", GgufType::kArray, value).u32("after", 9);
  const std::vector<std::byte> bytes = builder.build();
  const GgufFile file = GgufFile::from_memory(bytes, "m");
  const std::vector<GgufValue> rows = file.metadata().find("nested")->elements();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].type_text(), "array of string");
  EXPECT_EQ(rows[0].elements().at(0).as_string(), "ab");
  EXPECT_EQ(rows[1].type_text(), "array of i8");
  EXPECT_TRUE(rows[1].elements().empty());
  ASSERT_EQ(rows[2].elements().size(), 2u);
  EXPECT_EQ(rows[2].elements()[0].as_string(), "c");
  EXPECT_EQ(rows[2].elements()[1].as_string(), "");
  EXPECT_EQ(file.get_u32("after"), 9u);
}

TEST(GgufFile, AbsentKeyIsNothingOrAnError) {
  const std::vector<std::byte> bytes = GgufBuilder().u32("a", 1).build();
  const GgufFile file = GgufFile::from_memory(bytes, "m.gguf");
  EXPECT_FALSE(file.find_u32("b").has_value());
  EXPECT_FALSE(file.find_strings("b").has_value());
  EXPECT_EQ(message_of([&] { file.get_u32("b"); }),
            "m.gguf: metadata \"b\" is missing: convert the model again");
}

TEST(GgufFile, ValueOfAnotherTypeIsAnError) {
  GgufBuilder builder;
  builder.scalar<std::int32_t>("n", GgufType::kI32, -3)
      .scalar<double>("big", GgufType::kF64, 1e300)
      .strings("s", {"x"})
      .string("t", "x");
  const std::vector<std::byte> bytes = builder.build();
  const GgufFile file = GgufFile::from_memory(bytes, "m");
  EXPECT_EQ(message_of([&] { file.find_u32("n"); }),
            "m: metadata \"n\" at byte 37 is i32 of -3, a u32 is needed: convert the model again");
  EXPECT_EQ(message_of([&] { file.get_f32("big"); }),
            "m: metadata \"big\" at byte 56 is f64, an f32 is needed: convert the model again");
  EXPECT_EQ(message_of([&] { file.get_ints("s"); }),
            "m: metadata \"s\" at byte 89 is array of string, an array of integers is needed: "
            "convert the model again");
  EXPECT_EQ(message_of([&] { file.get_strings("t"); }),
            "m: metadata \"t\" at byte 119 is string, an array of strings is needed: convert the "
            "model again");
}

TEST(GgufFile, FloatsKeepInfinityAndNan) {
  GgufBuilder builder;
  builder.scalar<double>("inf", GgufType::kF64, std::numeric_limits<double>::infinity())
      .scalar<float>("nan", GgufType::kF32, std::numeric_limits<float>::quiet_NaN());
  const std::vector<std::byte> bytes = builder.build();
  const GgufFile file = GgufFile::from_memory(bytes, "m");
  EXPECT_EQ(file.get_f32("inf"), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(file.get_f32("nan")));
}

TEST(GgufFile, FindsTensorsAndTheirData) {
  GgufBuilder builder;
  builder.tensor("norm", {3}, 0, counted(12))
      .tensor("half", {2, 3, 1, 2}, 1, counted(24))
      .tensor("q8", {64, 2}, 8, counted(136))
      .tensor("q4", {256, 1}, 12, counted(144))
      .tensor("q6", {512}, 14, counted(420));
  const std::vector<std::byte> bytes = builder.build();
  const GgufFile file = GgufFile::from_memory(bytes, "m");
  ASSERT_EQ(file.tensors().size(), 5u);
  const std::vector<DType> types{DType::kF32, DType::kF16, DType::kQ8_0, DType::kQ4K, DType::kQ6K};
  for (std::size_t i = 0; i < 5; ++i) {
    const GgufTensor& t = file.tensors()[i];
    EXPECT_EQ(t.dtype, types[i]);
    EXPECT_EQ(t.offset % 32, 0u);
    EXPECT_EQ(t.data.data(), bytes.data() + t.offset);
    EXPECT_EQ(t.data.size(), row_bytes(types[i], t.ne[0]) * t.ne[1] * t.ne[2] * t.ne[3]);
    for (std::size_t b = 0; b < t.data.size(); ++b) {
      ASSERT_EQ(t.data[b], static_cast<std::byte>(b)) << t.name << " byte " << b;
    }
  }
  const GgufTensor& half = file.require_tensor("half");
  EXPECT_EQ(half.dims, 4);
  EXPECT_EQ(half.elements(), 12u);
  EXPECT_EQ(half.shape_text(), "[2, 3, 1, 2]");
  EXPECT_EQ(file.find_tensor("absent"), nullptr);
}

TEST(GgufFile, TensorOfAForeignTypeFailsOnlyWhenWanted) {
  const std::vector<std::byte> bytes =
      GgufBuilder().tensor("a", {256}, 10, counted(84)).tensor("b", {1}, 0, counted(4)).build();
  const GgufFile file = GgufFile::from_memory(bytes, "m.gguf");
  EXPECT_EQ(file.find_tensor("a")->type_number, 10u);
  EXPECT_FALSE(file.find_tensor("a")->dtype.has_value());
  EXPECT_TRUE(file.find_tensor("a")->data.empty());
  EXPECT_EQ(file.require_tensor("b").data.size(), 4u);
  EXPECT_EQ(
      message_of([&] { file.require_tensor("a"); }),
      "m.gguf: tensor 0 \"a\": type at byte 45 is q2_K; f32, f16, bf16, q4_0, q4_1, q5_0, "
      "q5_1, q8_0, q4_K, q5_K, q6_K are computed with: fetch another quantisation of the model, "
      "such as q4_k_m or q8_0");
  EXPECT_EQ(message_of([&] { file.require_tensor("c"); }),
            "m.gguf: tensor \"c\" is missing: convert the model again");
}

TEST(GgufFile, ReadsVersions2And3Alike) {
  const GgufBuilder builder = GgufBuilder()
                                  .string("k", "v")
                                  .tensor("a", {2}, 0, counted(8))
                                  .tensor("b", {1}, 0, counted(4));
  for (const std::uint32_t version : {2u, 3u}) {
    const std::vector<std::byte> bytes = builder.build(version);
    const GgufFile file = GgufFile::from_memory(bytes, "m");
    EXPECT_EQ(file.version(), version);
    EXPECT_EQ(file.get_string("k"), "v");
    EXPECT_EQ(file.find_tensor("b")->data[3], std::byte{3});
  }
}

TEST(GgufFile, APartOfASplitModelIsNamedAsOne) {
  const auto part = [](std::uint16_t count) {
    return GgufBuilder()
        .scalar<std::uint16_t>("split.no", GgufType::kU16, 0)
        .scalar<std::uint16_t>("split.count", GgufType::kU16, count)
        .build();
  };
  EXPECT_EQ(message_of([&] { GgufFile::from_memory(part(3), "x.gguf"); }),
            "x.gguf: metadata \"split.count\" at byte 69 is 3: this is one part of a split model; "
            "merge the parts with `llama-gguf-split --merge FIRST OUT`, FIRST being the one whose "
            "name ends with -00001-of-00003.gguf, and name OUT");
  EXPECT_EQ(message_of([&] { GgufFile::from_memory(part(1), "x.gguf"); }), "no error");
}

TEST(GgufFile, HonoursItsAlignment) {
  for (const std::uint32_t alignment : {8u, 64u, 4096u}) {
    GgufBuilder builder;
    builder.alignment(alignment)
        .u32("general.alignment", alignment)
        .tensor("a", {1}, 0, counted(4))
        .tensor("b", {2}, 0, counted(8));
    const std::vector<std::byte> bytes = builder.build();
    const GgufFile file = GgufFile::from_memory(bytes, "m");
    EXPECT_EQ(file.alignment(), alignment);
    EXPECT_EQ(file.find_tensor("b")->offset % alignment, 0u);
    EXPECT_EQ(file.find_tensor("b")->offset, file.find_tensor("a")->offset + alignment);
  }
}

TEST(GgufFile, AcceptsPaddingAfterTheLastTensor) {
  std::vector<std::byte> bytes = GgufBuilder().tensor("a", {1}, 0, counted(4)).build();
  const std::size_t end = bytes.size();
  bytes.resize(end + 28);
  EXPECT_EQ(GgufFile::from_memory(bytes, "m").tensors().size(), 1u);
}

TEST(GgufFile, ReadsAFileWithoutTensors) {
  const std::vector<std::byte> bytes = GgufBuilder().u32("a", 1).build();
  EXPECT_TRUE(GgufFile::from_memory(bytes, "m").tensors().empty());
}

TEST(GgufFile, MemoryMustBeAligned) {
  const std::vector<std::byte> bytes = GgufBuilder().u32("a", 1).build();
  std::vector<std::byte> shifted(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
  try {
    GgufFile::from_memory(std::span(shifted).subspan(1), "m");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
    EXPECT_STREQ(error.what(),
                 "m: the bytes of the model start at an address that is not a multiple of 8: align "
                 "the array that holds them");
  }
}

TEST_F(OnDisk, OpensHashesAndMoves) {
  const std::vector<std::byte> bytes =
      GgufBuilder().string("k", "v").tensor("a", {2}, 0, counted(8)).build();
  const std::string path = write("m.gguf", bytes);
  GgufFile first = GgufFile::open(path);
  const GgufFile file = std::move(first);
  EXPECT_EQ(file.name(), path);
  EXPECT_EQ(file.size(), bytes.size());
  EXPECT_EQ(file.get_string("k"), "v");
  EXPECT_EQ(file.require_tensor("a").data[7], std::byte{7});
  EXPECT_EQ(file.sha256(), sha256_hex(bytes));
  EXPECT_EQ(GgufFile::from_memory(bytes, "m").sha256(), sha256_hex(bytes));
}

TEST_F(OnDisk, NamesWhatIsNoReadableFile) {
  const std::string missing = folder_ / "missing.gguf";
  EXPECT_EQ(message_of([&] { GgufFile::open(missing); }),
            missing + ": there is no such file: check the path");
  EXPECT_EQ(message_of([&] { GgufFile::open(folder_); }),
            folder_.string() + ": is a directory: name the .gguf file inside it");
  const std::string empty = write("empty.gguf", {});
  EXPECT_EQ(message_of([&] { GgufFile::open(empty); }),
            empty + ": the file is empty: fetch or convert the model again");
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(message_of([&] { GgufFile::open(pipe); }),
            pipe + ": is not a regular file: copy the model to a file first");
  const std::string loop = folder_ / "loop";
  std::filesystem::create_symlink(loop, loop);
  EXPECT_EQ(message_of([&] { GgufFile::open(loop); }),
            loop +
                ": cannot be opened (Too many levels of symbolic links): check the path and its "
                "permissions");
  EXPECT_EQ(message_of([&] { GgufFile::from_memory({}, "nothing"); }),
            "nothing: there are no bytes: fetch or convert the model again");
}

TEST_F(OnDisk, FileWithoutPermissionIsNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = write("secret.gguf", GgufBuilder().build());
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_EQ(message_of([&] { GgufFile::open(path); }),
            path + ": cannot be opened (Permission denied): check the path and its permissions");
}

TEST_F(OnDisk, NoticesThatTheFileShrank) {
  const std::vector<std::byte> bytes = GgufBuilder().tensor("a", {2}, 0, counted(8)).build();
  ASSERT_EQ(bytes.size(), 72u);
  const std::string path = write("m.gguf", bytes);
  const GgufFile file = GgufFile::open(path);
  file.ensure_unchanged();
  std::filesystem::resize_file(path, 40);
  const std::string expected = path +
                               ": the file had 72 bytes when it was opened and has 40 now: leave "
                               "it alone while it is in use, then start again";
  EXPECT_EQ(message_of([&] { file.ensure_unchanged(); }), expected);
  EXPECT_EQ(message_of([&] { file.sha256(); }), expected);
}

TEST_F(OnDisk, NoticesThatTheFileWasWrittenTo) {
  const std::string path = write("m.gguf", GgufBuilder().u32("a", 1).build());
  const GgufFile file = GgufFile::open(path);
  std::filesystem::last_write_time(
      path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_EQ(message_of([&] { file.ensure_unchanged(); }),
            path +
                ": the file was written to after it was opened: leave it alone while it is in "
                "use, then start again");
}

}  // namespace
}  // namespace assay
