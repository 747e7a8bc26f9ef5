// `assay query --sql`: what comes back, what is refused, and where it ends.
#include <gtest/gtest.h>

#include <atomic>

#include "engine/core/error.h"
#include "recorder/played_history.h"

namespace assay {
namespace {

using Rows = std::vector<Store::SqlRow>;

class SqlTest : public ::testing::Test {
 protected:
  SqlTest() : store(folder.path() + "/assay.db") {
    play_proposal(store, "tile", definition_text("tile"));
    play_timed_run(store, "tile", "f1", {});
  }
  std::string refusal(const std::string& statement, const Store::SqlLimits& limits = {},
                      ErrorKind kind = ErrorKind::kUsage) {
    try {
      store.sql(statement, limits);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "answered";
  }

  TemporaryFolder folder;
  Store store;
};

const std::string kEndless =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT ";

TEST_F(SqlTest, NumbersStayNumbersAndNullStaysNull) {
  EXPECT_EQ(
      store.sql("SELECT number, slug, verdict, effect, attempts FROM experiments"),
      (Rows{{"number", "slug", "verdict", "effect", "attempts"}, {1, "tile", "LAND", 0.12, 1}}));
  EXPECT_EQ(store.sql("SELECT count(*) AS n FROM pairs WHERE attempt = 1 AND stage = 'ab'"),
            (Rows{{"n"}, {4}}));
  EXPECT_EQ(store.sql("SELECT NULL AS a, -7 AS b, 2.5 AS c, '1' AS d, x'0102' AS e, 9e999 AS f"),
            (Rows{{"a", "b", "c", "d", "e", "f"}, {nullptr, -7, 2.5, "1", "<2 bytes>", "Inf"}}));
}

TEST_F(SqlTest, ReadsAndNothingElse) {
  for (const char* writing :
       {"DELETE FROM imported_file", "INSERT INTO label VALUES ('x', 9)", "DROP VIEW pairs",
        "PRAGMA user_version = 9", "ATTACH 'x.db' AS x", "CREATE TEMP TABLE t(a)", "VACUUM"}) {
    EXPECT_EQ(
        refusal(writing),
        "--sql: only reading is allowed; give one SELECT over the tables label, run, event or the "
        "views experiments, attempts, pairs")
        << writing;
  }
  EXPECT_EQ(
      refusal("SELECT 1; SELECT 2"),
      "--sql: more than one statement; give one SELECT over the tables label, run, event or the "
      "views experiments, attempts, pairs");
  EXPECT_EQ(
      refusal("SELECT absent FROM label"),
      "--sql: no such column: absent; give one SELECT over the tables label, run, event or the "
      "views experiments, attempts, pairs");
}

TEST_F(SqlTest, AStatementWithoutAnEndIsEnded) {
  EXPECT_EQ(refusal(kEndless + "count(*) FROM c", {.seconds = 0.05}, ErrorKind::kInternal),
            "--sql: no answer within 0.05 s, so the statement was ended; ask for less, or give it "
            "longer with --time-limit");
  EXPECT_EQ(store.sql("SELECT 1 AS one"), (Rows{{"one"}, {1}}));
}

TEST_F(SqlTest, AnAnswerWithoutAnEndIsEnded) {
  EXPECT_EQ(refusal(kEndless + "x FROM c", {.bytes = 1u << 20}, ErrorKind::kInternal),
            "--sql: the answer is larger than 1 MB; ask for less, with LIMIT or an aggregate");
}

TEST_F(SqlTest, AStatementCanBeStopped) {
  const std::atomic<bool> stop{true};
  EXPECT_EQ(refusal(kEndless + "count(*) FROM c", {.stop = &stop}, ErrorKind::kInternal),
            "--sql: stopped before there was an answer; nothing was printed");
}

TEST_F(SqlTest, ACopyInMemoryAnswersTheSameAndItsGuardsComeOff) {
  Store copy = Store::copy_in_memory(folder.path() + "/assay.db");
  const char* all = "SELECT * FROM event ORDER BY run, idx";
  EXPECT_EQ(copy.sql(all), store.sql(all));
  EXPECT_THROW(copy.sql("DELETE FROM imported_file"), Error);
  EXPECT_EQ(copy.number_for("another"), 2);  // still a store, of its own
  EXPECT_FALSE(store.find("another").has_value());
}

}  // namespace
}  // namespace assay
