// Commands that read and keep history, over one played through the store.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gates/cli/driven_program.h"
#include "gates/cli/notes.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// 1 landed, 2 reverted (two reds), 3 with one red, 4 only proposed.
class KeptHistory : public ::testing::Test {
 protected:
  void SetUp() override {
    Store store(workspace.database());
    for (const char* slug : {"landed-one", "reverted-one", "open-one", "asked-one"}) {
      play_proposal(store, slug, definition_text(slug));
    }
    play_timed_run(store, "landed-one", "f1", {});
    play_red_run(store, "reverted-one", "f2");
    play_red_run(store, "reverted-one", "f3");
    play_red_run(store, "open-one", "f4");
  }
  TestWorkspace workspace;
};

TEST_F(KeptHistory, QueryJsonIsOneArrayWithItsBracketAlone) {
  const Finished done = workspace.assay({"query", "--format", "json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out.substr(0, 2), "[\n");
  const nlohmann::json rows = nlohmann::json::parse(done.out);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].at("verdict"), "LAND");
  EXPECT_EQ(rows[1].at("state"), "reverted");
  EXPECT_EQ(rows[3].at("verdict"), nullptr);
  EXPECT_EQ(workspace.assay({"query", "--json"}).out, done.out);
}

TEST_F(KeptHistory, QueryFilters) {
  const auto slugs = [&](std::vector<std::string> filter) {
    filter.insert(filter.begin(), {"query", "--json"});
    std::string all;
    for (const auto& row : nlohmann::json::parse(workspace.assay(filter).out)) {
      all += (all.empty() ? "" : " ") + row.at("slug").get<std::string>();
    }
    return all;
  };
  EXPECT_EQ(slugs({"--verdict", "LAND"}), "landed-one");
  EXPECT_EQ(slugs({"--state", "open"}), "open-one");
  EXPECT_EQ(slugs({"--lever", "attention_prefill.tkv", "--gate", "identity"}),
            "reverted-one open-one");
  EXPECT_EQ(slugs({"--op", "rope"}), "");
}

TEST_F(KeptHistory, QueryThatFindsNothingSaysSo) {
  const Finished done = workspace.assay({"query", "--op", "rope"});
  EXPECT_EQ(done.code, 0);
  EXPECT_NE(done.err.find("assay: no experiment matches\n"), std::string::npos);
}

TEST_F(KeptHistory, SqlReadsAndNeverWrites) {
  const Finished count =
      workspace.assay({"query", "--sql", "SELECT COUNT(*) AS n FROM label", "--format", "csv"});
  EXPECT_EQ(count.code, 0) << count.err;
  EXPECT_EQ(count.out, "n\r\n4\r\n");
  const Finished gone = workspace.assay({"query", "--sql", "DELETE FROM label"});
  EXPECT_EQ(gone.code, 2);
  EXPECT_EQ(
      workspace.assay({"query", "--sql", "SELECT COUNT(*) AS n FROM label", "--format", "csv"}).out,
      "n\r\n4\r\n");
}

TEST_F(KeptHistory, SqlAnswersInTheTypesOfJson) {
  const Finished done = workspace.assay(
      {"query", "--json", "--sql", "SELECT number, NULL AS none, slug FROM label LIMIT 1"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "[\n  {\"number\":1,\"none\":null,\"slug\":\"landed-one\"}\n]\n");
}

TEST_F(KeptHistory, SqlWithoutAnEndIsALostAnswer) {
  const Finished done = workspace.assay(
      {"query", "--time-limit", "0.05", "--sql",
       "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"});
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.err,
            "assay: --sql: no answer within 0.05 s, so the statement was ended; ask for less, or "
            "give it longer with --time-limit\n");
}

TEST_F(KeptHistory, QueryNamesWhatNeitherKernelsNorHistoryKnow) {
  workspace.assay({"query"});  // tidies up
  const auto refused = [&](const char* option, const char* value) {
    const Finished done = workspace.assay({"query", "--json", option, value});
    EXPECT_EQ(done.code, 2) << value;
    EXPECT_EQ(done.out, "") << value;
    return done.err;
  };
  EXPECT_EQ(refused("--lever", "attention_prefil.tkv"),
            "assay: query: --lever attention_prefil.tkv: no lever of the kernels, and none on "
            "record; did you mean `attention_prefill.tkv`?\n");
  EXPECT_EQ(refused("--op", "zzzz"),
            "assay: query: --op zzzz: no op of the kernels, and none on record; `assay levers` "
            "lists them\n");
  EXPECT_EQ(refused("--gate", "zzzzzzzzz"),
            "assay: query: --gate zzzzzzzzz: no such gate; the gates are ab, baseline, identity, "
            "margin, parity or preflight\n");
  EXPECT_EQ(refused("--gate", "identity=grren"),
            "assay: query: --gate identity=grren: no such outcome; did you mean `green`?\n");
  EXPECT_EQ(refused("--model", "qwen"),
            "assay: query: --model qwen: no experiment on record uses such a model; those used are "
            "embedded\n");
}

// An edit that keeps size and time, as copying tools can make one.
TEST_F(KeptHistory, IndexOfAllFilesMendsWhatLooksUntouched) {
  workspace.assay({"index"});
  const std::string path = workspace.path("results/index.md");
  const auto time = std::filesystem::last_write_time(path);
  std::string text = read_text(path);
  text[text.find("Experiments")] = 'e';
  write_text(path, text);
  std::filesystem::last_write_time(path, time);
  EXPECT_EQ(workspace.assay({"check", "--files"}).code, 3);
  EXPECT_EQ(workspace.assay({"index", "--all"}).code, 0);
  EXPECT_EQ(workspace.assay({"check", "--files"}).code, 0);
}

TEST_F(KeptHistory, ANoteThatNobodyCouldReadOrFindIsRefused) {
  const auto refused = [&](const std::vector<std::string>& arguments) {
    const Finished done = workspace.assay(arguments);
    EXPECT_EQ(done.code, 2);
    return done.err;
  };
  EXPECT_EQ(refused({"note", "reverted-one", "bad \xff byte"}),
            "assay: note: TEXT: byte 4 is not UTF-8\n");
  EXPECT_EQ(refused({"note", "reverted-one", "--corrects", "", "right"}),
            "assay: note: --corrects is empty: give the words that were said\n");
  EXPECT_EQ(refused({"note", "reverted-one", "a\n## Veto mechanism\nb"}),
            "assay: note: a line of the text begins with #, which would begin a section: give "
            "sections by --section; nothing was written\n");
}

TEST_F(KeptHistory, CheckNamesANoteThatIsNotUtf8) {
  write_text(workspace.path("experiments/notes/reverted-one.md"), "## Lessons\n\nbad \xff byte\n");
  workspace.assay({"index"});
  const Finished done = workspace.assay({"check", "--files"});
  EXPECT_EQ(done.code, 3);
  EXPECT_NE(done.out.find("experiments/notes/reverted-one.md:3: byte 16 of the file is not UTF-8: "
                          "no archive takes it; write it anew"),
            std::string::npos)
      << done.out;
}

TEST_F(KeptHistory, NoteMakesTheFileAndTheRecordShowsIt) {
  const Finished done = workspace.assay(
      {"note", "reverted-one", "--section", "Veto mechanism", "The tail tile", "is read twice."});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out,
            "note    experiments/notes/reverted-one.md (Veto mechanism)\n"
            "record  results/records/0002-reverted-one.md\n");
  EXPECT_EQ(read_text(workspace.path("experiments/notes/reverted-one.md")),
            with_note(empty_notes("reverted-one"), "Veto mechanism",
                      today() + ": The tail tile is read twice."));
  EXPECT_NE(read_text(workspace.path("results/records/0002-reverted-one.md"))
                .find("The tail tile is read twice."),
            std::string::npos);
}

TEST_F(KeptHistory, NoteOpensTheEditorOrSaysHowToWriteWithoutOne) {
  const std::string script = workspace.path("editor.sh");
  write_text(script, "echo 'by an editor' >> \"$1\"\n");
  const Finished edited =
      workspace.assay({"note", "2"}, {{"EDITOR", "sh " + script}, {"VISUAL", ""}});
  EXPECT_EQ(edited.code, 0) << edited.err;
  EXPECT_EQ(read_text(workspace.path("experiments/notes/reverted-one.md")),
            empty_notes("reverted-one") + "by an editor\n");
  const Finished none = workspace.assay({"note", "2"}, {{"EDITOR", ""}, {"VISUAL", ""}});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("EDITOR is not set"), std::string::npos) << none.err;
}

TEST_F(KeptHistory, CloseEndsAnExperimentOnce) {
  const Finished done =
      workspace.assay({"close", "asked-one", "--as", "unreached", "--because", "no AVX-512 here"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out,
            "0004 asked-one is now unreached\nrecord  results/records/0004-asked-one.md\n");
  EXPECT_EQ(workspace.assay({"close", "4", "--as", "closed", "--because", "x"}).err,
            "assay: asked-one is unreached already; what was learned since goes into `assay note "
            "asked-one`\n");
}

TEST_F(KeptHistory, CloseAsRevertedGivesUpTheSecondAttempt) {
  EXPECT_EQ(workspace.assay({"close", "asked-one", "--as", "reverted", "--because", "x"}).err,
            "assay: asked-one has no judged attempt to give up after; for an experiment without a "
            "verdict use --as closed or --as unreached\n");
  const Finished done = workspace.assay(
      {"close", "open-one", "--as", "reverted", "--because", "the fork is inherent"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(fold(Store(workspace.database()).events("open-one")).state, ExperimentState::kReverted);
  EXPECT_EQ(workspace.assay({"close", "landed-one", "--as", "closed", "--because", "x"}).code, 2);
}

TEST_F(KeptHistory, UnknownExperimentSaysWhatToDo) {
  EXPECT_EQ(
      workspace.assay({"show", "nothing-such"}).err,
      "assay: no experiment nothing-such: `assay query` lists those there are; a new one starts "
      "with `assay propose FILE`\n");
  write_text(workspace.path("experiments/definitions/written.yaml"), definition_text("written"));
  const Finished run = workspace.assay({"run", "written"});
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(
      run.err,
      "assay: written was never proposed: `assay propose experiments/definitions/written.yaml` "
      "first\n");
}

TEST_F(KeptHistory, RunOfAFinishedExperimentIsRefused) {
  const Finished stopped = workspace.assay({"run", "reverted-one"});
  EXPECT_EQ(stopped.code, 11);
  EXPECT_EQ(stopped.out, "");
  EXPECT_EQ(stopped.err,
            "assay: reverted-one is reverted: two attempts are used, and there is no third\n");
}

TEST_F(KeptHistory, ShowTakesSlugOrNumberAndJson) {
  const Finished text = workspace.assay({"show", "1"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out, workspace.assay({"show", "landed-one"}).out);
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);  // no colour off a terminal
  EXPECT_EQ(workspace.assay({"index"}).code, 0);
  EXPECT_EQ(workspace.assay({"show", "1", "--json"}).out,
            read_text(workspace.path("results/records/0001-landed-one.json")));
}

TEST_F(KeptHistory, IndexCountsWhatItWrites) {
  EXPECT_EQ(workspace.assay({"index"}).out,
            "index: 4 experiments, 10 files written, results/index.md\n");
  EXPECT_EQ(workspace.assay({"index"}).out,
            "index: 4 experiments, 0 files written, results/index.md\n");
}

TEST_F(KeptHistory, AnExportOfNothingAndOneToStandardOutputAreRefused) {
  const Finished nothing = workspace.assay({"export", "a.assay", "--since", "999"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_EQ(nothing.out, "");
  EXPECT_EQ(nothing.err,
            "assay: export: --since 999: no experiment with a run that has ended has this number "
            "or a later one; nothing was written\n");
  EXPECT_FALSE(fs::exists(workspace.path("a.assay")));
  const Finished dash = workspace.assay({"export", "-"});
  EXPECT_EQ(dash.code, 2);
  EXPECT_EQ(dash.out, "");
  EXPECT_EQ(dash.err,
            "assay: export: FILE is -: an archive goes into a file, not to standard output; give "
            "its name (a file that is called - is ./-)\n");
  EXPECT_FALSE(fs::exists(workspace.path("-")));
}

TEST_F(KeptHistory, CheckFindsAnEditedAndADeletedDocument) {
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  const Finished green = workspace.assay({"check", "--files", "--chain"});
  EXPECT_EQ(green.code, 0) << green.out;
  EXPECT_EQ(green.out, "check: 4 experiments, 8 runs, 4 verdicts: files and chain agree\n");
  EXPECT_EQ(workspace.assay({"check", "--chain"}).out,
            "check: 4 experiments, 8 runs, 4 verdicts: chain agrees\n");
  const std::string record = workspace.path("results/records/0002-reverted-one.md");
  write_text(record, read_text(record) + "added\n");
  fs::remove(workspace.path("results/records/0003-open-one.json"));
  const Finished red = workspace.assay({"check", "--files"});
  EXPECT_EQ(red.code, 3);
  EXPECT_NE(red.out.find("results/records/0002-reverted-one.md"), std::string::npos) << red.out;
  EXPECT_NE(red.out.find("results/records/0003-open-one.json"), std::string::npos) << red.out;
  const Finished json = workspace.assay({"check", "--files", "--json"});
  EXPECT_EQ(json.code, 3);
  EXPECT_EQ(nlohmann::json::parse(json.out).at("findings").size(), 2u) << json.out;
}

TEST_F(KeptHistory, CheckFindsAnAlteredSample) {
  tamper(workspace.database(), "DROP TRIGGER IF EXISTS event_no_update");
  Store store(workspace.database());
  const auto triggers = store.sql("SELECT name FROM sqlite_master WHERE type = 'trigger'");
  for (std::size_t i = 1; i < triggers.size(); ++i) {
    tamper(workspace.database(), "DROP TRIGGER " + triggers[i][0].get<std::string>());
  }
  tamper(workspace.database(),
         "UPDATE event SET body = replace(body, '\"ordinal\":2', '\"ordinal\":3') WHERE kind = "
         "'sample'");
  const Finished red = workspace.assay({"check", "--chain"});
  EXPECT_EQ(red.code, 3);
  EXPECT_NE(red.out.find("landed-one"), std::string::npos) << red.out;
}

}  // namespace
}  // namespace assay
