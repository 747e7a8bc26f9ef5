// Opening a workspace: where it is found, and what an earlier command left behind.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/core/sha256.h"
#include "gates/cli/driven_program.h"
#include "gates/cli/program_path.h"
#include "recorder/document.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// A run of `slug` whose LAND is recorded and whose file change is not made yet.
void play_land_without_file(Store& store, const std::string& slug, const std::string& before,
                            const std::string& after) {
  play_proposal(store, slug, definition_text(slug));
  const std::string run = open_attempt_run(store, slug, "f1");
  VerdictBody verdict;
  verdict.attempt = 1;
  verdict.verdict = "LAND";
  verdict.effect = {{"estimate", 0.12}, {"low", 0.1}, {"high", 0.14}, {"pairs", 12}};
  verdict.intents = {{"experiments/in_service.yaml", sha256_hex(before), after}};
  store.append(run, EventKind::kVerdict, verdict);
}

std::string landed_text(const std::string& text, const std::string& slug) {
  std::string landed = text;
  const std::string row = "variant: \"attention_prefill.cpu.avx2[tkv=32]\", by: incumbent";
  const std::size_t at = landed.find(row);
  EXPECT_NE(at, std::string::npos);
  return landed.replace(at, row.size(),
                        "variant: \"attention_prefill.cpu.avx2[tkv=64]\", by: " + slug);
}

TEST(Workspace, OneWhoseMapIsGoneIsToldFromNone) {
  const TestWorkspace workspace;
  fs::create_directory(workspace.path("results/records"));
  fs::remove(workspace.path("experiments/in_service.yaml"));
  const std::string root = fs::canonical(workspace.root()).string();
  const auto said = [](const std::string& folder) {
    return "assay: " + folder +
           ": experiments/in_service.yaml is missing, the map by which a workspace is known; "
           "restore it (git -C " +
           folder + " checkout -- experiments/in_service.yaml)\n";
  };
  const Finished here = workspace.assay({"query"});
  EXPECT_EQ(here.code, 2);
  EXPECT_EQ(here.err, said(root));
  EXPECT_EQ(run_assay(workspace.path("results"), {"query"}).err, said(root));
  EXPECT_EQ(run_assay("/", {"query", "--workspace", workspace.root()}).err, said(workspace.root()));
}

TEST(Workspace, AFolderThatWasDeletedIsSaidToBe) {
  const TemporaryFolder folder;
  const std::string program = std::string(ASSAY_BIN) + "/assay";
  const std::string script =
      "cd " + folder.path() + " && mkdir gone && cd gone && rmdir ../gone && " + program + " query";
  ASSERT_NE(std::system(("(" + script + ") 2> " + folder.path() + "/err").c_str()), 0);
  EXPECT_EQ(read_text(folder.path() + "/err"),
            "assay: the current folder cannot be told (No such file or directory): it was deleted, "
            "or is out of reach; go into one that is there\n");
}

TEST(Workspace, NoneHereSaysWhatWasLookedFor) {
  const TemporaryFolder folder;
  const Finished done = run_assay(folder.path(), {"query"});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err, "assay: no workspace here: neither " + fs::canonical(folder.path()).string() +
                          " nor any folder above it holds experiments/in_service.yaml; go into a "
                          "workspace, or name one with --workspace DIR\n");
}

TEST(Workspace, NamedOneMustBeOne) {
  const TemporaryFolder folder;
  const Finished done = run_assay("/", {"index", "--workspace", folder.path()});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err, "assay: --workspace " + folder.path() +
                          ": not a workspace: it holds no experiments/in_service.yaml\n");
}

TEST(Workspace, FoundFromAFolderInsideIt) {
  const TestWorkspace workspace;
  fs::create_directories(workspace.path("kernels/deep"));
  const Finished done = run_assay(workspace.path("kernels/deep"), {"index"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(fs::exists(workspace.database()));
  EXPECT_TRUE(fs::exists(workspace.path("results/index.md")));
}

TEST(Workspace, DatabaseElsewhere) {
  const TestWorkspace workspace;
  const TemporaryFolder elsewhere;
  const std::string database = elsewhere.path() + "/history.db";
  EXPECT_EQ(workspace.assay({"index", "--db", database}).code, 0);
  EXPECT_TRUE(fs::exists(database));
  EXPECT_FALSE(fs::exists(workspace.database()));
}

TEST(Workspace, ReadingGoesOnWhileAnotherCommandHoldsTheLock) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "kv-tile", definition_text("kv-tile"));
  }
  const WorkspaceLock lock(workspace.root(), "", {.who = "assay run"});
  Store store(workspace.database());
  open_attempt_run(store, "kv-tile", "f1");  // as a live `run` would have it
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"query", "--format", "json"}, {"show", "1"}, {"levers"}}) {
    const Finished done = workspace.assay(command);
    EXPECT_EQ(done.code, 0) << command[0] << ": " << done.err;
  }
  EXPECT_EQ(store.unfinished_runs().size(), 1u);  // left alone
  const Finished note = workspace.assay({"note", "1", "text"});
  EXPECT_EQ(note.code, 2);
  const std::string holder =
      "process " + std::to_string(getpid()) + " (assay run) is at work in this workspace";
  EXPECT_EQ(note.err, "assay: waiting: " + holder +
                          "\nassay: " + fs::canonical(workspace.root()).string() +
                          "/results/assay.lock: " + holder + "; wait for it or end it\n");
}

TEST(Workspace, DeadRunIsEndedOnceAndKept) {
  const TestWorkspace workspace;
  std::string run;
  {
    Store store(workspace.database());
    play_proposal(store, "kv-tile", definition_text("kv-tile"));
    run = open_attempt_run(store, "kv-tile", "f1");
  }
  const Finished first = workspace.assay({"query"});
  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(first.err,
            "assay: kv-tile: an earlier run was killed before its end; what it recorded is kept\n");
  EXPECT_EQ(workspace.assay({"query"}).err, "");
  const Store store(workspace.database());
  const std::vector<Event> events = store.run_events(run);
  EXPECT_EQ(events.back().kind, EventKind::kRunEnded);
  EXPECT_EQ(events.back().body.get<RunEnded>().outcome, "killed");
  EXPECT_EQ(events[events.size() - 2].kind, EventKind::kAttemptOpened);
  EXPECT_TRUE(fs::exists(workspace.path("results/records/0001-kv-tile.json")));
}

TEST(Workspace, InterruptedLandIsCompletedByTheNextCommand) {
  const TestWorkspace workspace;
  const std::string file = workspace.path("experiments/in_service.yaml");
  const std::string before = read_text(file);
  const std::string after = landed_text(before, "kv-tile");
  {
    Store store(workspace.database());
    play_land_without_file(store, "kv-tile", before, after);
  }
  const Finished done = workspace.assay({"index"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err, "assay: kv-tile: landed: experiments/in_service.yaml now has it\n");
  EXPECT_EQ(read_text(file), after);
  const Store store(workspace.database());
  EXPECT_TRUE(store.unfinished_runs().empty());
  EXPECT_EQ(fold(store.events("kv-tile")).state, ExperimentState::kLanded);
  EXPECT_TRUE(fold(store.events("kv-tile")).applied);
}

TEST(Workspace, LandOverAnEditedFileWaitsForApply) {
  const TestWorkspace workspace;
  const std::string file = workspace.path("experiments/in_service.yaml");
  const std::string before = read_text(file);
  const std::string after = landed_text(before, "kv-tile");
  {
    Store store(workspace.database());
    play_land_without_file(store, "kv-tile", before, after);
  }
  const std::string edited = "# edited by hand\n" + before;
  write_text(file, edited);

  const Finished index = workspace.assay({"index"});
  EXPECT_EQ(index.code, 2);
  EXPECT_NE(index.err.find("assay apply kv-tile"), std::string::npos) << index.err;
  const Finished query = workspace.assay({"query", "--format", "json"});
  EXPECT_EQ(query.code, 0);
  EXPECT_NE(query.err.find("assay apply kv-tile"), std::string::npos);
  EXPECT_EQ(read_text(file), edited);

  const Finished apply = workspace.assay({"apply", "1"});
  EXPECT_EQ(apply.code, 0) << apply.err;
  EXPECT_EQ(apply.out, "0001 kv-tile: experiments/in_service.yaml has the landed row now\n");
  EXPECT_NE(read_text(file).find("attention_prefill.cpu.avx2[tkv=64]\", by: kv-tile"),
            std::string::npos);
  EXPECT_EQ(workspace.assay({"apply", "1"}).out,
            "0001 kv-tile: no LAND is waiting to be applied; nothing changed\n");
  EXPECT_EQ(workspace.assay({"index"}).code, 0);
}

TEST(Workspace, DiscardedLandLeavesTheFileAndEndsTheRun) {
  const TestWorkspace workspace;
  const std::string file = workspace.path("experiments/in_service.yaml");
  const std::string before = read_text(file);
  {
    Store store(workspace.database());
    play_land_without_file(store, "kv-tile", before, landed_text(before, "kv-tile"));
  }
  const std::string edited = before + "# kept\n";
  write_text(file, edited);
  const Finished done = workspace.assay({"apply", "kv-tile", "--discard"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(
      done.out,
      "0001 kv-tile: the LAND stays on record, and experiments/in_service.yaml stays as it is\n");
  EXPECT_EQ(read_text(file), edited);
  EXPECT_EQ(workspace.assay({"index"}).code, 0);
}

TEST(Workspace, TemporaryFilesOfKilledWritersGo) {
  const TestWorkspace workspace;
  for (const char* path : {"experiments/in_service.yaml", "results/records/0001-a.md"}) {
    write_text(workspace.path(path + std::string(".unfinished-a1B2c3")), "half");
    fs::permissions(workspace.path(path + std::string(".unfinished-a1B2c3")),
                    fs::perms::owner_read | fs::perms::owner_write);
  }
  write_text(workspace.path("experiments/in_service.yaml.backup"), "mine");
  EXPECT_EQ(workspace.assay({"query"}).code, 0);
  EXPECT_FALSE(fs::exists(workspace.path("experiments/in_service.yaml.unfinished-a1B2c3")));
  EXPECT_FALSE(fs::exists(workspace.path("results/records/0001-a.md.unfinished-a1B2c3")));
  EXPECT_TRUE(fs::exists(workspace.path("experiments/in_service.yaml.backup")));
}

TEST(Workspace, RecordLeftBehindIsWrittenAgain) {
  const TestWorkspace workspace;
  const std::string record = workspace.path("results/records/0001-kv-tile.json");
  {
    Store store(workspace.database());
    play_proposal(store, "kv-tile", definition_text("kv-tile"));
    write_record(store, {1, "kv-tile"}, workspace.root());
    fs::last_write_time(record, fs::last_write_time(record) - std::chrono::hours(1));
    play_red_run(store, "kv-tile", "f1");  // killed before it wrote its record
  }
  const std::string stale = read_text(record);
  const Finished done = workspace.assay({"query"});
  EXPECT_EQ(done.err,
            "assay: kv-tile: wrote the record that an interrupted command had left behind\n");
  EXPECT_NE(read_text(record), stale);
  EXPECT_EQ(workspace.assay({"check", "--files"}).code, 0);
}

TEST(Workspace, WholeRecordWithAnOldTimeIsNoNews) {
  const TestWorkspace workspace;
  const std::string record = workspace.path("results/records/0001-kv-tile.json");
  {
    Store store(workspace.database());
    play_proposal(store, "kv-tile", definition_text("kv-tile"));
    play_red_run(store, "kv-tile", "f1");
    write_record(store, {1, "kv-tile"}, workspace.root());
    fs::last_write_time(record, fs::last_write_time(record) - std::chrono::hours(1));
  }
  const std::string whole = read_text(record);
  const Finished done = workspace.assay({"query"});
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(read_text(record), whole);
}

TEST(Workspace, LostDatabaseComesBackFromTheRecords) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "kv-tile", definition_text("kv-tile"));
    play_red_run(store, "kv-tile", "f1");
    play_red_run(store, "kv-tile", "f2");
  }
  EXPECT_EQ(workspace.assay({"index"}).code, 0);
  const std::string before = workspace.assay({"query", "--format", "json"}).out;
  fs::remove_all(workspace.database());
  fs::remove_all(workspace.database() + "-wal");
  fs::remove_all(workspace.database() + "-shm");
  const Finished after = workspace.assay({"query", "--format", "json"});
  EXPECT_EQ(after.out, before);
  EXPECT_NE(after.out.find("\"reverted\""), std::string::npos);
}

int exit_of(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The first write fails, not the last: the answer is longer than a buffer.
TEST(Workspace, AReaderThatLeftIsNoErrorAndAFullDiskIsOne) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "tile", definition_text("tile"));
    play_red_run(store, "tile", "f1");
  }
  const std::string show = program_beside("assay") + " show tile --workspace " + workspace.root();
  EXPECT_EQ(exit_of("bash -c 'exec 3> >(exec true); sleep 0.2; " + show + " >&3 2>/dev/null'"), 0);
  EXPECT_EQ(exit_of("bash -c '" + show + " >/dev/full 2>/dev/null'"), 1);
}

// A limit on file size stands in for the full disk: SQLite cannot make the log that it shares.
TEST(Workspace, QuestionsAreAnsweredWhereTheDiskIsFull) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "tile", definition_text("tile"));
  }
  const std::string at = " --workspace " + workspace.root() + " 2>/dev/null | cat";
  const std::string full = "bash -c 'set -o pipefail; ulimit -f 0; " + program_beside("assay");
  EXPECT_EQ(exit_of(full + " query" + at + " | grep -q tile'"), 0);
  EXPECT_NE(exit_of(full + " note tile x" + at + "'"), 0);
}

}  // namespace
}  // namespace assay
