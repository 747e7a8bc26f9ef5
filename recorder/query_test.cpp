// Filters, and every format as whole text.
#include "recorder/query_for_tests.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "recorder/played_history.h"

namespace assay {
namespace {

class QueryTest : public ::testing::Test {
 protected:
  QueryTest() : store(folder.path() + "/assay.db") {
    play_proposal(store, "landed", definition_text("landed", "Lands, \"truly\""));
    play_timed_run(store, "landed", "f1", {});
    play_proposal(store, "forked", definition_text("forked"));
    play_red_run(store, "forked", "f1");
    play_red_run(store, "forked", "f2");
    play_proposal(store, "waiting", definition_text("waiting"));
    today = store.events("waiting")[0].at.substr(0, 10);
  }
  std::vector<std::string> slugs(const QueryFilter& filter) {
    std::vector<std::string> out;
    for (const QueryRow& row : query(store, filter)) out.push_back(row.slug);
    return out;
  }

  TemporaryFolder folder;
  Store store;
  std::string today;
};

using Slugs = std::vector<std::string>;

TEST_F(QueryTest, Filters) {
  EXPECT_EQ(slugs({}), (Slugs{"landed", "forked", "waiting"}));
  EXPECT_EQ(slugs({.verdict = "land"}), Slugs{"landed"});
  EXPECT_EQ(slugs({.verdict = "REVERT"}), Slugs{"forked"});
  EXPECT_EQ(slugs({.gate = "identity"}), Slugs{"forked"});
  EXPECT_EQ(slugs({.gate = "identity=green"}), Slugs{"landed"});
  EXPECT_EQ(slugs({.state = "Proposed"}), Slugs{"waiting"});
  EXPECT_EQ(slugs({.lever = "attention_prefill.tkv"}).size(), 3u);
  EXPECT_EQ(slugs({.lever = "attention_prefill.tk"}).size(), 0u);
  EXPECT_EQ(slugs({.op = "attention_prefill"}).size(), 3u);
  EXPECT_EQ(slugs({.op = "rms_norm"}).size(), 0u);
  EXPECT_EQ(slugs({.model = "embed"}).size(), 3u);
  EXPECT_EQ(slugs({.model = "qwen"}).size(), 0u);
  EXPECT_EQ(slugs({.text = "TRULY"}), Slugs{"landed"});
  EXPECT_EQ(slugs({.since = today}).size(), 3u);
  EXPECT_EQ(slugs({.since = "9999-01-01"}).size(), 0u);
  EXPECT_EQ(slugs({.verdict = "REVERT", .text = "truly"}).size(), 0u);
}

TEST(CheckSinceTest, TakesDaysOfTheCalendarOnly) {
  for (const char* day : {"2026-11-29", "2028-02-29", "9999-12-31"}) {
    EXPECT_NO_THROW(check_since(day)) << day;
  }
  for (const std::string day : {"yesterday", "2026-13-45", "2026-02-29", "2026-00-10",
                                "2026-11-29T20:15:04", "2026-1-1", "+026-11-29", ""}) {
    try {
      check_since(day);
      ADD_FAILURE() << day;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(error.what(), "--since " + day + ": not a date; write it as 2026-01-31");
    }
  }
}

TEST_F(QueryTest, NamesThatHistoryKnows) {
  const HistoryNames names = names_in(store);
  EXPECT_EQ(names.levers, std::set<std::string>{"attention_prefill.tkv"});
  EXPECT_EQ(names.ops, std::set<std::string>{"attention_prefill"});
  EXPECT_EQ(names.gates,
            (std::set<std::string>{"ab", "baseline", "identity", "margin", "parity", "preflight"}));
  EXPECT_EQ(names.outcomes, (std::set<std::string>{"green", "red"}));
  EXPECT_EQ(names.models, std::set<std::string>{"embedded"});
}

TEST_F(QueryTest, Json) {
  const std::string text = format_rows(query(store, {}), TableFormat::kJson);
  const std::string gates_green =
      R"({"ab":"green","baseline":"green","identity":"green","margin":"green","parity":"green","preflight":"green"})";
  const std::string gates_red = R"({"baseline":"green","identity":"red","preflight":"green"})";
  const std::string common = R"("lever":"attention_prefill.tkv","class":"bitwise",)";
  EXPECT_EQ(
      text,
      "[\n"
      "  {\"number\":1,\"slug\":\"landed\",\"title\":\"Lands, \\\"truly\\\"\"," +
          common +
          "\"state\":\"landed\",\"verdict\":\"LAND\",\"reason\":\"\",\"effect\":0.06,"
          "\"interval\":[0.03,0.12],\"pairs\":2,\"digests\":{\"baseline\":\"d1\",\"candidate\":"
          "\"d1\"},"
          "\"gates\":" +
          gates_green + ",\"attempts\":1,\"date\":\"" + today +
          "\",\"devices\":[\"cpu-avx2\"]},\n"
          "  {\"number\":2,\"slug\":\"forked\",\"title\":\"KV tile length\"," +
          common +
          "\"state\":\"reverted\",\"verdict\":\"REVERT\",\"reason\":\"identity\",\"effect\":null,"
          "\"interval\":null,\"pairs\":0,\"digests\":null,\"gates\":" +
          gates_red + ",\"attempts\":2,\"date\":\"" + today +
          "\",\"devices\":[\"cpu-avx2\"]},\n"
          "  {\"number\":3,\"slug\":\"waiting\",\"title\":\"KV tile length\"," +
          common +
          "\"state\":\"proposed\",\"verdict\":null,\"reason\":\"\",\"effect\":null,"
          "\"interval\":null,\"pairs\":0,\"digests\":null,\"gates\":{},\"attempts\":0,\"date\":\"" +
          today +
          "\",\"devices\":[]}\n"
          "]\n");
  EXPECT_EQ(nlohmann::json::parse(text).size(), 3u);
  EXPECT_EQ(format_rows({}, TableFormat::kJson), "[\n]\n");
}

TEST_F(QueryTest, Table) {
  const std::string start = "attention_prefill.tkv  bitwise  ";
  EXPECT_EQ(format_rows(query(store, {}), TableFormat::kTable),
            "number  title           lever                  class    state     verdict  reason    "
            "effect   interval             pairs  attempts  date        device\n"
            "0001    Lands, \"truly\"  " +
                start +
                "landed    LAND     -         "
                "+6.00 %  +3.00 % to +12.00 %  2      1         " +
                today +
                "  cpu-avx2\n"
                "0002    KV tile length  " +
                start +
                "reverted  REVERT   identity  "
                "-        -                    0      2         " +
                today +
                "  cpu-avx2\n"
                "0003    KV tile length  " +
                start +
                "proposed  -        -         "
                "-        -                    0      0         " +
                today + "  -\n");
}

TEST_F(QueryTest, Csv) {
  EXPECT_EQ(
      format_rows(query(store, {.state = "landed"}), TableFormat::kCsv),
      "number,slug,title,lever,class,state,verdict,reason,effect,low,high,pairs,baseline_digest,"
      "candidate_digest,gates,attempts,date,devices\r\n"
      "1,landed,\"Lands, \"\"truly\"\"\",attention_prefill.tkv,bitwise,landed,LAND,,0.06,0.03,0.12,"
      "2,d1,d1,ab=green baseline=green identity=green margin=green parity=green "
      "preflight=green,1," +
          today + ",cpu-avx2\r\n");
}

TEST_F(QueryTest, Markdown) {
  EXPECT_EQ(
      format_rows(query(store, {.state = "reverted"}), TableFormat::kMarkdown),
      "| number | title | lever | class | state | verdict | reason | effect | interval | pairs | "
      "attempts | date | device |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
      "| 0002 | KV tile length | attention_prefill.tkv | bitwise | reverted | REVERT | identity | "
      "- "
      "| - | 0 | 2 | " +
          today + " | cpu-avx2 |\n");
}

TEST(FormatCellsTest, AlignsByDisplayWidthAndDisarmsControlCharacters) {
  EXPECT_EQ(format_cells({{"name", "n"},
                          {"\xE6\xBC\xA2\xE5\xAD\x97", "1"},
                          {"e\xCC\x81", "2"},
                          {"\x1b[31mred", "3"},
                          {"two\nlines", "4"}},
                         TableFormat::kTable),
            "name       n\n"
            "\xE6\xBC\xA2\xE5\xAD\x97       1\n"
            "e\xCC\x81          2\n"
            "\xE2\x90\x9B[31mred   3\n"
            "two lines  4\n");
}

TEST(FormatCellsTest, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(format_cells({{"a", "b"}, {"x,y", "say \"hi\""}, {"line\nbreak", " plain "}},
                         TableFormat::kCsv),
            "a,b\r\n\"x,y\",\"say \"\"hi\"\"\"\r\n\"line\nbreak\", plain \r\n");
}

TEST(FormatCellsTest, CsvHasNothingThatActs) {
  EXPECT_EQ(format_cells({{"title"}, {"\x1b]0;x\x07red\x7f"}, {"two\r\nlines\ttab"}, {"\xff"}},
                         TableFormat::kCsv),
            "title\r\n\xE2\x90\x9B]0;x\xE2\x90\x87red\xE2\x90\xA1\r\n"
            "\"two\nlines\ttab\"\r\n\xEF\xBF\xBD\r\n");
}

TEST(FormatCellsTest, MarkdownOfCells) {
  EXPECT_EQ(format_cells({{"n"}, {"a|b <i>"}}, TableFormat::kMarkdown),
            "| n |\n|---|\n| a\\|b &lt;i&gt; |\n");
}

TEST(FormatAnswerTest, JsonKeepsTypesAndEveryColumn) {
  const std::vector<Store::SqlRow> rows{{"n", "n", "text"}, {1, nullptr, "1"}, {0.5, -2, "a|b"}};
  EXPECT_EQ(format_answer(rows, TableFormat::kJson),
            "[\n  {\"n\":1,\"n:2\":null,\"text\":\"1\"},\n"
            "  {\"n\":0.5,\"n:2\":-2,\"text\":\"a|b\"}\n]\n");
  EXPECT_EQ(format_answer(rows, TableFormat::kCsv), "n,n,text\r\n1,,1\r\n0.5,-2,a|b\r\n");
}

TEST(ParseFormatTest, NamesTheFormats) {
  EXPECT_EQ(parse_format("csv"), TableFormat::kCsv);
  try {
    parse_format("xml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "--format xml: there is no such format; give table, json, csv or md");
  }
}

}  // namespace
}  // namespace assay
