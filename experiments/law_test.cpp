#include "experiments/law.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace assay {
namespace {

const char* const kOne =
    "version: 1\n"
    "laws:\n"
    "  - slug: kv-tile\n"
    "    statement: The tile is arithmetic.\n"
    "    when: {op: attention_prefill, changes: [tq, tkv]}\n"
    "    then: {not_class: bitwise}\n"
    "    evidence: [hist-60]\n"
    "    refuted_by: Equal bits.\n";

std::string refusal(const std::string& text) {
  try {
    parse_laws(text, "laws.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

std::string with(const std::string& part, const std::string& by) {
  std::string text = kOne;
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

LawSubject tile(const std::string& from, const std::string& to) {
  LawSubject subject;
  subject.changes = {{"attention_prefill", from, to}};
  return subject;
}

TEST(Law, ReadsWhatPeopleWrite) {
  const std::vector<Law> laws = parse_laws(kOne, "laws.yaml");
  ASSERT_EQ(laws.size(), 1u);
  EXPECT_EQ(laws[0].slug, "kv-tile");
  EXPECT_EQ(laws[0].line, 3);
  EXPECT_EQ(laws[0].claim(), "not class bitwise");
  EXPECT_EQ(laws[0].when.describe(), "op attention_prefill, changes tq or tkv");
  EXPECT_EQ(laws[0].evidence, std::vector<std::string>{"hist-60"});
}

TEST(Law, MistakesShowTheirPlace) {
  EXPECT_EQ(refusal(with("statement", "statment")),
            "laws.yaml:4:5: unknown key `statment`; did you mean `statement`?\n"
            "    statment: The tile is arithmetic.\n"
            "    ^");
  EXPECT_EQ(refusal(with("op: attention_prefill", "op: attention_prefil")),
            "laws.yaml:5:16: there is no op `attention_prefil`; did you mean `attention_prefill`?\n"
            "    when: {op: attention_prefil, changes: [tq, tkv]}\n"
            "               ^");
  EXPECT_EQ(refusal(with("op: attention_prefill", "op: \"tile_*\"")),
            "laws.yaml:5:16: no op begins as `tile_*` does; `assay levers` lists them\n"
            "    when: {op: \"tile_*\", changes: [tq, tkv]}\n"
            "               ^");
  EXPECT_EQ(refusal(with("{op: attention_prefill, changes: [tq, tkv]}", "{}")),
            "laws.yaml:5:11: `when` is empty: it would match all\n"
            "    when: {}\n"
            "          ^");
  EXPECT_EQ(refusal(with("not_class: bitwise", "not_class: bitwise, verdict: LAND")),
            "laws.yaml:6:11: `then` claims one thing: not_class, reason, or verdict: LAND\n"
            "    then: {not_class: bitwise, verdict: LAND}\n"
            "          ^");
  EXPECT_EQ(refusal(with("not_class: bitwise", "verdict: REVERT")),
            "laws.yaml:6:21: `then.verdict` is `REVERT`; it can be LAND\n"
            "    then: {verdict: REVERT}\n"
            "                    ^");
  EXPECT_EQ(refusal(with("[hist-60]", "[]")),
            "laws.yaml:7:15: `evidence` is empty: name the records that the law was learnt from\n"
            "    evidence: []\n"
            "              ^");
  EXPECT_EQ(refusal(with("    refuted_by: Equal bits.\n", "")),
            "laws.yaml:3:5: a law needs the key `refuted_by`\n"
            "  - slug: kv-tile\n"
            "    ^");
  EXPECT_EQ(refusal(std::string(kOne) + std::string(kOne).substr(std::string(kOne).find("  - "))),
            "laws.yaml:9:11: `kv-tile` stands twice; the first is on line 3\n"
            "  - slug: kv-tile\n"
            "          ^");
}

TEST(Law, MatchesWhatChanges) {
  const Law law = parse_laws(kOne, "laws.yaml").front();
  const std::string served = "attention_prefill.cuda.mma[tq=64,tkv=32]";
  EXPECT_TRUE(law.against(tile(served, "attention_prefill.cuda.mma[tq=48,tkv=32]")));
  EXPECT_TRUE(law.against(tile(served, "attention_prefill.cuda.mma[tq=64,tkv=64]")));
  EXPECT_FALSE(law.against(tile(served, "attention_prefill.cuda.mma[tq=64,tkv=32,kv=double]")));
  // Between mechanisms a parameter counts where both have it.
  EXPECT_FALSE(law.against(tile(served, "attention_prefill.cuda.wgmma[tkv=32]")));
  EXPECT_TRUE(law.against(tile(served, "attention_prefill.cuda.wgmma[tkv=64]")));
  LawSubject reorder = tile(served, "attention_prefill.cuda.mma[tq=48,tkv=32]");
  reorder.lever_class = LeverClass::kReorder;
  EXPECT_FALSE(law.against(reorder));
  EXPECT_FALSE(law.against(tile("", "attention_prefill.cuda.mma[tq=48,tkv=32]")));
}

TEST(Law, RangesPhasesDevicesAndExpectations) {
  const auto when = [](const std::string& text) {
    return parse_laws(with("{op: attention_prefill, changes: [tq, tkv]}", text), "laws.yaml")
        .front()
        .when;
  };
  LawSubject subject = tile("", "");
  subject.changes = {{"matmul_q4_1", "matmul_q4_1.cpu.avx512vnni_panel[tokens=8]",
                      "matmul_q4_1.cpu.avx512vnni_panel[tokens=12]"}};
  subject.phase = "prefill";
  subject.device = "cpu-avx512vnni";
  subject.expect_wall = 0.004;
  EXPECT_TRUE(when("{op: \"matmul_*\", changes: {tokens: {to: \"9..\"}}}").matches(subject));
  EXPECT_FALSE(when("{op: \"matmul_*\", changes: {tokens: {to: \"13..\"}}}").matches(subject));
  EXPECT_TRUE(when("{changes: {tokens: {from: 8}}}").matches(subject));
  EXPECT_FALSE(when("{changes: {tokens: {from: 4}}}").matches(subject));
  EXPECT_FALSE(when("{op: \"matvec_*\"}").matches(subject));
  EXPECT_TRUE(when("{device: cpu}").matches(subject));
  EXPECT_FALSE(when("{device: cuda}").matches(subject));
  EXPECT_FALSE(when("{phase: decode}").matches(subject));
  EXPECT_TRUE(when("{expect_wall_below: 0.5%}").matches(subject));
  EXPECT_FALSE(when("{expect_wall_below: 0.4%}").matches(subject));
  EXPECT_FALSE(when("{class: [reorder, operand]}").matches(subject));
  EXPECT_FALSE(when("{mechanism: launch}").matches(subject));
}

TEST(Law, ScopeIsPartsOfNamesAndAnUnknownNameMayBeWithin) {
  const Law law = parse_laws(std::string(kOne) +
                                 "    scope: {devices: [H200, EPYC], "
                                 "compilers: nvcc 13}\n",
                             "laws.yaml")
                      .front();
  EXPECT_TRUE(law.within("NVIDIA H200", "nvcc 13.0.88"));
  EXPECT_FALSE(law.within("NVIDIA A100", "nvcc 13.0.88"));
  EXPECT_FALSE(law.within("NVIDIA H200", "nvcc 12.9"));
  EXPECT_TRUE(law.within("", ""));
}

TEST(Law, TheProjectsOwnFileIsOne) {
  EXPECT_GE(read_laws(ASSAY_SOURCE_ROOT).size(), 5u);
  EXPECT_TRUE(read_laws("/nowhere").empty());
}

}  // namespace
}  // namespace assay
