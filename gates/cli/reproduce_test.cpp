// What `assay reproduce` says where it cannot, and how a commit is built again: with a repository
// of two files in place of this one. What a replication measures is in gates/replicate_test.cpp.
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "gates/cli/child_process.h"
#include "gates/cli/driven_program.h"
#include "gates/cli/rebuilt_worker.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class Rebuilt : public ::testing::Test {
 protected:
  void SetUp() override {
    root = folder.path() + "/repository";
    write_text(root + "/CMakePresets.json",
               "{\"version\": 3, \"configurePresets\": [{\"name\": \"cpu\", \"generator\": "
               "\"Ninja\", \"binaryDir\": \"${sourceDir}/build/cpu\"}]}\n");
    write_text(
        root + "/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(two NONE)\n"
        "add_custom_target(assay)\n"
        "add_custom_target(assay-worker COMMAND ${CMAKE_COMMAND} -E make_directory bin\n"
        "  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/kernel.cpp bin/assay-worker)\n");
    write_text(root + "/experiments/in_service.yaml", "version: 1\n");
    write_text(root + "/kernel.cpp", "first\n");
    git({"init", "--quiet"});
    commit();
    order.id = "0007 tile";
    order.root = root;
    order.tree = head();
    order.sources = {{"kernel.cpp", sha256_hex("first\n")}};
    write_text(root + "/kernel.cpp", "second\n");
    commit();
  }
  void git(std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-C", root, "-c", "user.name=n", "-c", "user.email=e"});
    ASSERT_EQ(run_child(words), 0);
  }
  void commit() {
    git({"add", "-A"});
    git({"commit", "--quiet", "-m", "m"});
  }
  std::string head() { return first_line_of({"git", "-C", root, "rev-parse", "HEAD"}); }
  std::string refusal() {
    try {
      const RebuiltWorker worker(order);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "built";
  }

  TemporaryFolder folder;
  std::string root;
  RebuildOrder order;
};

constexpr const char* kAsBuilt =
    "`--as-built` runs it with the present build where the code of its variants is still the same";

TEST_F(Rebuilt, FoldersMadeForItGoWithIt) {
  order.folder = folder.path() + "/one/two/three";
  EXPECT_TRUE(fs::exists(RebuiltWorker(order).worker()));
  EXPECT_FALSE(fs::exists(folder.path() + "/one"));
  order.sources = {{"kernel.cpp", sha256_hex("other\n")}};
  EXPECT_NE(refusal(), "built");
  EXPECT_FALSE(fs::exists(folder.path() + "/one"));
  fs::create_directories(folder.path() + "/one");
  EXPECT_NE(refusal(), "built");
  EXPECT_TRUE(fs::is_empty(folder.path() + "/one"));
}

TEST_F(Rebuilt, IsTheRecordedCommitAndGoesAwayAgain) {
  std::string place;
  {
    const RebuiltWorker worker(order);
    place = worker.folder();
    EXPECT_EQ(place, root + "/build/reproduce/" + order.tree.substr(0, 12));
    EXPECT_EQ(read_text(worker.worker()), "first\n");
    EXPECT_EQ(worker.map_text("in_service.yaml"), "version: 1\n");
    EXPECT_EQ(worker.map_text("seeds.yaml"), "");
  }
  EXPECT_FALSE(fs::exists(place));
  EXPECT_EQ(first_line_of({"sh", "-c", "git -C '" + root + "' worktree list | wc -l"}), "1");
  EXPECT_EQ(read_text(root + "/kernel.cpp"), "second\n");
}

TEST_F(Rebuilt, AFolderThatWasLeftBehindIsNoObstacleAndANamedOneIs) {
  write_text(root + "/build/reproduce/" + order.tree.substr(0, 12) + "/left", "x");
  EXPECT_EQ(refusal(), "built");
  order.folder = folder.path() + "/mine";
  write_text(order.folder + "/thesis.txt", "x");
  EXPECT_EQ(refusal(), "0007 tile cannot be built again: " + order.folder +
                           " is there already: name another folder with --dir, or move it away");
  EXPECT_TRUE(fs::exists(order.folder + "/thesis.txt"));
}

TEST_F(Rebuilt, KeepLeavesIt) {
  order.folder = folder.path() + "/kept";
  order.keep = true;
  EXPECT_EQ(refusal(), "built");
  EXPECT_EQ(read_text(order.folder + "/build/cpu/bin/assay-worker"), "first\n");
}

TEST_F(Rebuilt, RefusesWhatItCannotKnow) {
  const std::string commit = order.tree;
  order.tree = "unknown";
  EXPECT_EQ(refusal(),
            std::string("0007 tile cannot be built again: its record does not say from which "
                        "commit its worker was built (tree unknown): ") +
                kAsBuilt);
  order.tree = commit + "-dirty";
  EXPECT_EQ(refusal(), "0007 tile cannot be built again: its worker was built from " +
                           commit.substr(0, 12) +
                           " with changes that were not committed: " + kAsBuilt);
  order.tree = std::string(40, 'a');
  EXPECT_EQ(refusal(),
            std::string("0007 tile cannot be built again: commit aaaaaaaaaaaa is not known here: "
                        "`git fetch` it from where it was made, or ") +
                kAsBuilt);
  order.tree = commit;
  order.sources["kernel.cpp"] = sha256_hex("another\n");
  EXPECT_EQ(refusal(),
            "0007 tile cannot be built again: the source that its record keeps of "
            "kernel.cpp is not that of commit " +
                commit.substr(0, 12) + ": the record was not made from that commit alone; " +
                kAsBuilt);
  EXPECT_FALSE(fs::exists(root + "/build/reproduce/" + commit.substr(0, 12)));
}

TEST_F(Rebuilt, OutsideOfARepositoryItSaysSo) {
  order.root = folder.path();
  EXPECT_EQ(refusal(), "0007 tile cannot be built again: " + folder.path() +
                           " is in no git repository, or git is not here: reproduce it in a "
                           "clone, or " +
                           kAsBuilt);
}

TEST_F(Rebuilt, WhatDoesNotBuildIsRemovedToo) {
  write_text(root + "/CMakeLists.txt", "this is not cmake\n");
  commit();
  order.tree = head();
  order.sources.clear();
  const std::string place = root + "/build/reproduce/" + order.tree.substr(0, 12);
  EXPECT_EQ(refusal(), "0007 tile cannot be built again: `cmake --preset` ended with 1 in " +
                           place + ": see what it says above; --keep leaves the folder for a look");
  EXPECT_FALSE(fs::exists(place));
}

TEST(Reproduce, SaysWhatStandsInTheWay) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "asked-one", definition_text("asked-one"));
    play_proposal(store, "red-one", definition_text("red-one"));
    play_red_run(store, "red-one", "f1");
  }
  EXPECT_EQ(workspace.assay({"reproduce", "asked-one"}).err,
            "assay: asked-one is proposed and has no verdict that could be reproduced: `assay run "
            "asked-one` gives it one\n");
  EXPECT_EQ(workspace.assay({"reproduce", "red-one", "--attempt", "2"}).err,
            "assay: red-one has no attempt 2 with a verdict: `assay show red-one` shows those "
            "there are\n");
  EXPECT_EQ(workspace.assay({"reproduce", "red-one", "--as-built", "--keep"}).err,
            "assay: reproduce: --as-built builds nothing, so --dir and --keep say nothing to "
            "it\n");
  const Finished nothing = workspace.assay({"reproduce", "no-such"});
  EXPECT_EQ(nothing.code, 2);
}

}  // namespace
}  // namespace assay
