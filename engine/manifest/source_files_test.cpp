#include "engine/manifest/source_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "engine/core/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class SourceFilesTest : public testing::Test {
 protected:
  SourceFilesTest() {
    char name[] = "/tmp/assay_source_files_XXXXXX";
    root_ = mkdtemp(name);
  }
  ~SourceFilesTest() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((fs::path(root_) / path).parent_path());
    std::ofstream(fs::path(root_) / path) << text;
  }
  void shell(const std::string& command) {
    ASSERT_EQ(std::system(fmt::format("cd {} && {} >/dev/null 2>&1", root_, command).c_str()), 0)
        << command;
  }
  std::string root_;
};

TEST_F(SourceFilesTest, TheClosureHoldsQuotedIncludesBelowTheRoot) {
  write(
      "kernels/op/a.cpp",
      "#include <vector>\n  #  include \"kernels/op/a.h\"\n#include \"near.h\"\n"
      "#include \"absent.h\"\n#include \"../../../outside.h\"\n// #include \"kernels/unused.h\"\n");
  write("kernels/op/a.h", "#include \"kernels/launch.h\"\n");
  write("kernels/op/near.h", "#include \"kernels/op/a.h\"\n");
  write("kernels/launch.h", "#include \"kernels/op/a.h\"\n");
  write("kernels/unused.h", "");
  EXPECT_EQ(source_closure(root_, "kernels/op/a.cpp"),
            (std::vector<std::string>{"kernels/op/a.cpp", "kernels/launch.h", "kernels/op/a.h",
                                      "kernels/op/near.h"}));
}

TEST_F(SourceFilesTest, AMissingSourceIsNamed) {
  try {
    source_closure(root_, "kernels/none.cpp");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), root_ + "/kernels/none.cpp: cannot be read");
  }
}

TEST_F(SourceFilesTest, TheTreeIsACommitAndSaysWhenFilesDiffer) {
  EXPECT_EQ(source_tree(root_ + "/absent").name, "unknown");
  write("file", "one\n");
  shell("git init -q && git add file && git -c user.name=n -c user.email=e@x commit -qm one");
  const std::string clean = source_tree(root_).name;
  EXPECT_EQ(clean.size(), 40u) << clean;
  EXPECT_TRUE(source_tree(root_).dirty.empty());
  write("file", "two\n");
  write("new \xff \"one\"", "three\n");
  const SourceTree tree = source_tree(root_);
  EXPECT_EQ(tree.name, clean + "-dirty");
  EXPECT_EQ(tree.dirty, (std::vector<std::string>{"file", "new \\xff \"one\""}));
  for (int i = 0; i < 60; ++i) write("more" + std::to_string(i), "");
  EXPECT_EQ(source_tree(root_).dirty.size(), 51U);
  EXPECT_EQ(source_tree(root_).dirty.back(), "and 12 more");
}

}  // namespace
}  // namespace assay
