// Laws and historical entries through the program.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

const char* const kLaws =
    "version: 1\nlaws:\n"
    "  - slug: kv-tile-law\n"
    "    statement: The tile is arithmetic.\n"
    "    when: {op: attention_prefill, changes: [tkv]}\n"
    "    then: {not_class: bitwise}\n"
    "    evidence: [hist-7]\n"
    "    refuted_by: Equal bits with another tile.\n";

const char* const kEntry =
    "id: hist-7\nslug: old-tile\ntitle: A tile of old\nlevers: attention_prefill.tq\n"
    "op: attention_prefill\nclass: bitwise\nverdict: REVERT\nreason: identity\n"
    "device: NVIDIA X1\nasked: Is it equal?\nfound: It is not.\nveto: Sums move.\n"
    "retry_when: Bits do not matter.\nlessons: [Ask first.]\n";

class Laws : public ::testing::Test {
 protected:
  void SetUp() override {
    write_text(workspace.path("experiments/laws.yaml"), kLaws);
    write_text(workspace.path("experiments/historical/hist-7.yaml"), kEntry);
  }
  Finished propose(const std::string& text) {
    write_text(workspace.path("experiments/definitions/kv-tile.yaml"), text);
    return workspace.assay({"propose", "experiments/definitions/kv-tile.yaml"});
  }
  TestWorkspace workspace;
};

TEST_F(Laws, AProposalAgainstOneIsRefusedUntilItAnswers) {
  const std::string text = definition_text("kv-tile");
  const Finished refused = propose(text);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find(
                "what is known speaks against this, and the definition does not answer it\n"),
            std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("law kv-tile-law: The tile is arithmetic.\n"
                             "  it says    op attention_prefill, changes tkv: not class bitwise\n"
                             "  learnt from hist-7\n"
                             "  would be refuted by: Equal bits with another tile.\n"
                             "To go on all the same, say in the definition why this is different:\n"
                             "answers:\n"
                             "  kv-tile-law: WHY THIS IS DIFFERENT\n"),
            std::string::npos)
      << refused.err;
  EXPECT_TRUE(Store(workspace.database()).experiments().empty());
  const Finished done = propose(text + "answers: {kv-tile-law: This sets out to refute it.}\n");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("law     kv-tile-law (not met yet) is against: The tile is arithmetic.\n"
                          "        answered: This sets out to refute it.\n"),
            std::string::npos)
      << done.out;
  const nlohmann::json stored =
      fold(Store(workspace.database()).events("kv-tile")).proposal.preflight.at("laws");
  EXPECT_EQ(stored.at(0).at("slug"), "kv-tile-law");
  EXPECT_EQ(stored.at(0).at("answer"), "This sets out to refute it.");
}

TEST_F(Laws, TheListHasStateAndEvidence) {
  const Finished done = workspace.assay({"laws"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("kv-tile-law"), std::string::npos);
  EXPECT_NE(done.out.find("not met yet"), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(workspace.assay({"laws", "--json"}).out);
  EXPECT_EQ(json.at(0).at("claims"), "not class bitwise");
  EXPECT_EQ(json.at(0).at("evidence").at(0), "hist-7");
  const Finished one = workspace.assay({"laws", "kv-tile-law"});
  EXPECT_EQ(one.out,
            "kv-tile-law  not met yet\n"
            "statement     The tile is arithmetic.\n"
            "when          op attention_prefill, changes tkv\n"
            "claims        not class bitwise\n"
            "evidence      hist-7\n"
            "refuted by    Equal bits with another tile.\n");
  EXPECT_EQ(workspace.assay({"laws", "kv-tile-lwa"}).err,
            "assay: laws: no law kv-tile-lwa; did you mean `kv-tile-law`?\n");
}

TEST_F(Laws, EvidenceThatIsNowhereIsFound) {
  std::string text = kLaws;
  text.replace(text.find("hist-7"), 6, "hist-9");
  write_text(workspace.path("experiments/laws.yaml"), text);
  const Finished done = workspace.assay({"laws"});
  EXPECT_EQ(done.code, 3);
  EXPECT_EQ(done.err,
            "assay: experiments/laws.yaml:3: kv-tile-law rests on hist-9, and there is no such "
            "record\n");
  const Finished checked = workspace.assay({"check"});
  EXPECT_EQ(checked.code, 3);
  EXPECT_NE(checked.out.find("experiments/laws.yaml:3: kv-tile-law rests on hist-9, and there is "
                             "no such record; take it in, or name another as evidence\n"),
            std::string::npos)
      << checked.out;
}

TEST_F(Laws, MistakesInTheFilesAreToldWithTheirPlace) {
  write_text(workspace.path("experiments/laws.yaml"), "version: 2\nlaws: []\n");
  const Finished done = workspace.assay({"laws"});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("experiments/laws.yaml:1:10: `version` is 2; it can be 1 to 1\n"),
            std::string::npos)
      << done.err;
}

TEST_F(Laws, HistoricalEntriesAreShownQueriedAndIndexed) {
  const Finished shown = workspace.assay({"show", "hist-7"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("from another GPU (NVIDIA X1), not measured here"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(workspace.assay({"show", "hist-7", "--json"}).out).at("id"),
            "hist-7");
  EXPECT_EQ(workspace.assay({"show", "hist-8"}).code, 2);
  const nlohmann::json rows = nlohmann::json::parse(
      workspace.assay({"query", "--json", "--lever", "attention_prefill.tq"}).out);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.at(0).at("slug"), "hist-7-old-tile");
  EXPECT_EQ(rows.at(0).at("number"), nullptr);
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  EXPECT_NE(read_text(workspace.path("results/index.md")).find("hist-7-old-tile.md"),
            std::string::npos);
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
}

TEST_F(Laws, HistoricalEntriesAreNothingToMeasureOrReport) {
  for (const char* command : {"report", "reproduce"}) {
    const Finished done = workspace.assay({command, "hist-7"});
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(
        done.err,
        "assay: hist-7 is an entry from elsewhere, no experiment of this history: `assay show "
        "hist-7` has all of it\n");
  }
  EXPECT_EQ(workspace.assay({"show", "hist-7", "--values"}).err,
            "assay: show: hist-7 is from elsewhere: it has no values and no stored sources\n");
}

// Asked in words, they answer as experiments do.
TEST_F(Laws, HistoricalEntriesAreFoundByTheirWords) {
  const Finished tried = workspace.assay({"tried", "tile*"});
  EXPECT_EQ(tried.code, 0);
  EXPECT_NE(tried.out.find("hist-7  hist-7-old-tile: A tile of old\n"), std::string::npos)
      << tried.out;
  const Finished row = workspace.assay({"query", "--text", "tile*", "--state", "historical"});
  EXPECT_NE(row.out.find("hist-7"), std::string::npos) << row.out;
  EXPECT_EQ(workspace.assay({"query", "--text", "til", "--state", "historical"}).out.find("hist-7"),
            std::string::npos);
}

// They are of no experiment: the sequence of numbers begins at 1 all the same.
TEST_F(Laws, HistoricalEntriesTakeNoNumber) {
  const Finished done =
      propose(definition_text("kv-tile") + "answers: {kv-tile-law: To refute it.}\n");
  EXPECT_NE(done.out.find("proposed 0001 kv-tile"), std::string::npos) << done.out << done.err;
}

}  // namespace
}  // namespace assay
