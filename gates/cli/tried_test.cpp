// assay tried, backup and restore, as a user calls them: whole answers.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

class Tried : public ::testing::Test {
 protected:
  Tried() {
    Store store(workspace.database());
    play_proposal(store, "wide", definition_text("wide", "Wider \x1b[31mtiles"));
    play_red_run(store, "wide", "f1");
    play_red_run(store, "wide", "f2");
    day = store.events("wide")[0].at.substr(0, 10);
    write_text(workspace.path("experiments/notes/wide.md"),
               "## Lessons\n\nIt spills.\n\n## Veto mechanism\n\nRegister pressure.\n\n"
               "## Retry condition\n\nA wider file.\n");
  }
  std::string answer() const {
    return "0001  wide: Wider \xE2\x90\x9B[31mtiles\n"
           "      attention_prefill.tkv; REVERT identity; not timed\n"
           "      on cpu-avx2, " +
           day +
           "\n"
           "      why: token 19 differs: 311 became 298\n"
           "      veto mechanism: Register pressure.\n"
           "      retry condition: A wider file.\n"
           "      another attempt: no: reverted, and the two-attempt rule ends it; a new "
           "experiment "
           "must name this one in `supersedes` and say which retry condition holds now\n";
  }
  TestWorkspace workspace;
  std::string day;
};

TEST_F(Tried, OneAnswerForALeverAnOpAVariantAndWords) {
  for (const char* asked : {"attention_prefill.tkv", "attention_prefill",
                            "attention_prefill.cpu.avx2[tkv=64]", "wider"}) {
    const Finished done = workspace.assay({"tried", asked});
    EXPECT_EQ(done.code, 0) << asked;
    EXPECT_EQ(done.out, answer() + "tried: 1 experiment\n") << asked;
    EXPECT_EQ(done.err, "") << asked;
  }
  EXPECT_EQ(workspace.assay({"tried", "spills", "--gpu", "AVX"}).out,
            answer() + "      found in lessons: It spills.\ntried: 1 experiment\n");
}

TEST_F(Tried, NothingFoundIsAnAnswer) {
  const auto says = [&](const std::vector<std::string>& words) {
    std::vector<std::string> command{"tried"};
    command.insert(command.end(), words.begin(), words.end());
    const Finished done = workspace.assay(command);
    EXPECT_EQ(done.code, 0);
    return done.out;
  };
  EXPECT_EQ(says({"spilss"}),
            "tried: nothing on record matches spilss; nearest to spilss: spills\n");
  EXPECT_EQ(says({"attention_prefil.tkv"}),
            "tried: nothing on record matches attention_prefil.tkv; nearest to "
            "attention_prefil.tkv: attention_prefill.tkv\n");
  EXPECT_EQ(
      says({"rms_norm.unroll"}),
      "tried: nothing on record matches rms_norm.unroll; there is rms_norm.unroll, and nobody "
      "has tried it\n");
  EXPECT_EQ(says({"spills", "--gpu", "H200"}),
            "tried: nothing on record matches spills on H200; devices on record: cpu-avx2\n");
  const Finished json = workspace.assay({"tried", "spilss", "--json"});
  EXPECT_EQ(json.code, 0);
  EXPECT_EQ(json.out, "[]\n");
  EXPECT_EQ(json.err, "assay: nothing on record matches spilss; nearest to spilss: spills\n");
}

TEST_F(Tried, Json) {
  const auto rows = nlohmann::json::parse(workspace.assay({"tried", "spill*", "--json"}).out);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("slug"), "wide");
  EXPECT_EQ(rows[0].at("devices"), nlohmann::json({"cpu-avx2"}));
  EXPECT_EQ(rows[0].at("veto_mechanism"), "Register pressure.");
  EXPECT_EQ(rows[0].at("found"), nlohmann::json({{"place", "lessons"}, {"snippet", "It spills."}}));
}

TEST_F(Tried, QueryTakesAGpuThatIsOnRecord) {
  EXPECT_EQ(workspace.assay({"query", "--gpu", "H200"}).err,
            "assay: query: --gpu H200: no attempt on record ran on such a device; those used are "
            "cpu-avx2\n");
  EXPECT_EQ(workspace.assay({"query", "--gpu", "H200"}).code, 2);
  EXPECT_EQ(nlohmann::json::parse(workspace.assay({"query", "--gpu", "avx2", "--json"}).out).size(),
            1u);
}

TEST_F(Tried, WhereThereIsNoWordNothingCanBeSearched) {
  const auto expect = [&](const std::vector<std::string>& command, const std::string& message) {
    const Finished done = workspace.assay(command);
    EXPECT_EQ(done.err, "assay: " + message + "\n");
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(done.code, 2);
  };
  for (const std::string text : {"*", "\"", "(\"*", " "}) {
    expect({"tried", text}, "tried: " + text + ": there is no word in it");
    expect({"query", "--text", text}, "query: --text " + text + ": there is no word in it");
  }
  expect({"tried", ""}, "tried: WORDS is empty; give a value");
  expect({"tried", "", ""}, "tried: WORDS is empty; give a value");
}

TEST_F(Tried, ABackupIsRestored) {
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  const Finished backup = workspace.assay({"backup", "kept.db"});
  EXPECT_EQ(backup.code, 0) << backup.err;
  EXPECT_TRUE(backup.out.starts_with("backup: 1 experiment, 3 runs, ")) << backup.out;
  std::filesystem::remove(workspace.database());
  const Finished restored = workspace.assay({"restore", "kept.db"});
  EXPECT_EQ(restored.code, 0) << restored.err;
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
  EXPECT_NE(backup.out.find("read back: its pages are whole (`assay check --chain` says"),
            std::string::npos)
      << backup.out;
  write_text(workspace.database(), "");
  EXPECT_EQ(workspace.assay({"restore", "kept.db"}).code, 0);
  EXPECT_EQ(workspace.assay({"backup", "kept.db"}).code, 2);
  EXPECT_EQ(workspace.assay({"restore", "none.db"}).code, 2);
}

}  // namespace
}  // namespace assay
