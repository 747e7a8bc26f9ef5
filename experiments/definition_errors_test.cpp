// What a malformed definition is told: the whole text, place and caret included.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>

#include "engine/core/error.h"
#include "experiments/definition.h"

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

// `from`, a part of kGood, is replaced by `to`; with no `from`, `to` is the whole text.
struct Malformed {
  const char* name;
  std::string_view from;
  std::string_view to;
  std::string_view expected;
};

constexpr Malformed kMalformed[] = {
    {"an unknown key with a near one", "title: Longer", "titel: Longer",
     "d.yaml:2:1: unknown key `titel`; did you mean `title`?\n"
     "titel: Longer K/V tiles\n"
     "^"},
    {"an unknown key like no other", "bar: 5%", "bar: 5%\nqqqqqqq: 1",
     "d.yaml:10:1: unknown key `qqqqqqq`; the keys of a definition are slug, title, lever, class, "
     "hypothesis, mechanism, service, scope, candidate, workloads, guards, expect, bar, "
     "derived_from, supersedes, guard_margin, retry_when, override, answers, background, "
     "principle, campaign\n"
     "qqqqqqq: 1\n"
     "^"},
    {"a key that stands twice", "bar: 5%", "bar: 5%\ntitle: again",
     "d.yaml:10:1: `title` stands twice; the first is on line 2\n"
     "title: again\n"
     "^"},
    {"a missing key", "bar: 5%\n", "",
     "d.yaml:1:1: a definition needs the key `bar`\n"
     "slug: tile-of-64\n"
     "^"},
    {"a key without a value", "title: Longer K/V tiles", "title:",
     "d.yaml:2:1: `title` has no value\n"
     "title:\n"
     "^"},
    {"a null where a value is needed", "hypothesis: Fewer rescalings per row.", "hypothesis: ~",
     "d.yaml:5:1: `hypothesis` has no value\n"
     "hypothesis: ~\n"
     "^"},
    {"a list where text is needed", "title: Longer K/V tiles", "title: [Longer]",
     "d.yaml:2:8: `title` must be text, not a list\n"
     "title: [Longer]\n"
     "       ^"},
    {"a title of two lines", "title: Longer K/V tiles", "title: \"Longer\\nK/V tiles\"",
     "d.yaml:2:8: `title` must be one line\n"
     "title: \"Longer\\nK/V tiles\"\n"
     "       ^"},
    {"a blank hypothesis", "hypothesis: Fewer rescalings per row.", "hypothesis: \"  \"",
     "d.yaml:5:13: `hypothesis` is blank\n"
     "hypothesis: \"  \"\n"
     "            ^"},
    {"a slug with a capital", "slug: tile-of-64", "slug: Tile-of-64",
     "d.yaml:1:7: `slug` is `Tile-of-64`; a slug is 3 to 60 of a-z, 0-9 and -\n"
     "slug: Tile-of-64\n"
     "      ^"},
    {"a slug too short", "slug: tile-of-64", "slug: ab",
     "d.yaml:1:7: `slug` is `ab`; a slug is 3 to 60 of a-z, 0-9 and -\n"
     "slug: ab\n"
     "      ^"},
    {"a slug that reads as a number", "slug: tile-of-64", "slug: \"0042\"",
     "d.yaml:1:7: `slug` is `0042`; a slug has a letter, and does not start with -\n"
     "slug: \"0042\"\n"
     "      ^"},
    {"a lever that does not exist, with a near one", "lever: attention_prefill.tkv",
     "lever: attention_prefil.tkv",
     "d.yaml:3:8: there is no lever `attention_prefil.tkv`; did you mean `attention_prefill.tkv`?\n"
     "lever: attention_prefil.tkv\n"
     "       ^"},
    {"a lever that does not exist", "lever: attention_prefill.tkv", "lever: warp_shuffles.width",
     "d.yaml:3:8: there is no lever `warp_shuffles.width`; `assay levers` lists them\n"
     "lever: warp_shuffles.width\n"
     "       ^"},
    {"an unknown class", "class: bitwise", "class: exact",
     "d.yaml:4:8: `class` is `exact`; it can be bitwise, reorder, operand\n"
     "class: exact\n"
     "       ^"},
    {"an unknown mechanism", "bar: 5%", "bar: 5%\nmechanism: luck",
     "d.yaml:10:12: `mechanism` is `luck`; it can be wait, work, bytes, launch\n"
     "mechanism: luck\n"
     "           ^"},
    {"a service map outside experiments", "bar: 5%", "bar: 5%\nservice: ../in_service.yaml",
     "d.yaml:10:10: `service` is `../in_service.yaml`; it names a map in experiments/, such as "
     "in_service.yaml\n"
     "service: ../in_service.yaml\n"
     "         ^"},
    {"an unknown device", "bar: 5%", "bar: 5%\nscope: {device: cpu-avx3}",
     "d.yaml:10:17: there is no device `cpu-avx3`; the keys are cpu, cpu-avx2, cpu-avx512vnni, "
     "cuda, "
     "cuda-sm80, cuda-sm86, cuda-sm89, cuda-sm90, cuda-sm100, cuda-sm120\n"
     "scope: {device: cpu-avx3}\n"
     "                ^"},
    {"a scope with two ranges", "bar: 5%", "bar: 5%\nscope: {when: {nkv: 1..10, t: 1..10}}",
     "d.yaml:10:28: `scope.when` names one range: nkv or t, not both\n"
     "scope: {when: {nkv: 1..10, t: 1..10}}\n"
     "                           ^"},
    {"a range that is not one", "bar: 5%", "bar: 5%\nscope: {when: {nkv: 1-10}}",
     "d.yaml:10:21: `scope.when.nkv` is `1-10`; a range is written 1..1920, 1921.. or ..1920\n"
     "scope: {when: {nkv: 1-10}}\n"
     "                    ^"},
    {"a range from zero", "bar: 5%", "bar: 5%\nscope: {when: {nkv: 0..10}}",
     "d.yaml:10:21: `scope.when.nkv` starts at 0; the least is 1\n"
     "scope: {when: {nkv: 0..10}}\n"
     "                    ^"},
    {"an empty range", "bar: 5%", "bar: 5%\nscope: {when: {nkv: \"20..10\"}}",
     "d.yaml:10:21: `scope.when.nkv` is empty: 20 is more than 10\n"
     "scope: {when: {nkv: \"20..10\"}}\n"
     "                    ^"},
    {"a range beyond any length", "bar: 5%", "bar: 5%\nscope: {when: {nkv: 1..99999999999}}",
     "d.yaml:10:21: `scope.when.nkv` is beyond 2147483647\n"
     "scope: {when: {nkv: 1..99999999999}}\n"
     "                    ^"},
    {"no candidate at all",
     "candidate: {attention_prefill: \"attention_prefill.cpu.avx2[tkv=64]\"}", "candidate: {}",
     "d.yaml:6:12: `candidate` names no variant\n"
     "candidate: {}\n"
     "           ^"},
    {"a candidate of an unknown op", "{attention_prefill: \"attention_prefill",
     "{attention_prefil: \"attention_prefill",
     "d.yaml:6:13: there is no op `attention_prefil`; did you mean `attention_prefill`?\n"
     "candidate: {attention_prefil: \"attention_prefill.cpu.avx2[tkv=64]\"}\n"
     "            ^"},
    {"a candidate without the lever's op",
     "candidate: {attention_prefill: \"attention_prefill.cpu.avx2[tkv=64]\"}",
     "candidate: {rope: rope.cpu.avx2}",
     "d.yaml:6:1: `candidate` has no variant of `attention_prefill`, the op of the lever "
     "attention_prefill.tkv\n"
     "candidate: {rope: rope.cpu.avx2}\n"
     "^"},
    {"a candidate that is no id", "\"attention_prefill.cpu.avx2[tkv=64]\"", "avx2",
     "d.yaml:6:32: `avx2` is no variant id; one looks like "
     "`attention_prefill.cpu.portable[tkv=32]`\n"
     "candidate: {attention_prefill: avx2}\n"
     "                               ^"},
    {"a candidate of another op than its key", "\"attention_prefill.cpu.avx2[tkv=64]\"",
     "rope.cpu.avx2",
     "d.yaml:6:32: `rope.cpu.avx2` is a variant of `rope`, but stands under `attention_prefill`\n"
     "candidate: {attention_prefill: rope.cpu.avx2}\n"
     "                               ^"},
    {"an unknown variant with a near one", "[tkv=64]", "[tkv=63]",
     "d.yaml:6:32: there is no variant `attention_prefill.cpu.avx2[tkv=63]`; did you mean "
     "`attention_prefill.cpu.avx2[tkv=64]`?\n"
     "candidate: {attention_prefill: \"attention_prefill.cpu.avx2[tkv=63]\"}\n"
     "                               ^"},
    {"a candidate that is no point of the lever",
     "lever: attention_prefill.tkv\nclass: bitwise\nhypothesis: Fewer rescalings per "
     "row.\ncandidate: {attention_prefill: \"attention_prefill.cpu.avx2[tkv=64]\"}",
     "lever: rms_norm.unroll\nclass: bitwise\nhypothesis: Fewer rescalings per row.\ncandidate: "
     "{rms_norm: rms_norm.cpu.portable}",
     "d.yaml:6:23: `rms_norm.cpu.portable` is no point of the lever rms_norm.unroll; its points "
     "are rms_norm.cpu.avx2[unroll=1], rms_norm.cpu.avx2[unroll=2]\n"
     "candidate: {rms_norm: rms_norm.cpu.portable}\n"
     "                      ^"},
    {"a candidate that the device cannot run", "bar: 5%", "bar: 5%\nscope: {device: cpu}",
     "d.yaml:6:32: `attention_prefill.cpu.avx2[tkv=64]` needs cpu-avx2, which cpu does not have\n"
     "candidate: {attention_prefill: \"attention_prefill.cpu.avx2[tkv=64]\"}\n"
     "                               ^"},
    {"workloads that are a map", "workloads: [{model: embedded, phase: prefill, tokens: 128}]",
     "workloads: {model: embedded, phase: prefill, tokens: 128}",
     "d.yaml:7:12: `workloads` must be a list, not a map\n"
     "workloads: {model: embedded, phase: prefill, tokens: 128}\n"
     "           ^"},
    {"no workload", "workloads: [{model: embedded, phase: prefill, tokens: 128}]", "workloads: []",
     "d.yaml:7:12: `workloads` is empty: the first one is what the verdict speaks of\n"
     "workloads: []\n"
     "           ^"},
    {"a workload that is no map", "[{model: embedded, phase: prefill, tokens: 128}]", "[embedded]",
     "d.yaml:7:13: a workload must be a map (`key: value`), not text\n"
     "workloads: [embedded]\n"
     "            ^"},
    {"an unknown key of a workload", "tokens: 128", "token: 128",
     "d.yaml:7:47: unknown key `token`; did you mean `tokens`?\n"
     "workloads: [{model: embedded, phase: prefill, token: 128}]\n"
     "                                              ^"},
    {"a workload without tokens", ", tokens: 128", "",
     "d.yaml:7:13: a workload needs the key `tokens`\n"
     "workloads: [{model: embedded, phase: prefill}]\n"
     "            ^"},
    {"a phase that does not exist", "phase: prefill", "phase: warmup",
     "d.yaml:7:38: `phase` is `warmup`; it can be prefill, decode\n"
     "workloads: [{model: embedded, phase: warmup, tokens: 128}]\n"
     "                                     ^"},
    {"a depth in prefill", "tokens: 128", "tokens: 128, depth: 4",
     "d.yaml:7:60: `depth` belongs to a decode workload\n"
     "workloads: [{model: embedded, phase: prefill, tokens: 128, depth: 4}]\n"
     "                                                           ^"},
    {"tokens in decode", "phase: prefill, tokens: 128", "phase: decode, depth: 9, tokens: 128",
     "d.yaml:7:56: `tokens` belongs to a prefill workload\n"
     "workloads: [{model: embedded, phase: decode, depth: 9, tokens: 128}]\n"
     "                                                       ^"},
    {"zero tokens", "tokens: 128", "tokens: 0",
     "d.yaml:7:55: `tokens` is 0; it can be 1 to 1048576\n"
     "workloads: [{model: embedded, phase: prefill, tokens: 0}]\n"
     "                                                      ^"},
    {"a number of tokens that is no whole number", "tokens: 128", "tokens: 12.5",
     "d.yaml:7:55: `tokens` must be a whole number, not `12.5`\n"
     "workloads: [{model: embedded, phase: prefill, tokens: 12.5}]\n"
     "                                                      ^"},
    {"a number in quotes", "tokens: 128", "tokens: \"128\"",
     "d.yaml:7:55: `tokens` must be a whole number: take off the quotes\n"
     "workloads: [{model: embedded, phase: prefill, tokens: \"128\"}]\n"
     "                                                      ^"},
    {"more threads than any machine has", "tokens: 128", "tokens: 128, threads: 4096",
     "d.yaml:7:69: `threads` is 4096; it can be 0 to 1024\n"
     "workloads: [{model: embedded, phase: prefill, tokens: 128, threads: 4096}]\n"
     "                                                                    ^"},
    {"steps beyond the limit", "phase: prefill, tokens: 128",
     "phase: decode, depth: 9, steps: 5000",
     "d.yaml:7:63: `steps` is 5000; it can be 1 to 4096\n"
     "workloads: [{model: embedded, phase: decode, depth: 9, steps: 5000}]\n"
     "                                                              ^"},
    {"a prediction of nothing", "expect: {wall: 10%}", "expect: {}",
     "d.yaml:8:9: `expect` predicts nothing: give kernel, wall or both\n"
     "expect: {}\n"
     "        ^"},
    {"a percentage in words", "bar: 5%", "bar: five",
     "d.yaml:9:6: `bar` must be a percentage such as 1.5%, not `five`\n"
     "bar: five\n"
     "     ^"},
    {"a negative percentage", "bar: 5%", "bar: -5%",
     "d.yaml:9:6: `bar` is negative; positive is faster, and 0% is the least\n"
     "bar: -5%\n"
     "     ^"},
    {"a percentage above a hundred", "expect: {wall: 10%}", "expect: {wall: 101%}",
     "d.yaml:8:16: `expect.wall` is more than 100 %\n"
     "expect: {wall: 101%}\n"
     "               ^"},
    {"a percentage without its sign", "bar: 5%", "bar: 5",
     "d.yaml:9:6: `bar` is more than 100 %; write 5% if that is meant\n"
     "bar: 5\n"
     "     ^"},
    {"infinity", "bar: 5%", "bar: inf",
     "d.yaml:9:6: `bar` must be a percentage such as 1.5%, not `inf`\n"
     "bar: inf\n"
     "     ^"},
    {"a guard margin in the wrong type", "bar: 5%", "bar: 5%\nguard_margin: {decode: 1%}",
     "d.yaml:10:15: `guard_margin` must be a percentage such as 1.5%, not a map\n"
     "guard_margin: {decode: 1%}\n"
     "              ^"},
    {"derived_from that is no list", "bar: 5%", "bar: 5%\nderived_from: other-one",
     "d.yaml:10:15: `derived_from` must be a list, not text\n"
     "derived_from: other-one\n"
     "              ^"},
    {"a definition that supersedes itself", "bar: 5%", "bar: 5%\nsupersedes: tile-of-64",
     "d.yaml:10:13: `supersedes` names this experiment itself\n"
     "supersedes: tile-of-64\n"
     "            ^"},
    {"an answer without a reason", "bar: 5%", "bar: 5%\nanswers:\n  other-one:",
     "d.yaml:11:3: `answers.other-one` must be text, not nothing\n"
     "  other-one:\n"
     "  ^"},
    {"axes", "bar: 5%", "bar: 5%\naxes: {tkv: [32, 64]}",
     "d.yaml:10:1: `axes` is not supported yet: grids are measured and never land, so write one "
     "definition per point\n"
     "axes: {tkv: [32, 64]}\n"
     "^"},
    {"text that is not YAML", "class: bitwise", "class: bitwise: really",
     "d.yaml:4:15: not YAML: illegal map value\n"
     "class: bitwise: really\n"
     "              ^"},
    {"a list that is never closed", "tokens: 128}]", "tokens: 128}",
     "d.yaml:8:1: not YAML: end of sequence flow not found\n"
     "expect: {wall: 10%}\n"
     "^"},
    {"a quote that is never closed", "bar: 5%", "bar: '5%",
     "d.yaml:9:6: this quote is never closed\n"
     "bar: '5%\n"
     "     ^"},
    {"a tab in the indentation", "expect: {wall: 10%}", "expect:\n\twall: 10%",
     "d.yaml:9:1: a tab in the indentation: YAML wants spaces there\n"
     " wall: 10%\n"
     "^"},
    {"a tab before the fault", "bar: 5%", "bar:\t50 %%",
     "d.yaml:9:6: `bar` must be a percentage such as 1.5%, not `50 %%`\n"
     "bar: 50 %%\n"
     "     ^"},
    {"characters of several bytes before the fault", "workloads: [{model: embedded",
     "workloads: [{model: \"modèle é\", modell: embedded",
     "d.yaml:7:33: unknown key `modell`; did you mean `model`?\n"
     "workloads: [{model: \"modèle é\", modell: embedded, phase: prefill, tokens: 128}]\n"
     "                                ^"},
    {"a byte that is not UTF-8", "Longer K/V",
     "L\xe9"
     "nger K/V",
     "d.yaml:2:9: byte 0xe9 is not UTF-8: save the file as UTF-8\n"
     "title: L?nger K/V tiles\n"
     "        ^"},
    {"a control character", "Longer K/V",
     "Longer\x01"
     "K/V",
     "d.yaml:2:14: control character 0x01: this is not a text file\n"
     "title: Longer?K/V tiles\n"
     "             ^"},
    {"an anchor", "title: Longer", "title: &t Longer",
     "d.yaml:2:8: anchors (`&name`) are not used here: write the value out\n"
     "title: &t Longer K/V tiles\n"
     "       ^"},
    {"an alias", "title: Longer K/V tiles", "title: *t",
     "d.yaml:2:8: not YAML: the referenced anchor is not defined\n"
     "title: *t\n"
     "       ^"},
    {"a tag", "bar: 5%", "bar: !!float 5",
     "d.yaml:9:6: tags (`!name`) are not used here: write the value plainly\n"
     "bar: !!float 5\n"
     "     ^"},
    {"a key that is a list", "bar: 5%", "bar: 5%\n[a, b]: c",
     "d.yaml:10:1: a key must be plain text\n"
     "[a, b]: c\n"
     "^"},
    {"a second document", "bar: 5%", "bar: 5%\n---\nslug: other",
     "d.yaml:10:1: text after the end of the document: a file holds one YAML document\n"
     "---\n"
     "^"},
    {"a list of phases", "phase: prefill", "phase: [prefill, decode]",
     "d.yaml:7:38: `phase` must be one word, not a list\n"
     "workloads: [{model: embedded, phase: [prefill, decode], tokens: 128}]\n"
     "                                     ^"},
    {"a fault in a long line", "workloads: [{model: embedded",
     "workloads: [{model: "
     "\"mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"
     "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm\", modell: x",
     "d.yaml:7:175: unknown key `modell`; did you mean `model`?\n"
     "...mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm\", modell: x, phase: prefill, "
     "tokens: 128}]\n"
     "                                                               ^"},
    {"a list instead of a definition", "", "- slug: tile\n",
     "d.yaml:1:1: a definition must be a map (`key: value`), not a list\n"
     "- slug: tile\n"
     "^"},
    {"nothing but a comment", "", "# soon\n",
     "d.yaml:1:1: the file holds nothing but comments\n"
     "# soon\n"
     "^"},
    {"an empty file", "", "",
     "d.yaml:1:1: the file is empty\n"
     "\n"
     "^"},
    {"a byte order mark", "",
     "\xef"
     "\xbb"
     "\xbf"
     "slug: tile\n",
     "d.yaml:1:1: the file starts with a byte order mark: save it as UTF-8 without one\n"
     "﻿slug: tile\n"
     "^"},
    {"brackets without end", "", "slug: [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]\n",
     "d.yaml:1:22: nested deeper than 16 levels\n"
     "slug: [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]\n"
     "                     ^"},

};

TEST(DefinitionErrors, TheUneditedDefinitionParses) {
  EXPECT_EQ(parse_definition(std::string(kGood), "d.yaml").slug, "tile-of-64");
}

class MalformedDefinition : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedDefinition, IsRefusedAtItsPlace) {
  const Malformed& c = GetParam();
  std::string text(c.to);
  if (!c.from.empty()) {
    const std::size_t at = kGood.find(c.from);
    ASSERT_NE(at, std::string_view::npos);
    text = std::string(kGood).replace(at, c.from.size(), c.to);
  }
  try {
    parse_definition(text, "d.yaml");
    FAIL() << "parsed, though it has " << c.name;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), std::string(c.expected)) << c.name;
  }
}

std::string case_name(const testing::TestParamInfo<Malformed>& info) {
  std::string name = "has_";
  for (const char c : std::string_view(info.param.name)) name += std::isalnum(c) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, MalformedDefinition, testing::ValuesIn(kMalformed), case_name);

}  // namespace
}  // namespace assay
