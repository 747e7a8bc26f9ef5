// Histories that cannot be read whole, or not be written: what is there is told, and the exit code
// says that it is not all.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gates/cli/driven_program.h"
#include "recorder/sqlite_connection.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Three proposals, committed, their database gone; the first record is cut off.
class DamagedHistory : public ::testing::Test {
 protected:
  void SetUp() override {
    {
      Store store(workspace.database());
      for (const char* slug : {"first", "second", "third"}) {
        play_proposal(store, slug, definition_text(slug));
      }
    }
    ASSERT_EQ(workspace.assay({"index"}).code, 0);
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(workspace.database() + end);
    whole = read_text(record);
    write_text(record, "{\n");
  }
  TestWorkspace workspace;
  std::string record = workspace.path("results/records/0001-first.json");
  std::string whole;
  const std::string finding =
      "results/records/0001-first.json:2: not JSON: cut off, edited, or with a merge conflict in "
      "it; restore it (git checkout -- results/records/0001-first.json), or move it away and run "
      "`assay index`";
  const std::string imported =
      "assay: imported 1 run from results/records/0002-second.json\n"
      "assay: imported 1 run from results/records/0003-third.json\n";
};

TEST_F(DamagedHistory, ReadingCommandsAnswerFromTheRestAndEndWith3) {
  const Finished query = workspace.assay({"query", "--json"});
  EXPECT_EQ(query.code, 3);
  EXPECT_EQ(query.err, imported + "assay: " + finding + "\n");
  EXPECT_EQ(nlohmann::json::parse(query.out).size(), 2u);
  const Finished sql =
      workspace.assay({"query", "--format", "csv", "--sql", "SELECT count(*) AS n FROM label"});
  EXPECT_EQ(sql.code, 3);
  EXPECT_EQ(sql.out, "n\r\n2\r\n");
  const Finished show = workspace.assay({"show", "third"});
  EXPECT_EQ(show.code, 3);
  EXPECT_NE(show.out.find("KV tile length"), std::string::npos) << show.out;
  const Finished lost = workspace.assay({"show", "first"});
  EXPECT_EQ(lost.code, 3);
  EXPECT_EQ(lost.err, "assay: " + finding +
                          "\nassay: no experiment first among those that could be read; mend the "
                          "records first\n");
}

TEST_F(DamagedHistory, CheckHasOneFindingForOneFile) {
  const Finished check = workspace.assay({"check"});
  EXPECT_EQ(check.code, 3);
  EXPECT_EQ(check.err, imported);
  EXPECT_EQ(check.out, finding + "\ncheck: 2 experiments, 2 runs, 0 verdicts: 1 finding\n");
}

TEST_F(DamagedHistory, WritingCommandsRefuseBeforeTheyWrite) {
  const std::string index = read_text(workspace.path("results/index.md"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"index"},
        {"note", "third", "text"},
        {"close", "third", "--as", "closed", "--because", "x"}}) {
    const Finished done = workspace.assay(command);
    EXPECT_EQ(done.code, 3) << command[0];
    EXPECT_EQ(done.out, "") << command[0];
    const std::string end = "assay: " + finding +
                            "\nassay: nothing was written: 1 committed record above has to be "
                            "mended first, since the history is not whole without it\n";
    EXPECT_TRUE(done.err.ends_with(end)) << done.err;
  }
  EXPECT_EQ(read_text(workspace.path("results/index.md")), index);
  EXPECT_EQ(read_text(record), "{\n");
  EXPECT_FALSE(fs::exists(workspace.path("experiments/notes/third.md")));
  write_text(record, whole);
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
}

TEST_F(DamagedHistory, NothingIsTidiedUpUntilItIsMended) {
  const std::string index = read_text(workspace.path("results/index.md"));
  ASSERT_EQ(workspace.assay({"query"}).code, 3);
  {
    Store store(workspace.database());
    open_attempt_run(store, "third", "f1");  // and its process is gone
  }
  EXPECT_EQ(workspace.assay({"query"}).err, "assay: " + finding + "\n");
  EXPECT_EQ(Store(workspace.database()).unfinished_runs().size(), 1u);
  EXPECT_EQ(read_text(workspace.path("results/index.md")), index);
  write_text(record, whole);
  EXPECT_EQ(workspace.assay({"query"}).code, 0);
  EXPECT_TRUE(Store(workspace.database()).unfinished_runs().empty());
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
}

TEST(Obstacles, AFolderInThePlaceOfNotesIsOneFinding) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "first", definition_text("first"));
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  fs::create_directories(workspace.path("experiments/notes/first.md"));
  const std::string line = "experiments/notes/first.md: is a folder; a file belongs there";
  const Finished check = workspace.assay({"check"});
  EXPECT_EQ(check.code, 3);
  EXPECT_EQ(check.out, line + "\ncheck: 1 experiment, 1 run, 0 verdicts: 1 finding\n");
  for (const char* command : {"show", "index"}) {
    std::vector<std::string> words{command};
    if (words[0] == "show") words.push_back("first");
    const Finished done = workspace.assay(words);
    EXPECT_EQ(done.code, 2) << command;
    EXPECT_EQ(done.err, "assay: " + line + "\n");
  }
}

TEST(Obstacles, AFileThatIsNoDatabaseIsSaidOnce) {
  const TestWorkspace workspace;
  write_text(workspace.database(), std::string("SQLite format 3") + '\0' + "and then garbage");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"query"}, {"check"}, {"show", "1"}, {"index"}}) {
    const Finished done = workspace.assay(command);
    EXPECT_EQ(done.code, 2) << command[0];
    EXPECT_EQ(done.out, "") << command[0];
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_EQ(done.err.find("assay: " + workspace.database() + ": "), 0u) << done.err;
  }
}

// What the program says to somebody who may read the workspace and not write it.
Finished as_reader(const TestWorkspace& workspace, const std::vector<std::string>& command) {
  const TemporaryFolder answers;
  EXPECT_EQ(chmod(answers.path().c_str(), 0777), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(99);
    const Finished done = workspace.assay(command);
    write_text(answers.path() + "/out", done.out);
    write_text(answers.path() + "/err", done.err);
    _exit(done.code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WEXITSTATUS(status), read_text(answers.path() + "/out"),
          read_text(answers.path() + "/err")};
}

TEST(ReadOnlyWorkspace, CanBeAskedAndNotWritten) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "first", definition_text("first"));
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  const std::string asked = workspace.assay({"query"}).out;
  fs::remove(workspace.path("results/assay.lock"));
  chmod(workspace.root().c_str(), 0755);
  chmod(workspace.path("results").c_str(), 0555);
  const Finished able = as_reader(workspace, {"--version"});
  if (able.code != 0) GTEST_SKIP() << "another user may not run this build";
  for (const bool database : {true, false}) {
    const Finished query = as_reader(workspace, {"query"});
    EXPECT_EQ(query.code, 0);
    EXPECT_EQ(query.out, asked);
    EXPECT_EQ(query.err, "");
    EXPECT_EQ(as_reader(workspace, {"show", "first"}).code, 0);
    EXPECT_EQ(as_reader(workspace, {"check"}).out,
              "check: 1 experiment, 1 run, 0 verdicts: files, chain and verdicts agree\n");
    EXPECT_EQ(as_reader(workspace,
                        {"query", "--format", "csv", "--sql", "SELECT count(*) AS n FROM label"})
                  .out,
              "n\r\n1\r\n");
    const Finished note = as_reader(workspace, {"note", "first", "text"});
    EXPECT_EQ(note.code, 2);
    EXPECT_EQ(note.err, "assay: " + fs::canonical(workspace.root()).string() +
                            "/results/assay.lock: cannot be written: Permission denied; make the "
                            "workspace writable, or name another with --workspace\n");
    if (!database) break;
    chmod(workspace.path("results").c_str(), 0755);
    fs::remove(workspace.database());
    fs::remove(workspace.path("results/assay.lock"));
    chmod(workspace.path("results").c_str(), 0555);
  }
  chmod(workspace.path("results").c_str(), 0755);
}

TEST(Obstacles, NotesThatCannotBeReadAreInNoAnswerAndThatIsSaid) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "first", definition_text("first"));
  }
  ASSERT_EQ(workspace.assay({"note", "first", "a zebra"}).code, 0);
  const std::string notes = workspace.path("experiments/notes/first.md");
  EXPECT_EQ(workspace.assay({"tried", "zebra"}).code, 0);
  for (const char* in_its_place : {"link", "folder"}) {
    fs::remove(notes);
    if (std::string(in_its_place) == "link") fs::create_symlink(workspace.path("nothing"), notes);
    if (std::string(in_its_place) == "folder") fs::create_directory(notes);
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"tried", "zebra"}, {"query", "--text", "zebra"}}) {
      const Finished done = workspace.assay(words);
      EXPECT_EQ(done.code, 3) << words[0] << " " << in_its_place;
      EXPECT_NE(done.err.find("assay: experiments/notes/first.md: cannot be read: "),
                std::string::npos)
          << done.err;
    }
  }
  fs::remove(notes);
  write_text(notes, "## Lessons\n\na zebra\n");
  const Finished again = workspace.assay({"tried", "zebra"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("tried: 1 experiment"), std::string::npos) << again.out;
}

TEST(Obstacles, WhatQuestionsAreAnsweredFromIsNamedWhereItIsDamaged) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "first", definition_text("first"));
  }
  ASSERT_EQ(workspace.assay({"query"}).code, 0);
  for (const char* facts : {"{}", "{bad", "[]"}) {
    {
      Connection(workspace.database(), SQLITE_OPEN_READWRITE)
          .execute("UPDATE catalog SET facts = '" + std::string(facts) + "'");
    }
    const Finished query = workspace.assay({"query"});
    EXPECT_EQ(query.code, 3) << facts;
    EXPECT_NE(query.err.find("`assay index --all` makes it anew"), std::string::npos) << query.err;
    EXPECT_EQ(workspace.assay({"index", "--all"}).code, 0);
    EXPECT_EQ(workspace.assay({"query"}).code, 0);
  }
}

// Where bytes of the file were overwritten, and SQLite sees nothing wrong.
TEST(Obstacles, OverwrittenBytesAreFindingsWhereverTheyLie) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "first", definition_text("first"));
    play_timed_run(store, "first", "f1", {});
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  const std::string whole = read_text(workspace.database());
  int found = 0;
  for (const char* what : {"\"kind\"", "run-opened", "pair_sd", "worker_ns", "definition_sha256",
                           "2026-", "\"estimate\"", "Z{\""}) {
    for (const std::string& with :
         {std::string("\xaa\xaa"), std::string("}\""), std::string(2, 0)}) {
      const std::size_t at = whole.find(what);
      if (at == std::string::npos) continue;
      std::string damaged = whole;
      damaged.replace(at + 1, 2, with);
      for (const char* end : {"-wal", "-shm"}) fs::remove(workspace.database() + end);
      write_text(workspace.database(), damaged);
      for (const std::vector<std::string>& words :
           std::vector<std::vector<std::string>>{{"check"}, {"check", "--json"}}) {
        const Finished check = workspace.assay(words);
        EXPECT_NE(check.code, 1) << what << check.err;
        found += check.code == 3;
      }
    }
  }
  EXPECT_GE(found, 20);
}

TEST(Obstacles, AProposalWhoseRecordCannotBeWrittenIsMendedByTheNext) {
  const TestWorkspace workspace;
  const std::string definition = workspace.path("experiments/definitions/first.yaml");
  write_text(definition, definition_text("first"));
  fs::create_directories(workspace.path("results/index.md"));
  const Finished done = workspace.assay({"propose", definition});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err,
            "assay: 0001 first: what this command had to record is kept, but not all of its "
            "documents are written: results/index.md: is a folder; a file belongs there; do not "
            "repeat this command: `assay index` writes what is missing\n");
  EXPECT_EQ(fold(Store(workspace.database()).events("first")).state, ExperimentState::kProposed);
  fs::remove(workspace.path("results/index.md"));
  EXPECT_EQ(workspace.assay({"propose", definition}).code, 0);
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
}

}  // namespace
}  // namespace assay
