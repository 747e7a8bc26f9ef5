#include "engine/core/new_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Naming = NewFile::Naming;

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

class NewFileTest : public testing::TestWithParam<Naming> {
 protected:
  void SetUp() override {
    std::string folder = fs::temp_directory_path() / "new_file.XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ / name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  NewFile made(const std::string& name) const {
    return NewFile::create(at(name), "models", GetParam());
  }
  std::string refusal(const std::string& path) const {
    try {
      NewFile::create(path, "models", GetParam());
      return "made";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
  }
  static std::string taken(const std::string& path) {
    return path +
           ": is there already, and models are not written over: name another file, or "
           "remove this one";
  }
  static std::string unwritable(const std::string& path, const std::string& why) {
    return path + ": cannot be written: " + why +
           "; nothing was left there. Free space or make its folder writable, then repeat the "
           "command";
  }
  fs::path folder_;
};

TEST_P(NewFileTest, AppearsWhenItIsWhole) {
  {
    NewFile file = made("m");
    file.reserve(6);
    file.write_at(4, bytes("ef"));
    EXPECT_FALSE(fs::exists(at("m")));
    file.write_at(0, bytes("abcd"));
    file.keep();
    EXPECT_EQ(read_whole_file(at("m")), "abcdef");
  }
  EXPECT_EQ(read_whole_file(at("m")), "abcdef");
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(fs::status(at("m")).permissions() & fs::perms::group_read, fs::perms::group_read);
}

TEST_P(NewFileTest, WithoutKeepNothingIsLeft) {
  made("m").write_at(0, bytes("half"));
  EXPECT_EQ(entries(), 0u);
}

TEST_P(NewFileTest, WhatIsThereStays) {
  replace_file(at("file"), "mine");
  EXPECT_EQ(refusal(at("file")), taken(at("file")));
  EXPECT_EQ(refusal(folder_), taken(folder_));
  fs::create_symlink("nowhere", at("link"));
  EXPECT_EQ(refusal(at("link")), taken(at("link")));
  EXPECT_EQ(read_whole_file(at("file")), "mine");
  EXPECT_EQ(entries(), 2u);
}

TEST_P(NewFileTest, WhatCameMeanwhileStays) {
  try {
    NewFile file = made("m");
    file.write_at(0, bytes("late"));
    replace_file(at("m"), "first");
    file.keep();
    ADD_FAILURE() << "kept";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), taken(at("m")));
  }
  EXPECT_EQ(read_whole_file(at("m")), "first");
  EXPECT_EQ(entries(), 1u);
}

TEST_P(NewFileTest, PlacesThatCannotBe) {
  replace_file(at("file"), "x");
  EXPECT_EQ(refusal(at("none/m")), at("none/m") + ": its folder does not exist; make it first");
  EXPECT_EQ(refusal(at("file/m")), unwritable(at("file/m"), "Not a directory"));
  EXPECT_EQ(refusal(""), unwritable("", "No such file or directory"));
  const std::string long_name = at(std::string(300, 'n'));
  EXPECT_EQ(refusal(long_name), unwritable(long_name, "File name too long"));
  EXPECT_EQ(entries(), 1u);
}

std::string naming(const testing::TestParamInfo<Naming>& tested) {
  return tested.param == Naming::kWhenWhole ? "WithoutName" : "Temporary";
}

INSTANTIATE_TEST_SUITE_P(Both, NewFileTest, testing::Values(Naming::kWhenWhole, Naming::kTemporary),
                         naming);

class NewFileKilled : public NewFileTest {};

TEST_P(NewFileKilled, LeavesNothing) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    NewFile file = made("m");
    file.write_at(0, bytes("half"));
    ::_exit(entries() == 0 ? ::raise(SIGKILL) : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status)) GTEST_SKIP() << "this file system has no files without a name";
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(entries(), 0u);
}

// Of a writer that was killed the next one removes what it left; of one that lives, nothing.
TEST_P(NewFileTest, WhatAKilledWriterLeftIsRemovedByTheNext) {
  if (GetParam() != Naming::kTemporary) GTEST_SKIP() << "leaves nothing";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    NewFile file = made("m");
    file.write_at(0, bytes("half"));
    ::_exit(::raise(SIGKILL));
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(entries(), 1u);
  replace_file(at("m.unfinished-notes"), "mine");  // no name that a writer gives
  NewFile first = made("m");
  NewFile second = made("m");
  EXPECT_EQ(entries(), 3u) << "both live";
  first.keep();
  EXPECT_EQ(entries(), 3u);
}

TEST_P(NewFileTest, WhatAKilledReplacementLeftIsRemoved) {
  for (const char* name : {"a", "b"}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      NewFile file = NewFile::replace(at(name));
      file.write_at(0, bytes("half"));
      ::_exit(::raise(SIGKILL));
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }
  EXPECT_EQ(entries(), 2u);
  replace_file(at("c.unfinished-marked"), "mine");
  {
    NewFile living = NewFile::replace(at("a"));
    EXPECT_EQ(entries(), 3u) << "the one of its own path is gone";
    NewFile::remove_unfinished(at("."));
    EXPECT_EQ(entries(), 2u) << "that of the other path, too; the living one and a person's stay";
  }
  EXPECT_EQ(read_whole_file(at("c.unfinished-marked")), "mine");
  NewFile::remove_unfinished(at("nowhere"));
}

INSTANTIATE_TEST_SUITE_P(Nameless, NewFileKilled, testing::Values(Naming::kWhenWhole), naming);

}  // namespace
}  // namespace assay
