// The committed form: the same bytes out as in, and nothing damaged comes in.
#include "recorder/text_form.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "recorder/blob_codec.h"
#include "recorder/document.h"
#include "recorder/json_text.h"
#include "recorder/played_history.h"

namespace assay {
namespace {

class TextFormTest : public ::testing::Test {
 protected:
  TextFormTest() : store(folder.path() + "/assay.db") {
    play_proposal(store, "tile", definition_text("tile"));
    play_red_run(store, "tile", "f1");
    play_timed_run(store, "tile", "f2", {});
    label = *store.find("tile");
  }
  std::string workspace(const std::string& name) { return folder.path() + "/" + name; }
  std::string record(const std::string& name) {
    return workspace(name) + "/results/records/0001-tile.json";
  }
  // The message of importing `text` as the record of a new workspace.
  std::string refusal(const std::string& text, const std::string& file = "0001-tile.json") {
    TemporaryFolder other;
    write_text(other.path() + "/results/records/" + file, text);
    Store fresh(other.path() + "/assay.db");
    const ImportReport report = import_workspace(fresh, other.path());
    if (report.findings.empty()) return "imported";
    EXPECT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.findings[0].path, "results/records/" + file);
    EXPECT_TRUE(fresh.experiments().empty());
    EXPECT_EQ(fresh.sql("SELECT count(*) FROM run")[1][0], 0);
    EXPECT_EQ(fresh.sql("SELECT count(*) FROM blob")[1][0], 0);
    return report.findings[0].text;
  }

  TemporaryFolder folder;
  Store store;
  ExperimentLabel label;
};

void play_reproduction(Store& store) {
  const std::string run = store.open_run("tile", {"reproduce", "assay reproduce 1", {}});
  store.end_run(run, {"green", 0, "replicated"});
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(TextFormTest, ImportAndExportGiveTheSameBytes) {
  write_all(store, workspace("a"));
  Store rebuilt(folder.path() + "/rebuilt.db");
  EXPECT_EQ(import_workspace(rebuilt, workspace("a")).lines,
            std::vector<std::string>{"imported 3 runs from results/records/0001-tile.json"});
  EXPECT_EQ(export_experiment(rebuilt, label), read_text(record("a")));
  EXPECT_EQ(render_record(rebuilt, label, workspace("a")),
            render_record(store, label, workspace("a")));
  EXPECT_EQ(check_files(rebuilt, workspace("a")), std::vector<std::string>{});
  EXPECT_TRUE(rebuilt.integrity().empty());
}

TEST_F(TextFormTest, ARebuiltDatabaseKnowsVerdictsSourcesAndCalibrations) {
  write_all(store, workspace("a"));
  Store rebuilt(folder.path() + "/rebuilt.db");
  import_workspace(rebuilt, workspace("a"));
  const ExperimentView view = fold(rebuilt.events("tile"));
  EXPECT_EQ(view.state, ExperimentState::kLanded);
  EXPECT_EQ(view.used_attempts(), 2);
  ASSERT_EQ(rebuilt.aa_history("aa/embedded", "").size(), 1u);
  EXPECT_EQ(rebuilt.aa_history("aa/embedded", "")[0].pair_values,
            (std::vector<double>{0.001, -0.002}));
  const auto& sources = view.attempts[1].opened.sources;
  EXPECT_EQ(rebuilt.blob(sources.begin()->second), "// mechanism of f2\nint tile = 64;\n");
}

TEST_F(TextFormTest, TheStopRuleIsNotEscapedByDeletingTheDatabase) {
  Store second(folder.path() + "/second.db");
  play_proposal(second, "fork", definition_text("fork"));
  play_red_run(second, "fork", "f1");
  play_red_run(second, "fork", "f2");
  write_all(second, workspace("b"));
  Store rebuilt(folder.path() + "/rebuilt.db");
  import_workspace(rebuilt, workspace("b"));
  AdmissionResult result;
  open_attempt_run(rebuilt, "fork", "f3", &result);
  EXPECT_EQ(result.admission, Admission::kStopped);
}

TEST_F(TextFormTest, OnlySealedRunsAreExported) {
  const std::string before = export_experiment(store, label);
  const std::string open = store.open_run("tile", {"reproduce", "assay reproduce 1", {}});
  EXPECT_EQ(export_experiment(store, label), before);
  store.end_run(open, {"green", 0, ""});
  EXPECT_NE(export_experiment(store, label), before);
}

TEST_F(TextFormTest, ARunSealedOutOfOrderComesBackInItsPlace) {
  Store other(folder.path() + "/other.db");
  play_proposal(other, "late", definition_text("late"));
  const std::string killed = open_attempt_run(other, "late", "f1");
  play_red_run(other, "late", "f2");
  other.end_run(killed, {"killed", 1, ""});
  write_all(other, workspace("c"));
  Store rebuilt(folder.path() + "/rebuilt.db");
  import_workspace(rebuilt, workspace("c"));
  EXPECT_EQ(rebuilt.runs("late")[1].id, killed);
  EXPECT_EQ(export_experiment(rebuilt, {1, "late"}), export_experiment(other, {1, "late"}));
}

TEST_F(TextFormTest, OnlyWhatIsMissingComesInAndKnownFilesAreNotReadAgain) {
  write_all(store, workspace("a"));
  Store other(folder.path() + "/other.db");
  EXPECT_EQ(import_workspace(other, workspace("a")).lines.size(), 1u);
  EXPECT_EQ(import_workspace(other, workspace("a")).lines.size(), 0u);
  play_reproduction(store);
  write_all(store, workspace("a"));
  EXPECT_EQ(import_workspace(other, workspace("a")).lines,
            std::vector<std::string>{"imported 1 run from results/records/0001-tile.json"});
  // Same path, size and time: not opened, although its content is now nonsense.
  const auto time = std::filesystem::last_write_time(record("a"));
  write_text(record("a"), std::string(read_text(record("a")).size(), 'x'));
  std::filesystem::last_write_time(record("a"), time);
  EXPECT_EQ(import_workspace(other, workspace("a")).lines.size(), 0u);
}

TEST_F(TextFormTest, AnAlteredSampleIsFoundWithItsPlace) {
  const std::string text = export_experiment(store, label);
  const std::string run = store.runs("tile")[2].id;
  const std::string message = refusal(replaced(text, "100000000", "99000000"));
  EXPECT_EQ(message.rfind("results/records/0001-tile.json:", 0), 0u) << message;
  EXPECT_NE(message.find(": run 2 (" + run + "): its events do not match its seal"),
            std::string::npos)
      << message;
  // The line is that of the run's id.
  const std::string head = text.substr(0, text.find("\"" + run + "\""));
  const auto line = 1 + std::count(head.begin(), head.end(), '\n');
  EXPECT_EQ(message.find(":" + std::to_string(line) + ": "),
            std::string("results/records/0001-tile.json").size())
      << message;
}

TEST_F(TextFormTest, DamagedFilesAreRefusedWhole) {
  const std::string text = export_experiment(store, label);
  const std::string path = "results/records/0001-tile.json";
  const std::string advice =
      "; restore it (git checkout -- " + path + "), or move it away and run `assay index`";
  const auto lines =
      std::count(text.begin(), text.begin() + static_cast<long>(text.size() / 2), '\n');
  EXPECT_EQ(refusal(text.substr(0, text.size() / 2)),
            path + ":" + std::to_string(lines + 1) +
                ": not JSON: cut off, edited, or with a merge conflict in it" + advice);
  EXPECT_EQ(refusal("{}"), path + ":1: a part is missing or of the wrong type" + advice);
  EXPECT_EQ(refusal(std::string(100000, '[')),
            path + ":1: nested too deeply for a record" + advice);
  EXPECT_EQ(refusal(replaced(text, "\"assay-record\"", "\"other\"")),
            path + ":1: not a record of Assay" + advice);
  EXPECT_NE(refusal(replaced(text, "\"version\": 1\n", "\"version\": 2\n"))
                .find("version 2 of the form, this program reads 1; update it"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, "\"slug\": \"tile\"", "\"slug\": \"tale\""))
                .find("the file's name says 0001-tile, its content 0001-tale"),
            std::string::npos);
  EXPECT_NE(refusal(text, "0002-tile.json").find("the file's name says 0002-tile"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, "\"kind\": \"sample\"", "\"kind\": \"simple\""))
                .find("is of the unknown kind \"simple\""),
            std::string::npos);
  const std::string first = store.runs("tile")[0].seal;
  EXPECT_NE(refusal(replaced(text, "\"previous\": \"" + first, "\"previous\": \"00"))
                .find("the run before it is missing"),
            std::string::npos);
  const nlohmann::json blobs = nlohmann::json::parse(text)["blobs"];
  const std::string sha256 = blobs.items().begin().key();
  EXPECT_NE(refusal(replaced(text, blobs[sha256].get<std::string>(), "AAAA"))
                .find("source " + sha256 + ": a stored source is not zstd data"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, blobs[sha256].get<std::string>(), "AAA!"))
                .find("source " + sha256 + ": is not base64 text"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, blobs[sha256].get<std::string>(), to_base64(compress("other"))))
                .find("source " + sha256 + ": has another hash"),
            std::string::npos);
}

TEST_F(TextFormTest, ARecordWithoutASourceThatItNamesIsRefused) {
  const std::string text = export_experiment(store, label);
  nlohmann::json record = nlohmann::json::parse(text);
  const std::string sha256 = sha256_hex("// mechanism of f1\nint tile = 64;\n");
  ASSERT_TRUE(record["blobs"].contains(sha256));
  record["blobs"] = nlohmann::json::object();
  const std::string path = "results/records/0001-tile.json";
  const std::string run = store.runs("tile")[1].id;
  const std::string without = canonical_json(record);
  EXPECT_EQ(
      refusal(without),
      fmt::format("{}:{}: source {} (kernels/attention_prefill/cpu_avx2.cpp) of run 1 ({}) is "
                  "missing; restore it (git checkout -- {}), or move it away and import an "
                  "archive that has it",
                  path, line_of(without, "\"" + sha256 + "\""), sha256, run, path));
}

TEST_F(TextFormTest, AKeyThatStandsTwiceIsRefused) {
  const std::string text = export_experiment(store, label);
  EXPECT_EQ(
      refusal(replaced(text, "  \"slug\": \"tile\"", "  \"slug\": \"tile\",\n \"slug\": \"x\"")),
      fmt::format("results/records/0001-tile.json:{}: \"slug\" stands twice in one object; "
                  "restore it (git checkout -- results/records/0001-tile.json), or move it "
                  "away and run `assay index`",
                  1 + line_of(text, "  \"slug\": \"tile\"")));
}

// Of a later version, say. Nothing of it may be lost in silence.
TEST_F(TextFormTest, AFieldThatIsNotKnownIsKeptInABodyAndRefusedElsewhere) {
  const std::string text = export_experiment(store, label);
  for (const std::string& before :
       {std::string("  \"number\": 1"), std::string("\n      \"previous\": \"\""),
        std::string("          \"kind\": \"gate-result\"")}) {
    const std::string with = replaced(text, before, "\"reviewed\": true,\n" + before);
    EXPECT_EQ(refusal(with),
              fmt::format("results/records/0001-tile.json:{}: has the field \"reviewed\", which "
                          "this program does not know; update the program, or take the field out",
                          line_of(with, "\"reviewed\"")));
  }
  Store::ImportedExperiment record = read_record_text(text, "0001-tile");
  std::string seal;
  for (auto& [run, events] : record.runs) {
    events.back().body["mood"] = "good";
    run.previous = seal;
    run.seal = seal = seal_of(run.previous, events);
  }
  Store other(folder.path() + "/newer.db");
  other.import_experiment(record);
  const std::string again = export_experiment(other, label);
  EXPECT_NE(again.find("\"mood\": \"good\""), std::string::npos);
  EXPECT_EQ(read_record_text(again, "0001-tile").runs.back().second.back().body.at("mood"), "good");
}

TEST_F(TextFormTest, ASourceThatNobodyNamesIsRefused) {
  nlohmann::json record = nlohmann::json::parse(export_experiment(store, label));
  const std::string sha256 = sha256_hex("stray");
  record["blobs"][sha256] = to_base64(compress("stray"));
  EXPECT_NE(refusal(canonical_json(record)).find("source " + sha256 + ": no attempt names it; "),
            std::string::npos);
}

TEST_F(TextFormTest, ANumberThatIsNoneIsRefusedAtItsLine) {
  const std::string whole = export_experiment(store, label);
  for (const auto& [from, field] :
       {std::pair("\"number\": 1,", "\"number\""),
        std::pair("\"ordinal\": 0,\n      \"previous\"", "\"ordinal\"")}) {
    for (const char* value :
         {"-1", "4294967297", "1000000000000000000", "0.5", "1e30", "\"1\"", "null"}) {
      std::string text = whole;
      const std::size_t at = text.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      const std::size_t digits = text.find(": ", at) + 2;
      text.replace(digits, 1, value);
      const std::string said = refusal(text);
      EXPECT_NE(said.find(std::string(field) + " is "), std::string::npos) << said;
      EXPECT_NE(said.find("no whole number from "), std::string::npos) << said;
    }
  }
}

TEST_F(TextFormTest, AnEventOfNoTimeIsRefused) {
  Store::ImportedExperiment record = read_record_text(export_experiment(store, label), "0001-tile");
  for (const char* at : {"yesterday", "9999-99-99T00:00:00.000Z", "2026-02-29T00:00:00.000Z",
                         "2026-01-01T24:00:00.000Z", "2026-01-01T00:00:00.000"}) {
    auto& [run, events] = record.runs.at(0);
    events.at(1).at = at;
    run.seal = seal_of(run.previous, events);
    Store other(folder.path() + "/dates.db");
    try {
      other.import_experiment(record);
      FAIL() << at;
    } catch (const Error& error) {
      EXPECT_EQ(
          std::string(error.what()),
          fmt::format("run 0 ({}): event 1 is of the time \"{}\", which is none", run.id, at));
    }
  }
}

TEST_F(TextFormTest, DamagedFilesDoNotKeepOthersOut) {
  for (const std::string slug : {"second", "third", "fourth"}) {
    play_proposal(store, slug, definition_text(slug));
  }
  write_all(store, workspace("a"));
  const std::string records = workspace("a") + "/results/records/";
  write_text(records + "0001-tile.json", "{");
  std::filesystem::remove(records + "0003-third.json");
  std::filesystem::create_directory(records + "0003-third.json");
  Store other(folder.path() + "/other.db");
  const ImportReport report = import_workspace(other, workspace("a"));
  EXPECT_EQ(report.lines,
            (std::vector<std::string>{"imported 1 run from results/records/0002-second.json",
                                      "imported 1 run from results/records/0004-fourth.json",
                                      "imported 1 A/A effect from results/calibrations.json"}));
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].path, "results/records/0001-tile.json");
  EXPECT_EQ(report.findings[1].text,
            "results/records/0003-third.json: is a folder; a file belongs there");
  // What was found stays found, and is one finding each; the rest agrees.
  EXPECT_EQ(import_workspace(other, workspace("a")).findings.size(), 2u);
  EXPECT_EQ(check_files(other, workspace("a"), report.findings),
            (std::vector<std::string>{report.findings[0].text, report.findings[1].text}));
}

TEST_F(TextFormTest, WhatStandsInAFilesPlaceIsOneFinding) {
  write_all(store, workspace("a"));
  const std::string notes = "experiments/notes/tile.md";
  std::filesystem::create_directories(workspace("a") + "/" + notes);
  EXPECT_EQ(check_files(store, workspace("a")),
            std::vector<std::string>{notes + ": is a folder; a file belongs there"});
  std::filesystem::remove(workspace("a") + "/" + notes);
  const std::string index = workspace("a") + "/results/index.md";
  std::filesystem::remove(index);
  ASSERT_EQ(mkfifo(index.c_str(), 0600), 0);
  const std::string pipe =
      "results/index.md: is a pipe, a socket or a device; a file belongs there";
  EXPECT_EQ(check_files(store, workspace("a")), std::vector<std::string>{pipe});
  try {
    write_all(store, workspace("a"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), pipe);
  }
}

TEST_F(TextFormTest, AFolderOfRecordsThatIsNoneIsAFinding) {
  write_text(workspace("a") + "/results/records", "");
  const ImportReport report = import_workspace(store, workspace("a"));
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].text,
            "results/records: cannot be listed: Not a directory; it must be a readable folder");
  EXPECT_TRUE(import_workspace(store, workspace("none")).findings.empty());
}

TEST_F(TextFormTest, AClashOfNumbersIsAMessage) {
  write_all(store, workspace("a"));
  Store other(folder.path() + "/other.db");
  play_proposal(other, "unrelated", definition_text("unrelated"));
  const ImportReport report = import_workspace(other, workspace("a"));
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].text,
            "results/records/0001-tile.json:" +
                std::to_string(line_of(
                    read_text(workspace("a") + "/results/records/0001-tile.json"), "\"number\"")) +
                ": number 1 is unrelated here, and tile there: `assay renumber tile 2`, or `assay "
                "renumber unrelated 2`");
}

TEST_F(TextFormTest, HistoriesThatGrewApartAreNotMixed) {
  write_all(store, workspace("a"));
  Store other(folder.path() + "/other.db");
  import_workspace(other, workspace("a"));
  play_reproduction(other);
  play_reproduction(store);
  write_all(store, workspace("a"));
  const ImportReport report = import_workspace(other, workspace("a"));
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_NE(report.findings[0].text.find(
                "two histories of it have grown apart; keep one of them: move this file away and "
                "run `assay index`, or move the database away"),
            std::string::npos)
      << report.findings[0].text;
  EXPECT_EQ(other.runs("tile").size(), 4u);
}

TEST(BlobCodecTest, RoundTripsAndRefuses) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd", "\xff\x00\x01"}) {
    EXPECT_EQ(decompress(compress(text)), text);
  }
  EXPECT_THROW(decompress("nonsense"), Error);
  std::string cut = compress(std::string(1000, 'x'));
  cut.pop_back();
  EXPECT_THROW(decompress(cut), Error);
}

}  // namespace
}  // namespace assay
