// The log: what goes in comes out, what is sealed stays, and what was edited is found.
#include "recorder/store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "recorder/played_history.h"

namespace assay {
namespace {

std::string message_of(const std::function<void()>& action, ErrorKind kind) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

const std::string kWayOut =
    "; the database was edited, or is damaged: move it away, and committed records are imported "
    "into a new one";

class StoreTest : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string database = folder.path() + "/assay.db";
};

TEST_F(StoreTest, NumbersGoUpAndStayWithTheirSlug) {
  Store store(database);
  EXPECT_EQ(store.number_for("first"), 1);
  EXPECT_EQ(store.number_for("second"), 2);
  EXPECT_EQ(store.number_for("first"), 1);
  store.import_label({7, "seventh"});
  EXPECT_EQ(store.number_for("next"), 8);
  const auto labels = store.experiments();
  ASSERT_EQ(labels.size(), 4u);
  EXPECT_EQ(labels[2].slug, "seventh");
  EXPECT_EQ(store.find("0007")->slug, "seventh");
  EXPECT_EQ(store.find("7")->slug, "seventh");
  EXPECT_EQ(store.find("second")->number, 2);
  EXPECT_FALSE(store.find("3").has_value());
  EXPECT_FALSE(store.find("nothing").has_value());
}

TEST_F(StoreTest, RefusesSlugsThatAreNoFileNames) {
  Store store(database);
  EXPECT_EQ(
      message_of([&] { store.number_for("../escape"); }, ErrorKind::kUsage),
      "\"../escape\" cannot be an experiment's slug: lower-case letters, digits and hyphens, at "
      "most 100");
}

TEST_F(StoreTest, EventsComeBackInOrderAndSurviveReopening) {
  std::string run;
  {
    Store store(database);
    store.number_for("tile");
    run = store.open_run("tile", {"propose", "assay propose", {{"host", "h"}}});
    store.append(run, EventKind::kProposed, Proposed{"slug: tile\n", "x", {{"a", 0.1}}});
    store.end_run(run, {"proposed", 0, "done"});
  }
  const Store store(database, true);
  const std::vector<Event> events = store.events("tile");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].kind, EventKind::kRunOpened);
  EXPECT_EQ(events[1].kind, EventKind::kProposed);
  EXPECT_EQ(events[1].body["preflight"]["a"], 0.1);
  EXPECT_EQ(events[2].kind, EventKind::kRunEnded);
  EXPECT_EQ(events[2].index, 2);
  EXPECT_EQ(events[2].run, run);
  EXPECT_EQ(run.size(), 32u);
  EXPECT_EQ(events[0].at.size(), 24u);
  EXPECT_EQ(events[0].at.back(), 'Z');
}

TEST_F(StoreTest, SealCoversThePreviousSealAndEveryEvent) {
  Store store(database);
  play_proposal(store, "tile", definition_text("tile"));
  const std::string run = play_red_run(store, "tile", "f1");
  const auto runs = store.runs("tile");
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].previous, "");
  EXPECT_EQ(runs[1].previous, runs[0].seal);
  EXPECT_EQ(runs[1].seal, seal_of(runs[0].seal, store.run_events(run)));
  std::vector<Event> altered = store.run_events(run);
  altered[3].body["values"]["fork_step"] = 20;
  EXPECT_NE(seal_of(runs[0].seal, altered), runs[1].seal);
  EXPECT_NE(seal_of("", store.run_events(run)), runs[1].seal);
}

TEST_F(StoreTest, ASealedRunTakesNothingMore) {
  Store store(database);
  play_proposal(store, "tile", definition_text("tile"));
  const std::string run = play_red_run(store, "tile", "f1");
  EXPECT_EQ(message_of([&] { store.append(run, EventKind::kLook, Look{}); }, ErrorKind::kInternal),
            "run " + run + " of tile has ended and is sealed");
  EXPECT_EQ(message_of([&] { store.end_run(run, {}); }, ErrorKind::kInternal),
            "run " + run + " of tile has ended and is sealed");
  EXPECT_EQ(
      message_of([&] { store.append("abc", EventKind::kLook, Look{}); }, ErrorKind::kInternal),
      "there is no run abc");
}

TEST_F(StoreTest, TheDatabaseItselfRefusesChanges) {
  Store store(database);
  play_proposal(store, "tile", definition_text("tile"));
  const std::string run = play_red_run(store, "tile", "f1");
  const std::string insert =
      "INSERT INTO event(run, idx, kind, at, body) VALUES ('" + run + "', 99, 'look', '', '{}')";
  const std::string open = store.open_run("tile", {"run", "", {}});
  const std::string gap =
      "INSERT INTO event(run, idx, kind, at, body) VALUES ('" + open + "', 2, 'look', '', '{}')";
  const std::string replace = "INSERT OR REPLACE INTO event(run, idx, kind, at, body) VALUES ('" +
                              open + "', 0, 'look', '', '{}')";
  for (const std::string& sql :
       {std::string("UPDATE event SET body = '{}'"), std::string("DELETE FROM event"),
        std::string("UPDATE label SET number = 9"), std::string("DELETE FROM label"),
        std::string("UPDATE blob SET zstd = ''"), std::string("DELETE FROM blob"),
        std::string("DELETE FROM run"), std::string("UPDATE run SET seal = 'x' WHERE seal <> ''"),
        std::string("UPDATE run SET ordinal = 5"),
        std::string("INSERT OR REPLACE INTO label(slug, number) VALUES ('tile', 5)"), insert, gap,
        replace}) {
    EXPECT_THROW(tamper(database, sql), Error) << sql;
  }
  EXPECT_TRUE(store.integrity().empty());
}

TEST_F(StoreTest, FindsAnAlteredEventWithItsPlace) {
  Store store(database);
  play_proposal(store, "tile", definition_text("tile"));
  const std::string run = play_timed_run(store, "tile", "f1", {});
  EXPECT_TRUE(store.integrity().empty());
  tamper(
      database,
      "DROP TRIGGER event_no_update; UPDATE event SET body = json_set(body, '$.worker_ns[2]', 1) "
      "WHERE kind = 'sample' AND json_extract(body, '$.ordinal') = 2");
  const std::vector<std::string> found = store.integrity();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0],
            database + ": tile, run 1 (" + run + "): its events do not match its seal" + kWayOut);
}

TEST_F(StoreTest, FindsALostEventALostRunAndAnAlteredSource) {
  Store store(database);
  play_proposal(store, "tile", definition_text("tile"));
  const std::string red = play_red_run(store, "tile", "f1");
  tamper(database,
         "DROP TRIGGER event_no_delete; DELETE FROM event WHERE run = '" + red + "' AND idx = 3");
  std::vector<std::string> found = store.integrity();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], database + ": tile, run 1 (" + red + "): event 3 is missing" + kWayOut);
  tamper(database, "DROP TRIGGER blob_no_update; UPDATE blob SET zstd = x'00'");
  found = store.integrity();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NE(found[2].find("a stored source is not zstd data"), std::string::npos) << found[2];
  tamper(database,
         "PRAGMA foreign_keys = OFF; DROP TRIGGER run_no_delete; "
         "DELETE FROM run WHERE ordinal = 0");
  found = store.integrity();
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const std::string& line) {
    return line == database + ": tile, run 1 (" + red + "): the run before it is missing" + kWayOut;
  }));
}

TEST_F(StoreTest, BytesThatAreNotUtf8AreStoredAsReplacementCharacters) {
  Store store(database);
  store.number_for("tile");
  const std::string run = store.open_run("tile", {"run", "bad \xff byte", {}});
  store.end_run(run, {"error", 14, "worker said \xc3\x28"});
  EXPECT_EQ(store.events("tile")[0].body["argv"], "bad \xEF\xBF\xBD byte");
  EXPECT_TRUE(store.integrity().empty());
}

TEST_F(StoreTest, UnfinishedRunsAreListedAndCanBeSealedLater) {
  Store store(database);
  play_proposal(store, "tile", definition_text("tile"));
  const std::string killed = open_attempt_run(store, "tile", "f1");
  const auto unfinished = store.unfinished_runs();
  ASSERT_EQ(unfinished.size(), 1u);
  EXPECT_EQ(unfinished[0].id, killed);
  EXPECT_EQ(unfinished[0].seal, "");
  EXPECT_TRUE(store.integrity().empty());
  const std::string other = play_red_run(store, "tile", "f2");
  store.end_run(killed, {"killed", 1, "its process died"});
  const auto runs = store.runs("tile");
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1].id, killed);
  EXPECT_EQ(runs[1].previous, runs[2].seal);  // sealed last, opened first
  EXPECT_EQ(runs[2].id, other);
  EXPECT_TRUE(store.unfinished_runs().empty());
  EXPECT_TRUE(store.integrity().empty());
}

TEST_F(StoreTest, CalibrationsAnchorsAlphaAndBlobsCanBeAskedFor) {
  Store store(database);
  const AaEffect effect = play_calibration(store, "aa/x");
  play_proposal(store, "tile", definition_text("tile"));
  play_timed_run(store, "tile", "f1", {});
  const auto history = store.aa_history("aa/x", "2026-11-01");
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0].pair_values, effect.pair_values);
  EXPECT_TRUE(store.aa_history("aa/x", "2026-12-01").empty());
  EXPECT_TRUE(store.aa_history("aa/y", "").empty());
  EXPECT_EQ(store.anchor("embedded/cpu-avx2")->at("median_ms"), 101.5);
  EXPECT_FALSE(store.anchor("other").has_value());
  EXPECT_EQ(store.alpha_users("alpha-f1"), std::vector<std::string>{"tile"});
  EXPECT_TRUE(store.alpha_users("alpha-f2").empty());
  const std::string source = "// mechanism of f1\nint tile = 64;\n";
  EXPECT_EQ(store.blob(sha256_hex(source)), source);
  EXPECT_FALSE(store.blob("00").has_value());
}

TEST_F(StoreTest, StepsTogetherAreAllOrNothing) {
  Store store(database);
  const auto proposal = [&](bool fails) {
    store.together([&] {
      const int number = store.number_for("tile");
      const std::string run = store.open_run("tile", {"propose", "", {}});
      store.append(run, EventKind::kProposed, Proposed{definition_text("tile"), "", {}});
      if (fails) throw Error(ErrorKind::kUsage, "the disk is full");
      store.end_run(run, {"proposed", 0, ""});
      EXPECT_EQ(number, 1);
    });
  };
  EXPECT_EQ(message_of([&] { proposal(true); }, ErrorKind::kUsage), "the disk is full");
  EXPECT_TRUE(store.experiments().empty());
  EXPECT_TRUE(store.runs("tile").empty());
  proposal(false);
  EXPECT_EQ(store.events("tile").size(), 3u);
  EXPECT_TRUE(store.integrity().empty());
}

}  // namespace
}  // namespace assay
