// Compiles small kernels with the compiler of this build and looks at their hashes.
#include "engine/manifest/code_hash.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "engine/core/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// A kernel with two parameter points, float constants, a table, a std::function and a static
// helper. NAME, NAMESPACE and FACTOR are replaced.
constexpr const char* kKernel = R"(
#include <functional>
#include "kernels/launch.h"
namespace NAMESPACE {
struct Args { const float* x; float* y; int k; };
extern const int kTable[4];
const int kTable[4] = {3, 1, 4, 1};
__attribute__((noinline)) static float scaled(float v) { return v * FACTORf + 0.25f; }
template <int rows>
static void run(const Args& args, assay::Launch& launch) {
  const std::function<void(std::int64_t, std::int64_t)> body = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; i += rows)
      args.y[i] = scaled(args.x[i]) * static_cast<float>(kTable[i & 3]);
  };
  launch.pool.parallel_for(args.k, rows, body);
}
}  // namespace NAMESPACE
ASSAY_VARIANT(NAME_rows1, NAMESPACE::Args, NAMESPACE::run<1>);
ASSAY_VARIANT(NAME_rows4, NAMESPACE::Args, NAMESPACE::run<4>);
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string kernel(const std::string& name, const std::string& space, const std::string& factor) {
  return replaced(replaced(replaced(kKernel, "NAMESPACE", space), "NAME", name), "FACTOR", factor);
}

class CodeHashTest : public testing::Test {
 protected:
  CodeHashTest() {
    char name[] = "/tmp/assay_code_hash_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~CodeHashTest() override { fs::remove_all(folder_); }

  // The object file of a source text.
  std::string compile(const std::string& file, const std::string& text,
                      const std::string& flags = "") {
    const fs::path source = folder_ / file;
    fs::create_directories(source.parent_path());
    std::ofstream(source) << text;
    const std::string object = source.string() + ".o";
    const std::string command = fmt::format(
        "{} -std=c++20 -O2 -ffp-contract=off -ffunction-sections -fdata-sections {} -I {} "
        "-c {} -o {}",
        ASSAY_CXX, flags, ASSAY_SOURCE_ROOT, source.string(), object);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return object;
  }

  static CodeHash hash(const std::vector<std::string>& objects, const std::string& symbol) {
    const std::optional<CodeHash> found = hash_code(read_objects(objects), symbol);
    EXPECT_TRUE(found.has_value()) << symbol;
    return found.value_or(CodeHash{});
  }

  fs::path folder_;
};

TEST_F(CodeHashTest, NeitherCommentsNorLinesNorPathsNorDebugInformationCount) {
  const std::string text = kernel("k_cpu_plain", "plain", "1.5");
  const std::string first = hash({compile("a.cpp", text)}, "k_cpu_plain_rows4").sha256;
  EXPECT_EQ(first.size(), 64u);
  const std::string moved = "// A comment.\n\n\n" + text + "\n// Another.\n";
  EXPECT_EQ(hash({compile("deep/er/b.cpp", moved, "-g")}, "k_cpu_plain_rows4").sha256, first);
}

TEST_F(CodeHashTest, AChangedConstantCounts) {
  const std::string before =
      hash({compile("a.cpp", kernel("k_cpu_plain", "plain", "1.5"))}, "k_cpu_plain_rows4").sha256;
  const std::string after =
      hash({compile("b.cpp", kernel("k_cpu_plain", "plain", "1.75"))}, "k_cpu_plain_rows4").sha256;
  EXPECT_NE(before, after);
  const std::string table =
      replaced(kernel("k_cpu_plain", "plain", "1.5"), "{3, 1, 4, 1}", "{3, 1, 5, 1}");
  EXPECT_NE(hash({compile("c.cpp", table)}, "k_cpu_plain_rows4").sha256, before);
}

TEST_F(CodeHashTest, AConstantOfANeighbourDoesNotCount) {
  // Another function's constants share the pool with this one's and move them.
  const std::string text = kernel("k_cpu_plain", "plain", "1.5");
  const std::string neighbour =
      "double neighbour(double v); double neighbour(double v) { return v * 7.125 + 0.3; }\n"
      "float other(float v); float other(float v) { return v * 9.5f - 0.7f; }\n";
  const std::string alone = hash({compile("a.cpp", text)}, "k_cpu_plain_rows4").sha256;
  EXPECT_EQ(hash({compile("b.cpp", neighbour + text)}, "k_cpu_plain_rows4").sha256, alone);
}

TEST_F(CodeHashTest, TwoParameterPointsDiffer) {
  const std::string object = compile("a.cpp", kernel("k_cpu_plain", "plain", "1.5"));
  EXPECT_NE(hash({object}, "k_cpu_plain_rows1").sha256, hash({object}, "k_cpu_plain_rows4").sha256);
}

TEST_F(CodeHashTest, ACopyUnderAnotherNameIsTheSameCode) {
  const std::string object = compile("a.cpp", kernel("k_cpu_plain", "plain", "1.5"));
  const std::string copy = compile("b.cpp", kernel("k_cpu_copied", "copied_from_it", "1.5"));
  const CodeHash original = hash({object, copy}, "k_cpu_plain_rows4");
  const CodeHash renamed = hash({object, copy}, "k_cpu_copied_rows4");
  EXPECT_EQ(renamed.sha256, original.sha256);
  EXPECT_TRUE(renamed.reaches.empty());
}

TEST_F(CodeHashTest, AHelperInAnotherObjectCounts) {
  const std::string text = replaced(
      kernel("k_cpu_plain", "plain", "1.5"),
      "__attribute__((noinline)) static float scaled(float v) { return v * 1.5f + 0.25f; }",
      "float scaled(float v);");
  const std::string caller = compile("a.cpp", text);
  const std::string one =
      compile("one.cpp",
              "namespace plain { float scaled(float v); float scaled(float v) { return v * 2; } }");
  const std::string two =
      compile("two.cpp",
              "namespace plain { float scaled(float v); float scaled(float v) { return v * 3; } }");
  const std::string with_one = hash({caller, one}, "k_cpu_plain_rows4").sha256;
  EXPECT_NE(with_one, hash({caller, two}, "k_cpu_plain_rows4").sha256);
  EXPECT_NE(with_one, hash({caller}, "k_cpu_plain_rows4").sha256);
}

TEST_F(CodeHashTest, LaunchersThatDifferOnlyInTheirTargetDiffer) {
  const std::string text = R"(
#include "kernels/launch.h"
namespace n {
struct Args { float* y; };
__attribute__((noinline)) static void one(const Args& a, assay::Launch&) { a.y[0] = 1; }
__attribute__((noinline)) static void two(const Args& a, assay::Launch&) { a.y[1] = 2; }
}
ASSAY_VARIANT(k_one, n::Args, n::one);
ASSAY_VARIANT(k_two, n::Args, n::two);
)";
  const std::string object = compile("a.cpp", text);
  EXPECT_NE(hash({object}, "k_one").sha256, hash({object}, "k_two").sha256);
}

TEST_F(CodeHashTest, ForwardingToAnotherLauncherIsReported) {
  const std::string incumbent = compile("a.cpp", kernel("k_cpu_plain", "plain", "1.5"));
  const std::string forwarding = compile("b.cpp", R"(
#include "kernels/launch.h"
extern "C" void assay_launch_k_cpu_plain_rows4(const void* args, assay::Launch& launch);
namespace sly {
struct Args { float* y; };
static void run(const Args& args, assay::Launch& launch) { assay_launch_k_cpu_plain_rows4(&args, launch); }
}
ASSAY_VARIANT(k_cpu_sly, sly::Args, sly::run);
)");
  EXPECT_EQ(hash({incumbent, forwarding}, "k_cpu_sly").reaches,
            std::vector<std::string>{"k_cpu_plain_rows4"});
  EXPECT_TRUE(hash({incumbent, forwarding}, "k_cpu_plain_rows4").reaches.empty());
}

TEST_F(CodeHashTest, AForwardedCallThatWasInlinedIsReportedByItsCounter) {
  const std::string object = compile("a.cpp", R"(
#include "kernels/launch.h"
namespace n {
struct Args { float* y; };
static void one(const Args& a, assay::Launch&) { a.y[0] = 1; }
}
ASSAY_VARIANT(k_one, n::Args, n::one);
namespace n {
static void sly(const Args& a, assay::Launch& launch) { assay_launch_k_one(&a, launch); }
}
ASSAY_VARIANT(k_sly, n::Args, n::sly);
)");
  EXPECT_EQ(hash({object}, "k_sly").reaches, std::vector<std::string>{"k_one"});
}

TEST_F(CodeHashTest, ArchivesAreReadMemberByMember) {
  const std::string object = compile("a.cpp", kernel("k_cpu_plain", "plain", "1.5"));
  const std::string other = compile("b.cpp", kernel("k_cpu_other", "other", "2.5"));
  const std::string archive = (folder_ / "lib.a").string();
  ASSERT_EQ(std::system(fmt::format("ar qc {} {} {}", archive, object, other).c_str()), 0);
  EXPECT_EQ(hash({archive}, "k_cpu_plain_rows1").sha256,
            hash({object}, "k_cpu_plain_rows1").sha256);
  EXPECT_EQ(hash({archive}, "k_cpu_other_rows1").sha256, hash({other}, "k_cpu_other_rows1").sha256);
  EXPECT_FALSE(hash_code(read_objects({archive}), "k_cpu_absent").has_value());
}

TEST_F(CodeHashTest, WhatCannotBeReadIsNamed) {
  const std::string path = (folder_ / "text.o").string();
  std::ofstream(path) << "no object";
  try {
    read_objects({path});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBaseline);
    EXPECT_EQ(error.what(), path + ": neither an object file nor an archive; build it again");
  }
  EXPECT_THROW(read_objects({path + ".absent"}), Error);
}

TEST_F(CodeHashTest, ALaunchFunctionWithoutASectionOfItsOwnIsRefused) {
  const std::string object =
      compile("a.cpp", kernel("k_cpu_plain", "plain", "1.5"), "-fno-function-sections");
  try {
    hash_code(read_objects({object}), "k_cpu_plain_rows1");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              object +
                  ": assay_launch_k_cpu_plain_rows1 has no section of its own; compile "
                  "with -ffunction-sections -fdata-sections");
  }
}

}  // namespace
}  // namespace assay
