#include "experiments/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "engine/core/error.h"
#include "experiments/service_map.h"

namespace assay {
namespace {

// Every key that a definition can have.
constexpr const char* kWhole = R"(
slug: tile-of-64
title: Longer K/V tiles
lever: attention_prefill.tkv
class: reorder                              # or: bitwise, operand
hypothesis: >
  A tile of 64 positions
  halves the rescalings.
mechanism: work                             # wait | work | bytes | launch
service: seeds.yaml
scope: {device: cpu-avx2, when: {nkv: "1..1920"}}
candidate:
  attention_prefill: "attention_prefill.cpu.avx2[tkv=64]"
  rope: rope.cpu.avx2
workloads:
  - {model: embedded, phase: prefill, tokens: 128, threads: 1}
  - {model: models/small.gguf, phase: prefill, tokens: 1024}
guards:    [{model: embedded, phase: decode, depth: 1641, steps: 16, threads: 2}]
expect: {kernel: 15%, wall: 1.0%}
bar: 0.5%
derived_from: [tile-of-16, kv-double-buffer]
supersedes: tile-of-48
guard_margin: 0.01
retry_when: a head has more than 256 dimensions
override: the prediction leaves out the second level cache
answers: {tile-law: the law speaks of portable code}
background: Where the time goes.
campaign: seeds
principle: |
  One rescaling per tile.
  Half as many tiles.
)";

TEST(Definition, ReadsEveryKey) {
  const Definition d = parse_definition(kWhole, "d.yaml");
  EXPECT_EQ(d.slug, "tile-of-64");
  EXPECT_EQ(d.title, "Longer K/V tiles");
  EXPECT_EQ(d.lever, "attention_prefill.tkv");
  EXPECT_EQ(d.lever_class, LeverClass::kReorder);
  EXPECT_EQ(d.hypothesis, "A tile of 64 positions halves the rescalings.");
  EXPECT_EQ(d.mechanism, "work");
  EXPECT_EQ(d.service, "seeds.yaml");
  EXPECT_EQ(d.scope.device, "cpu-avx2");
  EXPECT_EQ(d.scope.when_key, "nkv");
  EXPECT_EQ(d.scope.when_low, 1);
  EXPECT_EQ(d.scope.when_high, 1920);
  EXPECT_EQ(d.candidate, (std::map<std::string, std::string>{
                             {"attention_prefill", "attention_prefill.cpu.avx2[tkv=64]"},
                             {"rope", "rope.cpu.avx2"}}));
  ASSERT_EQ(d.workloads.size(), 2u);
  EXPECT_EQ(d.workloads[0].model, "embedded");
  EXPECT_EQ(d.workloads[0].phase, "prefill");
  EXPECT_EQ(d.workloads[0].tokens, 128);
  EXPECT_EQ(d.workloads[0].threads, 1);
  EXPECT_EQ(d.workloads[1].model, "models/small.gguf");
  EXPECT_EQ(d.workloads[1].tokens, 1024);
  EXPECT_EQ(d.workloads[1].threads, 0);
  ASSERT_EQ(d.guards.size(), 1u);
  EXPECT_EQ(d.guards[0].phase, "decode");
  EXPECT_EQ(d.guards[0].depth, 1641);
  EXPECT_EQ(d.guards[0].steps, 16);
  EXPECT_EQ(d.guards[0].threads, 2);
  EXPECT_EQ(d.expect_kernel, 0.15);
  EXPECT_EQ(d.expect_wall, 0.01);
  EXPECT_EQ(d.bar, 0.005);
  EXPECT_EQ(d.guard_margin, 0.01);
  EXPECT_EQ(d.derived_from, (std::vector<std::string>{"tile-of-16", "kv-double-buffer"}));
  EXPECT_EQ(d.supersedes, "tile-of-48");
  EXPECT_EQ(d.retry_when, "a head has more than 256 dimensions");
  EXPECT_EQ(d.override_reason, "the prediction leaves out the second level cache");
  EXPECT_EQ(d.answers,
            (std::map<std::string, std::string>{{"tile-law", "the law speaks of portable code"}}));
  EXPECT_EQ(d.background, "Where the time goes.");
  EXPECT_EQ(d.campaign, "seeds");
  EXPECT_EQ(d.principle, "One rescaling per tile.\nHalf as many tiles.");
  EXPECT_EQ(d.text, kWhole);
}

constexpr const char* kLeast =
    "slug: tile-of-64\n"
    "title: Longer K/V tiles\n"
    "lever: attention_prefill.tkv\n"
    "class: bitwise\n"
    "hypothesis: Fewer rescalings.\n"
    "candidate: {attention_prefill: \"attention_prefill.cpu.avx2[tkv=64]\"}\n"
    "workloads: [{model: embedded, phase: decode, depth: 100}]\n"
    "expect: {kernel: 15 %}\n"
    "bar: 0%\n";

TEST(Definition, OptionalKeysHaveTheirDefaults) {
  const Definition d = parse_definition(kLeast, "d.yaml");
  EXPECT_EQ(d.lever_class, LeverClass::kBitwise);
  EXPECT_EQ(d.mechanism, "");
  EXPECT_EQ(d.service, "in_service.yaml");
  EXPECT_EQ(d.scope.device, "");
  EXPECT_EQ(d.scope.when_key, "");
  EXPECT_EQ(d.scope.when_high, 0);
  EXPECT_EQ(d.workloads[0].steps, 32);
  EXPECT_TRUE(d.guards.empty());
  EXPECT_EQ(d.expect_kernel, 0.15);
  EXPECT_EQ(d.expect_wall, std::nullopt);
  EXPECT_EQ(d.bar, 0.0);
  EXPECT_EQ(d.guard_margin, std::nullopt);
  EXPECT_TRUE(d.derived_from.empty());
  EXPECT_TRUE(d.answers.empty());
}

TEST(Definition, NullOptionalKeysAreAbsent) {
  const Definition d = parse_definition(
      std::string(kLeast) + "supersedes: null\noverride: ~\nscope: {when: {}}\nguard_margin:\n",
      "d.yaml");
  EXPECT_EQ(d.supersedes, "");
  EXPECT_EQ(d.override_reason, "");
  EXPECT_EQ(d.scope.when_key, "");
  EXPECT_EQ(d.guard_margin, std::nullopt);
}

TEST(Definition, RangesMayBeOpen) {
  const auto scope = [](const std::string& range) {
    return parse_definition(std::string(kLeast) + "scope: {when: {t: " + range + "}}\n", "d.yaml")
        .scope;
  };
  EXPECT_EQ(scope("\"1921..\"").when_low, 1921);
  EXPECT_EQ(scope("1921..").when_high, std::numeric_limits<int>::max());
  EXPECT_EQ(scope("..1920").when_low, 1);
  EXPECT_EQ(scope("..1920").when_high, 1920);
  EXPECT_EQ(scope("7..7").when_low, 7);
  EXPECT_EQ(scope("7..7").when_key, "t");
}

TEST(Definition, LinesMayEndAsOnWindows) {
  std::string text = kLeast;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\r\n");
  }
  EXPECT_EQ(parse_definition(text, "d.yaml").title, "Longer K/V tiles");
}

TEST(Definition, TenMegabytesAreRefusedWithoutBeingRead) {
  const std::string path = testing::TempDir() + "/ten_megabytes.yaml";
  std::ofstream(path) << "slug: tile-of-64\n" << std::string(10'000'000, '#') << "\n";
  try {
    read_definition(path);
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(),
              path +
                  ":1:1: the file is larger than 1 MB, which no file of this kind is\n"
                  "slug: tile-of-64\n^");
  }
}

TEST(Definition, AFileThatIsNotThereIsNamed) {
  try {
    read_definition("/nowhere/d.yaml");
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot read /nowhere/d.yaml: check the path");
  }
}

TEST(Definition, ABombOfAliasesIsRefusedAtItsFirstAnchor) {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    const char before = static_cast<char>(c - 1);
    text += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) text += std::string(i == 0 ? "*" : ", *") + before;
    text += "]\n";
  }
  try {
    parse_definition(text, "bomb.yaml");
    FAIL() << "parsed";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "bomb.yaml:1:4: anchors (`&name`) are not used here: write the value out\n"
                 "a: &a [x, x, x, x, x, x, x, x, x]\n"
                 "   ^");
  }
}

// The committed definitions: each parses, and its candidate is a step away from what is in service.
TEST(Definition, TheCommittedOnesAskForSomethingElseThanIsInService) {
  const std::string folder = std::string(ASSAY_SOURCE_ROOT) + "/experiments/";
  const ServiceMap map = read_service_map(folder + "in_service.yaml");
  int count = 0;
  std::set<std::pair<std::string, std::string>> superseding;  // old slug, new slug
  for (const auto& file : std::filesystem::directory_iterator(folder + "definitions")) {
    if (file.path().extension() != ".yaml") continue;
    const Definition d = read_definition(file.path().string());
    superseding.insert({d.supersedes, d.slug});
  }
  for (const auto& file : std::filesystem::directory_iterator(folder + "definitions")) {
    if (file.path().extension() != ".yaml") continue;
    const Definition d = read_definition(file.path().string());
    EXPECT_EQ(d.slug, file.path().stem().string());
    EXPECT_FALSE(d.background.empty()) << d.slug;
    EXPECT_FALSE(d.principle.empty()) << d.slug;
    EXPECT_FALSE(d.retry_when.empty()) << d.slug;
    for (const auto& [op, variant] : d.candidate) {
      const auto& rows = map.devices.at(d.scope.device).at(op);
      const bool serves = std::any_of(rows.begin(), rows.end(), [&](const MapRow& row) {
        return row.row.variant == variant && row.by != d.slug &&
               !superseding.contains({d.slug, row.by});
      });
      EXPECT_FALSE(serves) << variant << " already serves, and not because of " << d.slug;
    }
    ++count;
  }
  EXPECT_GE(count, 3);
}

TEST(Definition, ClassesHaveTheirWords) {
  EXPECT_EQ(to_string(LeverClass::kBitwise), "bitwise");
  EXPECT_EQ(to_string(LeverClass::kReorder), "reorder");
  EXPECT_EQ(to_string(LeverClass::kOperand), "operand");
}

}  // namespace
}  // namespace assay
