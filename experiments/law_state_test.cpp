#include "experiments/law_state.h"

#include <gtest/gtest.h>

#include <set>

#include "experiments/historical.h"
#include "experiments/record/log_for_tests.h"

namespace assay {
namespace {

Law law_that(const std::string& when, const std::string& then, const std::string& scope = "") {
  return parse_laws("version: 1\nlaws:\n  - slug: the-law\n    statement: S.\n    when: " + when +
                        "\n    then: " + then + "\n    evidence: [abc]\n    refuted_by: R.\n" +
                        scope,
                    "laws.yaml")
      .front();
}

LawRecord record(const std::string& verdict, const std::string& reason, bool bits_equal) {
  LawRecord made;
  made.number = 7;
  made.slug = "tile";
  made.device = "NVIDIA H200";
  made.subject.changes = {{"attention_prefill", "attention_prefill.cuda.mma[tq=64,tkv=32]",
                           "attention_prefill.cuda.mma[tq=64,tkv=64]"}};
  made.verdict = verdict;
  made.reason = reason;
  made.bits_equal = bits_equal;
  return made;
}

const char* const kTile = "{op: attention_prefill, changes: [tkv]}";

TEST(LawState, AClassIsBorneOutByRedAndContradictedByEqualBits) {
  const Law law = law_that(kTile, "{not_class: bitwise}");
  EXPECT_EQ(says_of(law, record("REVERT", "identity", false)), 1);
  EXPECT_EQ(says_of(law, record("REVERT", "parity", false)), 1);
  EXPECT_EQ(says_of(law, record("REVERT", "crash", false)), 0);
  // Slower, and with equal bits: the class held.
  EXPECT_EQ(says_of(law, record("REVERT", "slower", true)), -1);
  EXPECT_EQ(says_of(law, record("LAND", "", true)), -1);
  EXPECT_EQ(says_of(law, record("", "", true)), -1);
  EXPECT_EQ(says_of(law, record("", "", false)), 0);
  LawRecord reorder = record("LAND", "", true);
  reorder.subject.lever_class = LeverClass::kReorder;
  EXPECT_EQ(says_of(law, reorder), 0);
}

TEST(LawState, AReasonIsContradictedByALand) {
  const Law law = law_that(kTile, "{reason: [no-gain, unproven]}");
  EXPECT_EQ(says_of(law, record("REVERT", "no-gain", true)), 1);
  EXPECT_EQ(says_of(law, record("LAND", "", true)), -1);
  EXPECT_EQ(says_of(law, record("REVERT", "slower", true)), 0);
  const Law red = law_that(kTile, "{reason: identity}");
  EXPECT_EQ(says_of(red, record("REVERT", "slower", true)), -1);
}

TEST(LawState, ALandIsContradictedByATimedRevertAndNotByAnUnprovenOne) {
  const Law law = law_that(kTile, "{verdict: LAND}");
  EXPECT_EQ(says_of(law, record("LAND", "", true)), 1);
  EXPECT_EQ(says_of(law, record("REVERT", "slower", true)), -1);
  EXPECT_EQ(says_of(law, record("REVERT", "unproven", true)), 0);
  EXPECT_EQ(says_of(law, record("REVERT", "identity", false)), 0);
}

TEST(LawState, OnlyWithinScopeAndOneContradictionDecides) {
  const std::vector<LawRecord> records{record("REVERT", "identity", false),
                                       record("REVERT", "slower", true)};
  EXPECT_EQ(state_of(law_that(kTile, "{not_class: bitwise}"), records).word(), "contradicted");
  EXPECT_EQ(
      state_of(law_that(kTile, "{not_class: bitwise}", "    scope: {devices: A100}\n"), records)
          .word(),
      "not met yet");
  EXPECT_EQ(state_of(law_that(kTile, "{not_class: bitwise}"), {records[0]}).word(), "upheld");
  // A record says where it ran; one that does not is outside of a law that asks.
  LawRecord nameless = records[1];
  nameless.device = "";
  EXPECT_EQ(
      state_of(law_that(kTile, "{not_class: bitwise}", "    scope: {devices: H200}\n"), {nameless})
          .word(),
      "not met yet");
}

TEST(LawState, AnExperimentOnRecordIsReadWithItsIncumbentDeviceAndCompiler) {
  Log log;
  log.propose(
      "slug: my-lever\ntitle: T\nlever: attention_prefill.tkv\nclass: bitwise\nhypothesis: H\n"
      "candidate: {attention_prefill: \"attention_prefill.cpu.avx2[tkv=64]\"}\n"
      "workloads: [{model: embedded, phase: prefill, tokens: 128}]\nexpect: {wall: 2%}\nbar: 1%\n");
  log.open("run");
  log.events.back().body["provenance"] = {{"device", "AMD EPYC"}, {"compiler", "GNU 12.2.0"}};
  log.add(
      EventKind::kGateResult,
      GateResult{"preflight",
                 "green",
                 "",
                 "",
                 {{"changes",
                   {{"attention_prefill", {{"incumbent", "attention_prefill.cpu.avx2[tkv=32]"}}}}}},
                 0});
  AttemptOpened opened;
  opened.ordinal = 1;
  opened.fingerprint = "f1";
  opened.candidate = {{"attention_prefill", "attention_prefill.cpu.avx2[tkv=64]"}};
  log.add(EventKind::kAttemptOpened, opened);
  log.gate("identity", "green");
  log.gate("parity", "green");
  log.verdict(1, "REVERT", "slower");
  log.end("red", 10);
  const std::vector<LawRecord> records = law_records({3, "my-lever"}, log.view());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].number, 3);
  EXPECT_EQ(records[0].device, "AMD EPYC");
  EXPECT_EQ(records[0].compiler, "GNU 12.2.0");
  EXPECT_TRUE(records[0].bits_equal);
  EXPECT_EQ(says_of(law_that(kTile, "{not_class: bitwise}"), records[0]), -1);
}

TEST(LawState, TouchedLawsAreReadBackFromAProposal) {
  EXPECT_TRUE(laws_touched(nullptr).empty());
  EXPECT_TRUE(laws_touched({{"prior", nlohmann::json::array()}}).empty());
  const LawTouched one{"kv-tile", "law", "S.", "against", "upheld", {"hist-60"}, "It differs."};
  const std::vector<LawTouched> read = laws_touched({{"laws", std::vector<LawTouched>{one}}});
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].slug, "kv-tile");
  EXPECT_EQ(read[0].answer, "It differs.");
}

}  // namespace
}  // namespace assay
