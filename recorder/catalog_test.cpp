// Words and names: found where they stand, never older than the history, whatever is typed.
#include "recorder/catalog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "recorder/played_history.h"
#include "recorder/query_for_tests.h"
#include "recorder/schema.h"
#include "recorder/search_words.h"
#include "recorder/sqlite_connection.h"

namespace assay {
namespace {

class CatalogTest : public ::testing::Test {
 protected:
  CatalogTest() {
    play_proposal(store, "wide", definition_text("wide", "Wider tiles"));
    play_red_run(store, "wide", "f1");
    play_proposal(store, "deep", definition_text("deep", "Deeper buffers"));
    play_timed_run(store, "deep", "f2", {});
    notes("wide",
          "# Notes\n\n## Lessons\n\nThe compiler spills eight registers.\n\n## Veto mechanism\n\n"
          "Register pressure at\ntq=64.\n\nMore of it.\n\n## Retry condition\n\nA wider file.\n");
  }
  void notes(const std::string& slug, const std::string& text) {
    write_text(folder.path() + "/experiments/notes/" + slug + ".md", text);
  }
  // "slug place: snippet" of each row.
  std::vector<std::string> found(const std::string& text) {
    std::vector<std::string> out;
    for (const QueryRow& row : query(store, {.text = text}, folder.path())) {
      out.push_back(row.slug + " " + row.place + ": " + row.snippet);
    }
    return out;
  }
  std::vector<std::string> slugs(const QueryFilter& filter) {
    std::vector<std::string> out;
    for (const QueryRow& row : query(store, filter, folder.path())) out.push_back(row.slug);
    return out;
  }

  TemporaryFolder folder;
  std::string database = folder.path() + "/assay.db";
  Store store{database};
};

using Lines = std::vector<std::string>;

TEST_F(CatalogTest, WordsAreFoundWhereTheyStand) {
  EXPECT_EQ(found("wider tiles"), Lines{"wide title: Wider tiles"});
  EXPECT_EQ(found("SPILLS"), Lines{"wide lessons: The compiler spills eight registers."});
  EXPECT_EQ(found("pressure"), Lines{"wide veto: Register pressure at\ntq=64.\n\nMore of it."});
  EXPECT_EQ(found("token 298"), Lines{"wide gates: worth running\ntwo runs agree\n"
                                      "token 19 differs: 311 became 298\n"});
  EXPECT_EQ(found("longer"),
            (Lines{"wide hypothesis: A longer tile keeps more of K in the cache.",
                   "deep hypothesis: A longer tile keeps more of K in the cache."}));
  EXPECT_EQ(found("spill"), Lines{});  // words are whole
  EXPECT_EQ(found("spill*"), Lines{"wide lessons: The compiler spills eight registers."});
  EXPECT_EQ(found("\"eight registers\" spills"),
            Lines{"wide lessons: The compiler spills eight registers."});
  EXPECT_EQ(found("\"registers eight\""), Lines{});
  EXPECT_EQ(found("spills deeper"), Lines{});  // not in one experiment
}

TEST_F(CatalogTest, NothingTypedIsAnErrorOrAnOperator) {
  for (const char* typed : {"\"",
                            "*",
                            "\"\"",
                            "\"*",
                            "(",
                            ")",
                            "AND",
                            "spills AND",
                            "NEAR(",
                            "-",
                            "^",
                            ":",
                            "title:",
                            "title : wider",
                            "{title}",
                            "+",
                            "' OR 1=1 --",
                            "; DROP TABLE catalog",
                            "\\",
                            "a\"b\"c*d\"",
                            "spills) OR (deeper",
                            "spills NOT registers",
                            "\x01\x02",
                            "\xff\xfe",
                            "NULL",
                            "rowid:1",
                            "\xF0\x9F\x8E\x89",
                            "%s%n",
                            "?1"}) {
    EXPECT_NO_THROW(found(typed)) << typed;
  }
  EXPECT_EQ(found("spills OR deeper"), Lines{});
  EXPECT_EQ(found("spills NOT registers"), Lines{});
  std::string long_text;
  for (int i = 0; i < 20'000; ++i) long_text += " word" + std::to_string(i) + " \"(";
  EXPECT_THROW(found(long_text), Error);
  EXPECT_EQ(found(std::string(1 << 20, 'x')), Lines{});
}

TEST(SearchWordsTest, EveryPartIsAQuotedString) {
  const auto expression = [](const std::string& typed) {
    return search_expression(search_terms(typed));
  };
  EXPECT_EQ(expression("one two*"), "\"one\" \"two\" *");
  EXPECT_EQ(expression("\"one two\"* three"), "\"one two\" * \"three\"");
  EXPECT_EQ(expression("a\"b\"c"), "\"a\" \"b\" \"c\"");
  EXPECT_EQ(expression("\"open"), "\"open\"");
  EXPECT_EQ(expression("matvec_q4k.cuda.warp[rows=2]"), "\"matvec_q4k.cuda.warp[rows=2]\"");
  EXPECT_EQ(expression("--- \"\" * ()"), "");
  EXPECT_EQ(expression("s* S* s s* \"s\""), "\"s\" * \"s\"");
  std::string words;
  for (std::size_t i = 0; i < kMostSearchTerms; ++i) words += " w" + std::to_string(i);
  EXPECT_EQ(search_terms(words + " w0 W1").size(), kMostSearchTerms);
  EXPECT_THROW(search_terms(words + " more"), Error);
}

TEST_F(CatalogTest, NamesOfLeversVariantsAndDevices) {
  EXPECT_EQ(slugs({.gpu = "AVX2"}), (Lines{"wide", "deep"}));
  EXPECT_EQ(slugs({.gpu = "H200"}), Lines{});
  EXPECT_EQ(slugs({.variant = "attention_prefill.cpu.avx2[tkv=32]"}), (Lines{"wide", "deep"}));
  EXPECT_EQ(slugs({.variant = "attention_prefill.cpu.avx2"}), Lines{});
  EXPECT_EQ(found("attention_prefill.tkv \"avx2[tkv=64]\"").size(), 2u);
  EXPECT_EQ(names_in(store).gpus, std::set<std::string>{"cpu-avx2"});
}

TEST_F(CatalogTest, ARowSaysWhyAndWhatComesNext) {
  const std::vector<QueryRow> rows = query(store, {}, folder.path());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].why, "token 19 differs: 311 became 298");
  EXPECT_EQ(rows[0].veto, "Register pressure at tq=64.");
  EXPECT_EQ(rows[0].retry, "A wider file.");
  EXPECT_EQ(rows[0].next, "yes: one attempt is left");
  EXPECT_EQ(rows[1].next, "no: it landed; other code is an experiment of its own");
  EXPECT_EQ(facts_of(row_of_facts(facts_of(rows[0]))), facts_of(rows[0]));
}

TEST_F(CatalogTest, IsNeverOlderThanEventsAndNotes) {
  EXPECT_EQ(found("spills").size(), 1u);
  notes("wide", "## Lessons\n\nIt spilled.\n");
  EXPECT_EQ(found("spills").size(), 0u);
  EXPECT_EQ(found("spilled"), Lines{"wide lessons: It spilled."});
  std::filesystem::remove(folder.path() + "/experiments/notes/wide.md");
  EXPECT_EQ(found("spilled").size(), 0u);
  EXPECT_EQ(slugs({.state = "reverted"}), Lines{});
  play_red_run(store, "wide", "f3");
  EXPECT_EQ(slugs({.state = "reverted"}), Lines{"wide"});
}

TEST_F(CatalogTest, ANoteOfTheSameSizeWithinTheSameMomentIsSeen) {
  notes("deep", "## Lessons\n\nfirst\n");
  EXPECT_EQ(found("first").size(), 1u);
  notes("deep", "## Lessons\n\nother\n");
  EXPECT_EQ(found("other").size(), 1u);
}

TEST_F(CatalogTest, AnswersWhileAnotherProcessWrites) {
  ASSERT_EQ(found("spills").size(), 1u);
  play_red_run(store, "wide", "f3");
  const Connection writer(database, SQLITE_OPEN_READWRITE);
  writer.execute("BEGIN IMMEDIATE");
  const Store reader(database);
  const std::vector<QueryRow> rows =
      query(reader, {.text = "spills", .state = "reverted"}, folder.path());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].slug, "wide");
  EXPECT_EQ(rows[0].number, 1);
  writer.execute("ROLLBACK");
}

TEST_F(CatalogTest, ACopyInMemoryIsSearchedToo) {
  const Store copy = Store::copy_in_memory(database);
  EXPECT_EQ(query(copy, {.text = "spills"}, folder.path()).size(), 1u);
}

TEST_F(CatalogTest, AHandInItIsFoundAndItIsMadeAgain) {
  std::filesystem::last_write_time(
      folder.path() + "/experiments/notes/wide.md",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const auto faults = [&] { return Catalog::faults(store, folder.path()); };
  EXPECT_EQ(faults(), Lines{});  // all of it is stale
  EXPECT_EQ(slugs({}).size(), 2U);
  EXPECT_EQ(faults(), Lines{});
  const std::string says =
      ": it says something else than the history, so questions are answered wrongly; `assay index "
      "--all` makes it again";
  for (const char* edit :
       {"UPDATE catalog SET facts = replace(facts, 'REVERT', 'LAND') WHERE slug = 'wide'",
        "UPDATE catalog SET state = 'landed' WHERE slug = 'wide'",
        "DELETE FROM catalog_name WHERE kind = 'op' AND id = (SELECT id FROM catalog WHERE slug = "
        "'wide')",
        "UPDATE writing SET lessons = 'nothing' WHERE rowid = (SELECT id FROM catalog WHERE slug = "
        "'wide')",
        "DELETE FROM catalog WHERE slug = 'wide'"}) {
    Connection(database, SQLITE_OPEN_READWRITE).execute(edit);
    const Lines found = faults();
    ASSERT_EQ(found.size(), 1U) << edit;
    EXPECT_EQ(found[0], database + ": catalog: of wide" + says.substr(1)) << edit;
    Catalog::forget(store);
    EXPECT_EQ(slugs({.verdict = "REVERT"}), Lines{"wide"});
    EXPECT_EQ(faults(), Lines{}) << edit;
  }
  for (const auto& [edit, what] :
       {std::pair("INSERT INTO catalog_name VALUES ('lever', 'none', 777)",
                  "it has rows of no experiment"),
        std::pair("INSERT INTO writing(rowid, names) VALUES (999, 'zebra')",
                  "it has rows of no experiment"),
        std::pair("DELETE FROM writing_data WHERE id > 10", "its index over words is damaged")}) {
    Connection(database, SQLITE_OPEN_READWRITE).execute(edit);
    EXPECT_EQ(faults(),
              (Lines{database + ": catalog: " + what + "; `assay index --all` makes it again"}))
        << edit;
    Catalog::forget(store);
    EXPECT_EQ(found("registers").size(), 1U) << edit;
    EXPECT_EQ(faults(), Lines{}) << edit;
  }
}

// SQLite's own check of an index passes over this one.
TEST_F(CatalogTest, WordsToWhichNothingLeadsAreADamage) {
  std::string words = "## Lessons\n\n";
  for (int i = 0; i < 20'000; ++i) words += "w" + std::to_string(i) + "\n";
  notes("deep", words + "zebra\n");
  EXPECT_EQ(found("zebra").size(), 1U);
  EXPECT_EQ(Catalog::faults(store, folder.path()), Lines{});
  Connection(database, SQLITE_OPEN_READWRITE).execute("DELETE FROM writing_idx");
  EXPECT_EQ(Catalog::faults(store, folder.path()),
            Lines{database + ": catalog: its index over words does not lead to all of them; `assay "
                             "index --all` makes it again"});
  Catalog::forget(store);
  EXPECT_EQ(found("zebra").size(), 1U);
  EXPECT_EQ(Catalog::faults(store, folder.path()), Lines{});
}

TEST_F(CatalogTest, EntriesFromElsewhereTakePart) {
  CatalogEntry entry;
  entry.row.slug = "hist-60";
  entry.row.title = "Tiles elsewhere";
  entry.row.verdict = "REVERT";
  entry.names["lever"] = {"attention_prefill.tkv"};
  entry.words["title"] = entry.row.title;
  const Catalog catalog(store, folder.path(), all_notes(folder.path()), {entry});
  const auto found = catalog.find({.verdict = "revert", .text = "tiles"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].slug, "hist-60");
  EXPECT_EQ(found[1].snippet, "Tiles elsewhere");
  EXPECT_EQ(catalog.find({.lever = "attention_prefill.tkv"}).size(), 3u);
  EXPECT_EQ(query(store, {}, folder.path()).size(), 2u);  // it was not kept
}

}  // namespace
}  // namespace assay
