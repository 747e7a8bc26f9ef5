#include "engine/core/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "engine/core/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class WholeFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = fs::temp_directory_path() / "whole_file.XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ / name; }
  static std::string refusal(const std::string& path) {
    try {
      read_whole_file(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "read";
  }
  fs::path folder_;
};

TEST_F(WholeFile, GivesBackWhatWasWritten) {
  const std::string bytes("a\0b\r\n\xff", 6);
  EXPECT_TRUE(replace_file(at("new/deeper/file"), bytes));
  EXPECT_EQ(read_whole_file(at("new/deeper/file")), bytes);
  EXPECT_TRUE(replace_file(at("empty"), "x"));
  EXPECT_TRUE(replace_file(at("empty"), ""));
  EXPECT_EQ(read_whole_file(at("empty")), "");
}

TEST_F(WholeFile, LeavesAFileWithTheseBytesAlone) {
  replace_file(at("file"), "text");
  const auto old = fs::last_write_time(at("file")) - std::chrono::hours(1);
  fs::last_write_time(at("file"), old);
  EXPECT_FALSE(replace_file(at("file"), "text"));
  EXPECT_EQ(fs::last_write_time(at("file")), old);
}

TEST_F(WholeFile, ReadsRegularFilesOnly) {
  EXPECT_EQ(read_whole_file(at("missing")), std::nullopt);
  fs::create_directory(at("folder"));
  EXPECT_EQ(refusal(at("folder")), at("folder") + ": is a folder; a file belongs there");
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(at("pipe")),
            at("pipe") + ": is a pipe, a socket or a device; a file belongs there");
  fs::create_symlink("loop", at("loop"));
  EXPECT_EQ(refusal(at("loop")),
            at("loop") + ": cannot be read: Too many levels of symbolic links");
  fs::create_symlink("nowhere", at("link"));
  EXPECT_EQ(refusal(at("link")),
            at("link") + ": is a link to nothing; remove it, or restore what it points to");
}

TEST_F(WholeFile, CallsTheFileAsItIsToldTo) {
  replace_file(at("file"), "text");
  EXPECT_EQ(read_whole_file(at("file"), "shown"), "text");
  fs::create_directory(at("folder"));
  try {
    replace_file(at("folder"), "text", "results/folder");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "results/folder: is a folder; a file belongs there");
  }
}

TEST_F(WholeFile, PlaceThatIsNoFolder) {
  replace_file(at("file"), "text");
  try {
    replace_file(at("file/below"), "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), at("file/below") + ": cannot be read: Not a directory");
  }
  EXPECT_EQ(read_whole_file(at("file")), "text");
}

TEST_F(WholeFile, FolderThatCannotBeWritten) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::create_directory(at("folder"));
  replace_file(at("folder/file"), "old");
  chmod(at("folder").c_str(), 0555);
  try {
    replace_file(at("folder/file"), "new");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              at("folder/file") +
                  ": cannot be written: Permission denied; the old file is "
                  "unchanged. Free space or make its folder writable, then repeat "
                  "the command");
  }
  chmod(at("folder").c_str(), 0755);
  EXPECT_EQ(read_whole_file(at("folder/file")), "old");
}

}  // namespace
}  // namespace assay
