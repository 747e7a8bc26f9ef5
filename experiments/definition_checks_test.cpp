// What a definition is told that parses, and asks what no run could answer.
#include "experiments/definition_checks.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "experiments/definition_place.h"

namespace assay {
namespace {

constexpr std::string_view kGood =
    "slug: tile-of-64\n"
    "title: Longer K/V tiles\n"
    "lever: attention_prefill.tkv\n"
    "class: bitwise\n"
    "hypothesis: Fewer rescalings per row.\n"
    "candidate: {attention_prefill: \"attention_prefill.cpu.avx2[tkv=64]\"}\n"
    "workloads: [{model: embedded, phase: prefill, tokens: 128}]\n"
    "expect: {wall: 10%}\n"
    "bar: 5%\n";

std::string with(std::string_view from, std::string_view to) {
  const std::size_t at = kGood.find(from);
  EXPECT_NE(at, std::string_view::npos) << from;
  return std::string(kGood).replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  const Definition definition = parse_definition(text, "d.yaml");
  try {
    check_definition(definition);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(DefinitionChecks, TheUneditedDefinitionIsAccepted) {
  EXPECT_EQ(refusal(std::string(kGood)), "accepted");
}

TEST(DefinitionChecks, AWorkloadThatStandsTwice) {
  EXPECT_EQ(refusal(with("tokens: 128}]",
                         "tokens: 128}, {model: embedded, phase: prefill, tokens: 128}]")),
            "d.yaml:7:61: workload 2 is the same as workload 1: leave one out\n"
            "...ds: [{model: embedded, phase: prefill, tokens: 128}, {model: embedded, phase: "
            "prefill, tokens: 128}]\n"
            "                                                        ^");
  EXPECT_EQ(refusal(with("bar: 5%",
                         "bar: 5%\nguards:\n"
                         "  - {model: embedded, phase: prefill, tokens: 128}")),
            "d.yaml:11:5: guard 1 is the same as workload 1: leave one out\n"
            "  - {model: embedded, phase: prefill, tokens: 128}\n"
            "    ^");
  EXPECT_EQ(refusal(with("bar: 5%",
                         "bar: 5%\nguards:\n"
                         "  - {model: embedded, phase: prefill, tokens: 127}")),
            "accepted");
}

TEST(DefinitionChecks, MoreThreadsThanAWorkerTakes) {
  EXPECT_EQ(refusal(with("tokens: 128", "threads: 257, tokens: 128")),
            "d.yaml:7:56: `threads` is 257; a worker takes 0 (one per core) to 256\n"
            "workloads: [{model: embedded, phase: prefill, threads: 257, tokens: 128}]\n"
            "                                                       ^");
}

TEST(DefinitionChecks, APhaseInWhichNothingChanges) {
  EXPECT_EQ(refusal(with("phase: prefill, tokens: 128", "phase: decode, depth: 9")),
            "d.yaml:7:38: no op of the candidate works in decode, so the first workload would time "
            "nothing that changes\n"
            "workloads: [{model: embedded, phase: decode, depth: 9}]\n"
            "                                     ^");
}

TEST(DefinitionChecks, NumbersThatDecideNothing) {
  EXPECT_EQ(refusal(with("bar: 5%", "bar: 0%")),
            "d.yaml:9:6: `bar` is 0 %: say from which gain on the change is worth its place, such "
            "as 0.5%\n"
            "bar: 0%\n"
            "     ^");
  EXPECT_EQ(refusal(with("{wall: 10%}", "{kernel: 0.0, wall: 10%}")),
            "d.yaml:8:18: `expect.kernel` is 0 %: a change that is expected to gain nothing needs "
            "no run\n"
            "expect: {kernel: 0.0, wall: 10%}\n"
            "                 ^");
  EXPECT_EQ(refusal(with("bar: 5%", "bar: 5%\nguard_margin: 0%")),
            "d.yaml:10:15: `guard_margin` is 0 %: no measurement can show that nothing at all is "
            "lost; allow a loss, such as 1%\n"
            "guard_margin: 0%\n"
            "              ^");
  EXPECT_EQ(refusal(with("bar: 5%", "bar: 5%\nguard_margin: 100%")),
            "d.yaml:10:15: `guard_margin` is 100 %: a guard that may lose everything guards "
            "nothing\n"
            "guard_margin: 100%\n"
            "              ^");
}

TEST(DefinitionChecks, AGainThatTheBarRulesOut) {
  for (const char* wall : {"5%", "4.9%", "0%"}) {
    const std::string expect = "{wall: " + std::string(wall) + "}";
    EXPECT_TRUE(refusal(with("{wall: 10%}", expect)).starts_with("d.yaml:8:16: `expect.wall` is "))
        << wall;
    EXPECT_EQ(refusal(with("{wall: 10%}", expect + "\noverride: to see it")), "accepted");
  }
  EXPECT_EQ(refusal(with("{wall: 10%}", "{wall: 4.9%}")),
            "d.yaml:8:16: `expect.wall` is 4.90 %, and only a gain above the bar of 5.00 % can "
            "land: raise the gain, lower the bar, or say in `override` why it should run all the "
            "same\n"
            "expect: {wall: 4.9%}\n"
            "               ^");
}

TEST(DefinitionChecks, PositionsThatAWorkloadNeeds) {
  EXPECT_EQ(positions({.model = "embedded", .phase = "prefill", .tokens = 7}), 7);
  EXPECT_EQ(positions({.model = "embedded", .phase = "decode", .depth = 7, .steps = 5}), 12);
  EXPECT_EQ(positions({.model = "embedded", .phase = "decode", .depth = 0, .steps = 5}), 6);
}

TEST(DefinitionPlace, WhatIsAbsentIsShownAtTheNearestThatIsThere) {
  const Definition definition = parse_definition(std::string(kGood), "d.yaml");
  try {
    refuse_at(definition, {"workloads", "0", "threads"}, "too many");
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("d.yaml:7:13: too many\n")) << error.what();
  }
  try {
    refuse_at(definition, {"guards", "3"}, "too many");
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "d.yaml:1:1: too many\nslug: tile-of-64\n^");
  }
}

}  // namespace
}  // namespace assay
