#include "gates/proposal_laws.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace assay {
namespace {

// A definition of which only the text and the answers matter here: the subject is given beside it,
// as no variant of today has another query tile.
Definition tile_definition(const std::string& answers = "") {
  Definition definition = parse_definition(
      "slug: query-tile\n"
      "title: Query tiles of 48 rows\n"
      "lever: attention_prefill.tkv\n"
      "class: bitwise\n"
      "hypothesis: Room for a second buffer.\n"
      "candidate: {attention_prefill: \"attention_prefill.cuda.mma[tq=64,tkv=64]\"}\n"
      "workloads: [{model: embedded, phase: prefill, tokens: 128}]\n"
      "expect: {wall: 2%}\n"
      "bar: 1%\n" +
          answers,
      "query-tile.yaml");
  return definition;
}

LawSubject only_tq() {
  LawSubject subject = law_subject(tile_definition());
  subject.device = "cuda-sm90";
  subject.changes = {{"attention_prefill", "attention_prefill.cuda.mma[tq=64,tkv=32]",
                      "attention_prefill.cuda.mma[tq=48,tkv=32]"}};
  return subject;
}

KnownGround project() {
  KnownGround known;
  known.historical = read_historical(ASSAY_SOURCE_ROOT).entries;
  for (const HistoricalEntry& entry : known.historical) known.answerable.push_back(entry.id);
  return known;
}

KnownGround one_law() {
  KnownGround known;
  known.laws = parse_laws(
      "version: 1\nlaws:\n  - slug: query-tile-law\n    statement: The tile is arithmetic.\n"
      "    when: {op: attention_prefill, changes: [tq]}\n    then: {not_class: bitwise}\n"
      "    evidence: [hist-60]\n    scope: {devices: H200}\n"
      "    refuted_by: A green one.\n",
      "laws.yaml");
  known.answerable = {"query-tile-law"};
  return known;
}

LawRecord tried(const std::string& verdict, const std::string& reason, bool bits_equal) {
  LawRecord record{21, "tile-48", only_tq(), "NVIDIA H200", "nvcc 13", verdict, reason, bits_equal};
  return record;
}

std::string refusal(const Definition& definition, const LawSubject& subject,
                    const KnownGround& known, const std::string& device = "") {
  try {
    meet(definition, subject, device, known);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(ProposalLaws, ADefinitionThatChangesOnlyTheQueryTileIsMetByHist60) {
  EXPECT_EQ(
      refusal(tile_definition(), only_tq(), project()),
      "query-tile.yaml:6:32: what is known speaks against this, and the definition does not answer "
      "it\n"
      "candidate: {attention_prefill: \"attention_prefill.cuda.mma[tq=64,tkv=64]\"}\n"
      "                               ^\n"
      "hist-60 A second K/V buffer in prefill attention, paid for with a smaller query tile: "
      "REVERT "
      "(identity), from another GPU (NVIDIA, model not recorded), not measured here\n"
      "  veto       The change was worth having as a free one, without any other number in the "
      "output. That rests on the query tile leaving the chain of additions alone, and the second "
      "attempt says that it does not.\n"
      "  retry when A change of this kernel gives up equal bits on purpose and passes the gates of "
      "its class: then the second buffer comes along with it. Or the bits are shown to be equal "
      "first, by the ten-minute check, before anything is built.\n"
      "To go on all the same, say in the definition why this is different:\n"
      "answers:\n"
      "  hist-60: WHY THIS IS DIFFERENT");
}

TEST(ProposalLaws, AnAnswerLetsItThroughAndIsKept) {
  const Definition answered =
      tile_definition("answers: {hist-60: Equal bits were shown first by --premise.}\n");
  const std::vector<LawTouched> touched = meet(answered, only_tq(), "", project());
  ASSERT_EQ(touched.size(), 1u);
  EXPECT_EQ(touched[0].slug, "hist-60");
  EXPECT_EQ(touched[0].kind, "historical");
  EXPECT_EQ(touched[0].says, "against");
  EXPECT_EQ(touched[0].answer, "Equal bits were shown first by --premise.");
  EXPECT_EQ(touched_lines(touched),
            (std::vector<std::string>{
                "prior   hist-60 A second K/V buffer in prefill attention, paid for with a smaller "
                "query tile  REVERT identity, from another GPU (NVIDIA, model not recorded), not "
                "measured here",
                "        answered: Equal bits were shown first by --premise."}));
}

TEST(ProposalLaws, ALawNamesItsEvidenceAndWhatWouldRefuteIt) {
  KnownGround known = one_law();
  known.records = {tried("REVERT", "identity", false)};
  EXPECT_EQ(refusal(tile_definition(), only_tq(), known),
            "query-tile.yaml:6:32: what is known speaks against this, and the definition does not "
            "answer it\n"
            "candidate: {attention_prefill: \"attention_prefill.cuda.mma[tq=64,tkv=64]\"}\n"
            "                               ^\n"
            "law query-tile-law: The tile is arithmetic.\n"
            "  it says    op attention_prefill, changes tq: not class bitwise\n"
            "  learnt from hist-60\n"
            "  borne out by 0021 tile-48 (REVERT identity)\n"
            "  would be refuted by: A green one.\n"
            "To go on all the same, say in the definition why this is different:\n"
            "answers:\n"
            "  query-tile-law: WHY THIS IS DIFFERENT");
}

TEST(ProposalLaws, AContradictedLawIsShownAndStandsInNobodysWay) {
  KnownGround known = one_law();
  known.records = {tried("LAND", "", true)};
  const std::vector<LawTouched> touched = meet(tile_definition(), only_tq(), "", known);
  EXPECT_EQ(touched_lines(touched),
            std::vector<std::string>{
                "law     query-tile-law (contradicted) is against: The tile is arithmetic."});
}

TEST(ProposalLaws, AnotherDeviceOrClassIsOutsideOfIt) {
  EXPECT_EQ(refusal(tile_definition(), only_tq(), one_law(), "NVIDIA A100"), "accepted");
  LawSubject reorder = only_tq();
  reorder.lever_class = LeverClass::kReorder;
  EXPECT_EQ(refusal(tile_definition(), reorder, one_law()), "accepted");
}

TEST(ProposalLaws, ARecordOfTheSameCandidateWantsSupersedesOrAnAnswer) {
  KnownGround known;
  known.same = {{{9, "tile-64"}, "REVERT (no-gain)"}};
  known.answerable = {"tile-64"};
  EXPECT_EQ(refusal(tile_definition(), only_tq(), known),
            "query-tile.yaml:6:32: what is known speaks against this, and the definition does not "
            "answer it\n"
            "candidate: {attention_prefill: \"attention_prefill.cuda.mma[tq=64,tkv=64]\"}\n"
            "                               ^\n"
            "record 0009 tile-64: REVERT (no-gain): it judged this very candidate on this "
            "workload\n"
            "  `supersedes: tile-64` with `retry_when` takes it up again\n"
            "To go on all the same, say in the definition why this is different:\n"
            "answers:\n"
            "  tile-64: WHY THIS IS DIFFERENT");
  EXPECT_EQ(refusal(tile_definition("supersedes: tile-64\n"), only_tq(), known), "accepted");
}

TEST(ProposalLaws, AnAnswerToNothingNamesTheNearest) {
  EXPECT_EQ(refusal(tile_definition("answers: {hist-61: Because.}\n"), only_tq(), project()),
            "query-tile.yaml:10:20: `answers.hist-61` answers nothing that there is; did you mean "
            "`hist-60`?\n"
            "answers: {hist-61: Because.}\n"
            "                   ^");
}

}  // namespace
}  // namespace assay
