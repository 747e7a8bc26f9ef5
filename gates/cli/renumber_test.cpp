// Another number for an experiment: whole at every moment, and the way out of a `git merge` that
// left two records with one number.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "gates/cli/borrowed_machine.h"
#include "recorder/renumber.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class Renumbering : public testing::Test {
 protected:
  Renumbering() {
    {
      Store store(workspace.database());
      for (const char* slug : {"first", "second", "third"}) {
        play_proposal(store, slug, definition_text(slug));
      }
      play_red_run(store, "second", "f2");
    }
    EXPECT_EQ(workspace.assay({"index"}).code, 0);
  }
  void expect_green() const {
    const Finished check = workspace.assay({"check"});
    EXPECT_EQ(check.code, 0) << check.out << check.err;
  }
  bool has(const std::string& stem) const {
    return fs::exists(workspace.path("results/records/" + stem + ".json")) &&
           fs::exists(workspace.path("results/records/" + stem + ".md"));
  }
  bool has_none(const std::string& stem) const {
    return !fs::exists(workspace.path("results/records/" + stem + ".json")) &&
           !fs::exists(workspace.path("results/records/" + stem + ".md"));
  }
  void forget_database() const {
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(workspace.database() + end);
  }
  TestWorkspace workspace;
};

TEST_F(Renumbering, ANumberIsDecimalAsItIsShown) {
  EXPECT_EQ(workspace.assay({"renumber", "second", "0012"}).out,
            "second is number 12 now (it was 2); no hash changed\n");
  EXPECT_EQ(workspace.assay({"renumber", "0012", "0018"}).out,
            "second is number 18 now (it was 12); no hash changed\n");
  EXPECT_EQ(workspace.assay({"renumber", "second", "0x12"}).code, 2);
}

TEST_F(Renumbering, WhatIsDecidedIsNotToBeRepeated) {
  fs::create_directories(workspace.path("results/records/0004-second.md"));
  const Finished done = workspace.assay({"renumber", "second"});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(
      done.err.find("second is number 4 now (it was 2); but not all of its files are in place"),
      std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("do not repeat this command"), std::string::npos) << done.err;
  fs::remove(workspace.path("results/records/0004-second.md"));
  EXPECT_EQ(workspace.assay({"index"}).code, 0);
  EXPECT_TRUE(has("0004-second"));
  expect_green();
}

TEST_F(Renumbering, TheNextFreeNumberIsTheDefault) {
  const std::string before = read_text(workspace.path("results/records/0002-second.json"));
  const Finished done = workspace.assay({"renumber", "2"});
  EXPECT_EQ(done.out, "second is number 4 now (it was 2); no hash changed\n");
  EXPECT_EQ(done.err, "");
  EXPECT_TRUE(has("0004-second"));
  EXPECT_TRUE(has_none("0002-second"));
  std::string after = read_text(workspace.path("results/records/0004-second.json"));
  after.replace(after.find("\"number\": 4"), 11, "\"number\": 2");
  EXPECT_EQ(after, before);
  const std::string neighbour = read_text(workspace.path("results/records/0003-third.md"));
  EXPECT_NE(neighbour.find("[0004-second](0004-second.md)"), std::string::npos);
  EXPECT_NE(read_text(workspace.path("results/index.md")).find("**Missing numbers:** 2."),
            std::string::npos);
  expect_green();
  forget_database();
  expect_green();
  EXPECT_EQ(workspace.assay({"renumber", "second", "4"}).out,
            "second has number 4 already; nothing changed\n");
}

TEST_F(Renumbering, ATakenNumberIsRefused) {
  const std::map<std::string, std::string> files = files_of(workspace.root());
  const Finished done = workspace.assay({"renumber", "second", "3"});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err,
            "assay: number 3 is third's; `assay renumber second 4` takes the next free one, "
            "`assay renumber second 3 --swap` exchanges the two; nothing was changed\n");
  EXPECT_EQ(workspace.assay({"renumber", "nobody"}).code, 2);
  EXPECT_EQ(workspace.assay({"renumber", "second", "0"}).code, 2);
  EXPECT_EQ(files_of(workspace.root()), files);
}

TEST_F(Renumbering, AFarNumberIsRefused) {
  const std::map<std::string, std::string> files = files_of(workspace.root());
  for (const char* number : {"10004", "1000000"}) {
    const Finished done = workspace.assay({"renumber", "second", number});
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.err, "assay: renumber: " + std::string(number) +
                            " is too far above 3, the highest number in use: those that are "
                            "proposed later would follow it. 10003 is the highest that can be, and "
                            "any free one below will do; nothing was changed\n");
  }
  EXPECT_EQ(files_of(workspace.root()), files);
  EXPECT_EQ(workspace.assay({"renumber", "second", "10003"}).code, 0);
  expect_green();
}

TEST_F(Renumbering, TwoExchangeTheirNumbers) {
  const TestWorkspace clone;
  fs::copy(workspace.path("results/records"), clone.path("results/records"),
           fs::copy_options::recursive);
  ASSERT_EQ(clone.assay({"index"}).code, 0);
  const Finished done = workspace.assay({"renumber", "second", "3", "--swap"});
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(done.out,
            "second is number 3 now (it was 2), and third is number 2; no hash changed\n");
  EXPECT_TRUE(has("0003-second") && has("0002-third"));
  EXPECT_TRUE(has_none("0002-second") && has_none("0003-third"));
  expect_green();
  // Another clone follows; and so does a new one.
  fs::remove_all(clone.path("results/records"));
  fs::copy(workspace.path("results/records"), clone.path("results/records"),
           fs::copy_options::recursive);
  fs::copy_file(workspace.path("results/index.md"), clone.path("results/index.md"),
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(clone.assay({"check"}).code, 0);
  forget_database();
  expect_green();
  for (const char* number : {"3", "9"}) {
    EXPECT_EQ(workspace.assay({"renumber", "second", number, "--swap"}).code, 2) << number;
  }
  EXPECT_EQ(workspace.assay({"renumber", "second", "--swap"}).code, 2);
}

TEST_F(Renumbering, AnExchangeThatWasKilledIsFinishedByTheNextCommand) {
  {
    Store store(workspace.database());
    begin_swap(store, workspace.root(), {2, "second"}, {3, "third"},
               {"renumber", "assay renumber", nullptr});
    EXPECT_TRUE(import_workspace(store, workspace.root()).findings.empty());
    EXPECT_EQ(store.find("second")->number, 3);
  }
  EXPECT_EQ(workspace.assay({"query"}).code, 0);
  EXPECT_TRUE(has("0003-second") && has("0002-third"));
  EXPECT_TRUE(has_none("0002-second") && has_none("0003-third"));
  expect_green();
}

// Killed after each of its steps: every command finishes it.
TEST_F(Renumbering, ADeadOneIsFinishedByTheNextCommand) {
  const std::string stem = workspace.path("results/records/0002-second");
  for (int step = 0; step < 4; ++step) {
    const int number = 10 + step;
    const std::string old_stem =
        step == 0 ? stem
                  : workspace.path("results/records/00" + std::to_string(number - 1) + "-second");
    {
      Store store(workspace.database());
      ASSERT_TRUE(begin_renumber(store, workspace.root(), {number, "second"},
                                 {"renumber", "assay renumber", nullptr}));
      if (step >= 1) write_record_json(store, {number, "second"}, workspace.root());
    }
    if (step >= 2) fs::remove(old_stem + ".json");
    if (step >= 3) fs::remove(old_stem + ".md");
    {
      // One that reads while another command holds the lock: the label stays, nothing is found.
      Store store(workspace.database());
      EXPECT_TRUE(import_workspace(store, workspace.root()).findings.empty()) << step;
      EXPECT_EQ(store.find("second")->number, number) << step;
    }
    const Finished query = workspace.assay(
        {"query", "--format", "csv", "--sql", "SELECT number FROM label WHERE slug = 'second'"});
    EXPECT_EQ(query.code, 0) << step << query.err;
    EXPECT_EQ(query.out, "number\r\n" + std::to_string(number) + "\r\n");
    EXPECT_TRUE(has("00" + std::to_string(number) + "-second")) << step;
    EXPECT_FALSE(fs::exists(old_stem + ".json")) << step;
    EXPECT_FALSE(fs::exists(old_stem + ".md")) << step;
    expect_green();
  }
}

// What another clone renumbered comes with `git pull` as a file of another name.
TEST_F(Renumbering, ARenamedRecordIsFollowed) {
  const TestWorkspace clone;
  fs::remove_all(clone.path("results/records"));
  fs::copy(workspace.path("results/records"), clone.path("results/records"),
           fs::copy_options::recursive);
  ASSERT_EQ(clone.assay({"index"}).code, 0);
  ASSERT_EQ(clone.assay({"renumber", "first", "9"}).code, 0);
  ASSERT_EQ(clone.assay({"renumber", "second", "1"}).code, 0);
  fs::remove_all(workspace.path("results/records"));
  fs::copy(clone.path("results/records"), workspace.path("results/records"),
           fs::copy_options::recursive);
  fs::copy_file(clone.path("results/index.md"), workspace.path("results/index.md"),
                fs::copy_options::overwrite_existing);
  const Finished check = workspace.assay({"check"});
  EXPECT_EQ(check.code, 0) << check.out;
  EXPECT_EQ(check.err,
            "assay: first is number 9 now (it was 1), as results/records/0009-first.json says\n"
            "assay: second is number 1 now (it was 2), as results/records/0001-second.json says\n");
}

// Two branches gave number 4 away.
class MergedBranches : public Renumbering {
 protected:
  MergedBranches() {
    const TestWorkspace branch;
    fs::remove_all(branch.path("results/records"));
    fs::copy(workspace.path("results/records"), branch.path("results/records"),
             fs::copy_options::recursive);
    for (const auto& [at, slug] : std::vector<std::pair<const TestWorkspace*, const char*>>{
             {&workspace, "ours"}, {&branch, "theirs"}}) {
      EXPECT_EQ(at->assay({"index"}).code, 0);
      {
        Store store(at->database());
        play_proposal(store, slug, definition_text(slug));
      }
      EXPECT_EQ(at->assay({"index"}).code, 0);
    }
    for (const char* end : {".json", ".md"}) {
      const std::string name = std::string("results/records/0004-theirs") + end;
      fs::copy_file(branch.path(name), workspace.path(name));
    }
  }
  const std::string clash =
      "results/records/0004-theirs.json:4: number 4 is ours here, and theirs there: `assay "
      "renumber "
      "theirs 5`, or `assay renumber ours 5`";
};

TEST_F(MergedBranches, EveryCommandNamesTheClash) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"query"},
                                                  {"show", "first"},
                                                  {"report", "second"},
                                                  {"check"},
                                                  {"index"},
                                                  {"note", "first", "x"},
                                                  {"export", "x.assay"}}) {
    const Finished done = workspace.assay(command);
    EXPECT_EQ(done.code, 3) << command[0];
    EXPECT_NE((done.out + done.err).find(clash + "\n"), std::string::npos)
        << command[0] << ": " << done.out << done.err;
  }
}

TEST_F(MergedBranches, RenumberSettlesTheNewcomer) {
  const Finished done = workspace.assay({"renumber", "theirs", "5"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "theirs is number 5 now (it was 4); no hash changed\n");
  EXPECT_TRUE(has("0005-theirs"));
  EXPECT_TRUE(has_none("0004-theirs"));
  EXPECT_TRUE(has("0004-ours"));
  expect_green();
  forget_database();
  expect_green();
}

TEST_F(MergedBranches, RenumberSettlesTheOneThatIsHere) {
  const Finished done = workspace.assay({"renumber", "ours"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has("0005-ours"));
  EXPECT_TRUE(has("0004-theirs"));
  EXPECT_TRUE(has_none("0004-ours"));
  expect_green();
  const Finished vague = workspace.assay({"renumber", "4", "8"});
  EXPECT_EQ(vague.code, 0) << vague.err;
}

TEST_F(MergedBranches, ANumberThatMeansTwoIsNoName) {
  const Finished done = workspace.assay({"renumber", "4"});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err, "assay: renumber: number 4 is ours and theirs: name the one by its slug\n");
}

// A clone of the merged branches, without a database.
TEST_F(MergedBranches, AFreshCloneSettlesItToo) {
  forget_database();
  EXPECT_EQ(workspace.assay({"renumber", "theirs"}).code, 0);
  expect_green();
}

// Beside the clash another record is damaged: what can be settled is, and the rest is said.
TEST_F(MergedBranches, OtherFaultsDoNotStandInTheWay) {
  write_text(workspace.path("results/records/0003-third.json"), "{\n");
  forget_database();
  const Finished done = workspace.assay({"renumber", "theirs", "5"});
  EXPECT_EQ(done.code, 3);
  EXPECT_EQ(done.out, "theirs is number 5 now (it was 4); no hash changed\n");
  EXPECT_TRUE(done.err.ends_with(
      "`assay index`\nassay: documents are written once this is mended, by the next command\n"))
      << done.err;
  fs::remove(workspace.path("results/records/0003-third.json"));
  fs::remove(workspace.path("results/records/0003-third.md"));
  EXPECT_EQ(workspace.assay({"query"}).code, 0);
  EXPECT_TRUE(has("0005-theirs"));
  expect_green();
}

// One branch renumbered what the other went on with: two files of one experiment.
TEST_F(Renumbering, TwoFilesOfOneExperimentBecomeOne) {
  std::string text = read_text(workspace.path("results/records/0002-second.json"));
  text.replace(text.find("\"number\": 2"), 11, "\"number\": 6");
  write_text(workspace.path("results/records/0006-second.json"), text);
  const Finished query = workspace.assay({"query"});
  EXPECT_EQ(query.code, 3);
  EXPECT_EQ(query.err,
            "assay: results/records/0006-second.json:6: second is number 2 here, and number 6 "
            "there: `assay renumber second 6` makes one record of both\n");
  EXPECT_EQ(workspace.assay({"renumber", "second", "6"}).code, 0);
  EXPECT_TRUE(has("0006-second"));
  EXPECT_TRUE(has_none("0002-second"));
  expect_green();
}

TEST_F(Renumbering, LabelsStayAppendOnly) {
  ASSERT_EQ(workspace.assay({"renumber", "second", "8"}).code, 0);
  EXPECT_THROW(tamper(workspace.database(), "UPDATE label SET number = 20 WHERE slug = 'second'"),
               std::exception);
}

// A question holds no lock of the workspace. It must not take a file that is on its way for one
// that was renamed, and so give a label its old number.
TEST(QuestionsBesideExchanges, ChangeNothing) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    for (const char* slug : {"one", "two", "three"}) {
      play_proposal(store, slug, definition_text(slug));
    }
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!done) workspace.assay({"query"});
    });
  }
  for (int i = 0; i < 40; ++i) {
    const Finished swap = workspace.assay({"renumber", "one", i % 2 == 0 ? "2" : "1", "--swap"});
    EXPECT_EQ(swap.code, 0) << i << swap.err;
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  const Finished check = workspace.assay({"check"});
  EXPECT_EQ(check.code, 0) << check.out;
  EXPECT_EQ(Store(workspace.database()).find("one")->number, 1);
}

}  // namespace
}  // namespace assay
