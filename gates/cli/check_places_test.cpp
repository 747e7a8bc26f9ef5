// Whatever is edited or lost, `check` says where.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "gates/cli/driven_program.h"
#include "recorder/sqlite_connection.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJson = "results/records/0001-tile.json";
constexpr const char* kRecord = "results/records/0001-tile.md";

class Places : public testing::Test {
 protected:
  Places() {
    {
      Store store(workspace.database());
      play_proposal(store, "tile", definition_text("tile"));
      play_red_run(store, "tile", "f1");
      play_red_run(store, "tile", "f2");
    }
    EXPECT_EQ(workspace.assay({"index"}).code, 0);
    EXPECT_EQ(workspace.assay({"check"}).code, 0);
  }
  // Replaces the first `what`, and gives "path:line" of it.
  std::string edit(const std::string& path, const std::string& what, const std::string& with) {
    std::string text = read_text(workspace.path(path));
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
    write_text(workspace.path(path), text.replace(at, what.size(), with));
    return path + ":" + std::to_string(line) + ":";
  }
  void database(const std::string& sql) const {
    tamper(workspace.database(),
           "DROP TRIGGER event_no_update; DROP TRIGGER event_no_delete; " + sql);
  }
  void expect_found(const std::string& what) const {
    const Finished check = workspace.assay({"check"});
    EXPECT_EQ(check.code, 3) << what;
    EXPECT_NE(check.out.find(what), std::string::npos) << what << "\n" << check.out;
  }
  TestWorkspace workspace;
};

TEST_F(Places, ANumberInARecordDocument) {
  expect_found(edit(kRecord, "Attempt 2 of at most 2", "Attempt 1 of at most 2") + " is \"");
}

TEST_F(Places, AnEditedDatabaseTakesNoRecordsPlaceAndDoesNotTravel) {
  const std::string record = workspace.path("results/records/0001-tile.json");
  const std::string before = read_text(record);
  database(
      "UPDATE event SET body = replace(body, '\"red\"', '\"green\"') WHERE kind = 'gate-result'");
  EXPECT_EQ(workspace.assay({"index", "--all"}).code, 3);
  EXPECT_EQ(read_text(record), before);
  // Nor where the database is damaged in a way that leaves its tables as they were.
  Store(workspace.database()).trust();
  for (const bool there : {true, false}) {
    if (!there) fs::remove(record);
    const Finished index = workspace.assay({"index", "--all"});
    EXPECT_EQ(index.code, 3) << index.out;
    EXPECT_NE(index.err.find("is not what was sealed"), std::string::npos) << index.err;
    EXPECT_EQ(fs::exists(record), there);
  }
  EXPECT_NE(workspace.assay({"export", "x.assay"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(workspace.path("x.assay")));
}

// An edit of history takes a trigger away. Put back, it is not missing, and SQLite has counted it.
TEST_F(Places, AHandThatTookATriggerAwayIsKnownUntilCheckHasLooked) {
  const auto edit_event = [&](const std::string& from, const std::string& to) {
    Connection connection(workspace.database(), SQLITE_OPEN_READWRITE);
    const std::string trigger =
        connection.text("SELECT sql FROM sqlite_master WHERE name = 'event_no_update'");
    connection.execute("DROP TRIGGER event_no_update; UPDATE event SET body = replace(body, '" +
                       from + "', '" + to + "') WHERE kind = 'gate-result'; " + trigger);
  };
  const std::string index = read_text(workspace.path("results/index.md"));
  edit_event("\"seconds\":0.25", "\"seconds\":0.26");
  for (const std::vector<std::string>& reads :
       {std::vector<std::string>{"query"}, {"show", "1"}, {"report", "1"}, {"backup", "b.db"}}) {
    const Finished done = workspace.assay(reads);
    EXPECT_EQ(done.code, 3) << reads[0];
    EXPECT_NE(done.err.find("were changed by something else than this program"), std::string::npos)
        << done.err;
  }
  for (const std::vector<std::string>& writes :
       {std::vector<std::string>{"index"}, {"note", "1", "x"}, {"renumber", "1", "7"}}) {
    const Finished done = workspace.assay(writes);
    EXPECT_EQ(done.code, 3) << writes[0];
    EXPECT_NE(done.err.find("nothing was written"), std::string::npos) << done.err;
  }
  EXPECT_EQ(read_text(workspace.path("results/index.md")), index);
  EXPECT_TRUE(Store(workspace.path("b.db")).changed_by_hand());
  expect_found("its events do not match its seal");
  EXPECT_EQ(workspace.assay({"query"}).code, 3);
  edit_event("\"seconds\":0.26", "\"seconds\":0.25");
  const Finished partly = workspace.assay({"check", "--files"});
  EXPECT_EQ(partly.code, 0) << partly.out;
  EXPECT_EQ(workspace.assay({"query"}).code, 3);
  const Finished check = workspace.assay({"check"});
  EXPECT_EQ(check.code, 0) << check.out;
  EXPECT_NE(check.err.find("its history is what was sealed"), std::string::npos) << check.err;
  EXPECT_EQ(workspace.assay({"query"}).code, 0);
  EXPECT_EQ(workspace.assay({"renumber", "1", "7"}).code, 0);
  EXPECT_EQ(workspace.assay({"query"}).code, 0);
}

TEST_F(Places, ARowOfTheDatabase) {
  database(
      "UPDATE event SET body = replace(body, '\"red\"', '\"green\"') WHERE kind = 'gate-result'");
  const Store store(workspace.database());
  const std::string run = store.runs("tile")[1].id;
  expect_found(
      workspace.database() + ": tile, run 1 (" + run +
      "): its events do not match its seal; the database was edited, or is damaged: move it away");
  expect_found(std::string(kJson) + ":");
}

TEST_F(Places, ARowThatIsGone) {
  database("DELETE FROM event WHERE kind = 'verdict'");
  expect_found("event ");
  expect_found(" is missing; ");
}

TEST_F(Places, AnEditedJson) {
  for (const auto& [what, with] : std::vector<std::pair<std::string, std::string>>{
           {"\"seconds\": 0.25", "\"seconds\": 0.26"},
           {"\"verdict\": \"REVERT\"", "\"verdict\": \"LAND\""},
           {"bar: 1%", "bar: 2%"}}) {
    const std::string whole = read_text(workspace.path(kJson));
    if (whole.find(what) == std::string::npos) continue;
    const std::string place = edit(kJson, what, with);
    expect_found("its events do not match its seal: they were edited, or lost; restore it");
    expect_found(place + " is \"");  // the very line, from the database
    write_text(workspace.path(kJson), whole);
    EXPECT_EQ(workspace.assay({"check"}).code, 0);
  }
}

TEST_F(Places, ADeletedRecord) {
  const auto lost = [&](const std::vector<std::string>& files, bool database) {
    std::vector<std::string> texts;
    for (const std::string& file : files) {
      texts.push_back(read_text(workspace.path(file)));
      fs::remove(workspace.path(file));
    }
    if (!database) {
      for (const char* end : {"", "-wal", "-shm"}) fs::remove(workspace.database() + end);
    }
    const Finished check = workspace.assay({"check"});
    EXPECT_EQ(check.code, 3);
    for (std::size_t i = 0; i < files.size(); ++i) write_text(workspace.path(files[i]), texts[i]);
    return check.out;
  };
  const std::string end = ":1: is missing; `assay index` writes it again\n";
  EXPECT_NE(lost({kJson}, true).find(kJson + end), std::string::npos);
  EXPECT_NE(lost({kRecord}, true).find(kRecord + end), std::string::npos);
  const std::string both = lost({kJson, kRecord}, true);
  EXPECT_NE(both.find(kJson + end), std::string::npos) << both;
  EXPECT_NE(both.find(kRecord + end), std::string::npos) << both;
  // In a clone, whose database is made from the files.
  EXPECT_NE(lost({kRecord}, false).find(kRecord + end), std::string::npos);
  EXPECT_NE(lost({kJson}, false)
                .find(std::string(kRecord) + ":1: its record " + kJson +
                      " is gone: restore that one, or `assay index` removes this one\n"),
            std::string::npos);
  const std::string gone = lost({kJson, kRecord}, false);
  EXPECT_NE(gone.find("results/index.md:5: is \"1 experiment on record.\""), std::string::npos)
      << gone;
}

TEST_F(Places, TheCalibrationsThatTheDatabaseHas) {
  {
    Store store(workspace.database());
    play_calibration(store, "cpu/embedded");
    play_calibration(store, "cpu/embedded");
  }
  const std::string path = workspace.path("results/calibrations.json");
  expect_found("results/calibrations.json:1: is missing; `assay index` writes it again\n");
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
  auto fewer = nlohmann::json::parse(read_text(path));
  fewer["effects"].erase(0);
  write_text(path, fewer.dump(2) + "\n");
  expect_found("results/calibrations.json:");
  expect_found(
      "; `assay index` writes it from the database, `git checkout -- "
      "results/calibrations.json` restores what was committed\n");
}

// A trigger that is missing makes all records be read again.
TEST_F(Places, ALabelThatIsGoneOrHasAnotherNumberComesBackFromItsRecord) {
  for (const char* edit : {"DROP TRIGGER label_no_delete; DELETE FROM label",
                           "DROP TRIGGER label_no_update; UPDATE label SET number = 9"}) {
    tamper(workspace.database(), edit);
    const Finished check = workspace.assay({"check"});
    EXPECT_EQ(check.code, 0) << edit << check.out;
    EXPECT_NE(check.err.find("was missing; made again"), std::string::npos) << check.err;
    EXPECT_EQ(Store(workspace.database()).find("tile")->number, 1) << edit;
  }
}

TEST_F(Places, ALabelThatNothingWasRecordedOf) {
  const std::string before = read_text(workspace.path("results/index.md"));
  tamper(workspace.database(), "INSERT INTO label(slug, number) VALUES ('ghost', 7)");
  const std::string line =
      workspace.database() +
      ": 0007-ghost: has a number and no run, so it was never proposed; the database was edited: "
      "move it away, and committed records are imported into a new one\n";
  expect_found(line);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"index"}, {"export", "x.assay"}, {"renumber", "ghost", "2"}}) {
    const Finished done = workspace.assay(command);
    EXPECT_EQ(done.code, 3) << command[0];
    EXPECT_NE(done.err.find(line), std::string::npos) << command[0] << ": " << done.err;
  }
  EXPECT_EQ(read_text(workspace.path("results/index.md")), before);
  EXPECT_FALSE(fs::exists(workspace.path("x.assay")));
}

TEST_F(Places, RunsOfWhatWasNeverProposed) {
  {
    Store store(workspace.database());
    store.number_for("other");
    store.end_run(store.open_run("other", {"run", "assay run other", nullptr}), {"error", 1, ""});
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  expect_found(
      "0002-other: has runs and was never proposed: `assay propose "
      "experiments/definitions/other.yaml` freezes its question\n");
}

TEST_F(Places, ALabelWithAnotherSlug) {
  tamper(workspace.database(), "DROP TRIGGER label_no_update; UPDATE label SET slug = 'ghost'");
  const Finished check = workspace.assay({"check"});
  EXPECT_EQ(check.code, 3);
  EXPECT_NE(check.out.find(": 0001-ghost: has a number and no run"), std::string::npos)
      << check.out;
  EXPECT_NE(check.out.find(": tile: its record number is missing; "), std::string::npos)
      << check.out;
  EXPECT_EQ(check.out.find("assay renumber"), std::string::npos) << check.out;
}

TEST_F(Places, AnOrdinalOfARun) {
  const std::string record = read_text(workspace.path(kJson));
  const auto set = [&](int from, int to) {
    tamper(workspace.database(),
           "DROP TRIGGER IF EXISTS run_seal_once; UPDATE run SET ordinal = " + std::to_string(to) +
               " WHERE ordinal = " + std::to_string(from));
  };
  set(1, 9);
  expect_found("): was opened as run 1; it was edited, or ");
  set(2, 1);
  set(9, 2);
  expect_found("): was opened as run 1; ");
  Store(workspace.database()).trust();
  const Finished index = workspace.assay({"index", "--all"});
  EXPECT_EQ(index.code, 3);
  EXPECT_NE(index.err.find("its ordinal was edited"), std::string::npos) << index.err;
  EXPECT_EQ(read_text(workspace.path(kJson)), record);
  // In the record itself, of which no seal covers it there.
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(workspace.database() + end);
  edit(kJson, "      \"ordinal\": 1,\n      \"previous\"",
       "      \"ordinal\": 4,\n      \"previous\"");
  expect_found("): was opened as run 1: its ordinal was edited; restore it (git checkout");
}

}  // namespace
}  // namespace assay
