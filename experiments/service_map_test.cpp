#include "experiments/service_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "engine/core/error.h"
#include "experiments/yaml_source.h"
#include "kernels/variant.h"

namespace assay {
namespace {

constexpr int kEnd = std::numeric_limits<int>::max();

constexpr const char* kHeading =
    "# Which variant serves which problem on which device; what a device lacks comes from the "
    "older\n"
    "# keys of its family. A LAND rewrites one row in this form, and comments are not kept.\n"
    "version: 1\n";

const std::string kText = std::string(kHeading) +
                          R"(devices:
  cpu:
    attention_prefill: [{variant: "attention_prefill.cpu.portable[tkv=32]", by: incumbent}]
    rms_norm: [{variant: "rms_norm.cpu.portable", by: incumbent}]
  cpu-avx2:
    attention_prefill:
      - {when: {nkv: "1..100"}, variant: "attention_prefill.cpu.avx2[tkv=32]", by: incumbent}
      - {when: {nkv: "101..1920"}, variant: "attention_prefill.cpu.avx2[tkv=64]", by: longer-tiles}
      - {when: {nkv: "1921.."}, variant: "attention_prefill.cpu.avx2[tkv=128]", by: incumbent}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ServiceMap, ReadsRows) {
  const ServiceMap map = parse_service_map(kText, "map.yaml");
  ASSERT_EQ(map.devices.size(), 2u);
  const std::vector<MapRow>& norm = map.devices.at("cpu").at("rms_norm");
  ASSERT_EQ(norm.size(), 1u);
  EXPECT_EQ(norm[0].row, (ServiceRow{"", 1, kEnd, "rms_norm.cpu.portable"}));
  EXPECT_EQ(norm[0].by, "incumbent");
  const std::vector<MapRow>& attention = map.devices.at("cpu-avx2").at("attention_prefill");
  ASSERT_EQ(attention.size(), 3u);
  EXPECT_EQ(attention[1].row, (ServiceRow{"nkv", 101, 1920, "attention_prefill.cpu.avx2[tkv=64]"}));
  EXPECT_EQ(attention[1].by, "longer-tiles");
  EXPECT_EQ(attention[2].row.high, kEnd);
}

TEST(ServiceMap, CanonicalTextComesBackByteForByte) {
  EXPECT_EQ(emit(parse_service_map(kText, "map.yaml")), kText);
  const std::string empty = std::string(kHeading) + "devices: {}\n";
  EXPECT_EQ(emit(parse_service_map(empty, "map.yaml")), empty);
  const std::string bare = std::string(kHeading) + "devices:\n  cpu: {}\n";
  EXPECT_EQ(emit(parse_service_map(bare, "map.yaml")), bare);
}

TEST(ServiceMap, AnyOrderAndLayoutBecomesTheCanonicalText) {
  const char* loose = R"(devices:
  cpu-avx2:
    attention_prefill: [
      {by: incumbent, variant: "attention_prefill.cpu.avx2[tkv=32]", when: {nkv: ..100}},
      {by: longer-tiles, variant: "attention_prefill.cpu.avx2[tkv=64]", when: {nkv: 101..1920}},
      {by: incumbent, variant: "attention_prefill.cpu.avx2[tkv=128]", when: {nkv: 1921..}}]
  cpu:     # the last resort
    rms_norm:
      - variant: rms_norm.cpu.portable
        by: incumbent
    attention_prefill: [{variant: "attention_prefill.cpu.portable[tkv=32]", by: incumbent}]
version: 1
)";
  EXPECT_EQ(emit(parse_service_map(loose, "map.yaml")), kText);
}

TEST(ServiceMapResolve, TakesEachOpFromTheNearestKeyThatHasIt) {
  const ServiceMap map = parse_service_map(kText, "map.yaml");
  const auto resolved = resolve(map, "cpu-avx512vnni");  // has no rows of its own
  ASSERT_EQ(resolved.size(), 2u);
  EXPECT_EQ(resolved.at("attention_prefill").from_key, "cpu-avx2");
  EXPECT_EQ(resolved.at("attention_prefill").rows.size(), 3u);
  EXPECT_EQ(resolved.at("rms_norm").from_key, "cpu");
  EXPECT_EQ(resolved.at("rms_norm").rows[0].variant, "rms_norm.cpu.portable");
  EXPECT_EQ(resolve(map, "cpu").at("attention_prefill").from_key, "cpu");
  EXPECT_TRUE(resolve(map, "abacus").empty());
}

TEST(ServiceMapResolve, SelectionServesBothSidesOfEveryBound) {
  const ServiceSelection selected =
      selection(resolve(parse_service_map(kText, "map.yaml"), "cpu-avx2"));
  const auto serving = [&](int nkv) {
    return select_row(selected.at("attention_prefill"), {.t = 1, .nkv = nkv})->variant;
  };
  EXPECT_EQ(serving(1), "attention_prefill.cpu.avx2[tkv=32]");
  EXPECT_EQ(serving(100), "attention_prefill.cpu.avx2[tkv=32]");
  EXPECT_EQ(serving(101), "attention_prefill.cpu.avx2[tkv=64]");
  EXPECT_EQ(serving(1920), "attention_prefill.cpu.avx2[tkv=64]");
  EXPECT_EQ(serving(1921), "attention_prefill.cpu.avx2[tkv=128]");
  EXPECT_EQ(serving(kEnd), "attention_prefill.cpu.avx2[tkv=128]");
}

TEST(ServiceMapLand, ChangesOneRowAndNoOtherByte) {
  const ServiceMap map = parse_service_map(kText, "map.yaml");
  const Scope whole{"cpu", "", 1, 0};
  EXPECT_EQ(emit(with_landed(map, "cpu", whole, "attention_prefill",
                             "attention_prefill.cpu.portable[tkv=64]", "my-lever")),
            replaced(kText, "attention_prefill.cpu.portable[tkv=32]\", by: incumbent",
                     "attention_prefill.cpu.portable[tkv=64]\", by: my-lever"));
  const Scope last{"cpu-avx2", "nkv", 1921, kEnd};
  EXPECT_EQ(emit(with_landed(map, "cpu-avx2", last, "attention_prefill",
                             "attention_prefill.cpu.avx2[tkv=64]", "my-lever")),
            replaced(kText, "attention_prefill.cpu.avx2[tkv=128]\", by: incumbent",
                     "attention_prefill.cpu.avx2[tkv=64]\", by: my-lever"));
  EXPECT_EQ(emit(map), kText);
}

std::string landing_error(const std::string& device, const Scope& scope, const std::string& op) {
  try {
    with_landed(parse_service_map(kText, "map.yaml"), device, scope, op, "any", "my-lever");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "landed";
}

TEST(ServiceMapLand, NeedsARowOfExactlyThatScope) {
  const std::string advice =
      ": a LAND changes a row that exists, so write the first one by hand, or name an existing "
      "range "
      "in `scope.when`";
  EXPECT_EQ(landing_error("cpu-avx512vnni", {}, "rms_norm"),
            "the service map has no row for rms_norm on cpu-avx512vnni" + advice);
  EXPECT_EQ(landing_error("cpu-avx2", {}, "rms_norm"),
            "the service map has no row for rms_norm on cpu-avx2" + advice);
  EXPECT_EQ(landing_error("cpu-avx2", {}, "attention_prefill"),
            "the service map has no row for attention_prefill on cpu-avx2" + advice);
  EXPECT_EQ(landing_error("cpu-avx2", {"", "nkv", 101, kEnd}, "attention_prefill"),
            "the service map has no row for attention_prefill on cpu-avx2 for nkv 101.." + advice);
  EXPECT_EQ(
      landing_error("cpu-avx2", {"", "t", 101, 1920}, "attention_prefill"),
      "the service map has no row for attention_prefill on cpu-avx2 for t 101..1920" + advice);
}

// `rows` of attention_prefill on cpu-avx2, from line 5 on.
std::string row_error(const std::string& rows) {
  try {
    parse_service_map("version: 1\ndevices:\n  cpu-avx2:\n    attention_prefill:\n" + rows,
                      "map.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "parsed";
}

std::string row(const std::string& when) {
  return "    - {" + when + "variant: \"attention_prefill.cpu.avx2[tkv=32]\", by: incumbent}\n";
}

std::string pointed(int line, const std::string& message, const std::string& when) {
  const std::string text = row(when);
  return "map.yaml:" + std::to_string(line) + ":7: " + message + "\n" + text + "      ^";
}

TEST(ServiceMapErrors, RangesThatDoNotTile) {
  EXPECT_EQ(row_error(row("when: {nkv: 2..}, ")),
            pointed(5, "gap: no row serves nkv 1..1", "when: {nkv: 2..}, "));
  EXPECT_EQ(row_error(row("when: {nkv: 1..9}, ")),
            pointed(5, "gap: no row serves nkv 10..; the last row has no upper end",
                    "when: {nkv: 1..9}, "));
  EXPECT_EQ(row_error(row("when: {nkv: 1..9}, ") + row("when: {nkv: 11..}, ")),
            pointed(6, "gap: no row serves nkv 10..10", "when: {nkv: 11..}, "));
  EXPECT_EQ(row_error(row("when: {nkv: 1..9}, ") + row("when: {nkv: 9..}, ")),
            pointed(6, "nkv 9.. overlaps the row before it, 1..9", "when: {nkv: 9..}, "));
  EXPECT_EQ(row_error(row("when: {nkv: 1..}, ") + row("when: {nkv: 9..}, ")),
            pointed(6, "nkv 9.. overlaps the row before it, 1..", "when: {nkv: 9..}, "));
  EXPECT_EQ(
      row_error(row("when: {nkv: 1..9}, ") + row("when: {t: 10..}, ")),
      pointed(6, "rows of one op split one range; this one splits `t`, the one before it `nkv`",
              "when: {t: 10..}, "));
  EXPECT_EQ(
      row_error(row("") + row("")),
      pointed(6, "a row without `when` serves everything, so it must be the op's only one", ""));
  EXPECT_EQ(row_error("    []\n"), "map.yaml:5:5: `attention_prefill` has no rows\n    []\n    ^");
}

struct MapFault {
  const char* from;
  const char* to;
  const char* expected;
};

constexpr MapFault kFaults[] = {
    {"version: 1", "version: 2",
     "map.yaml:3:10: `version` is 2; it can be 1 to 1\nversion: 2\n         ^"},
    {"version: 1\n", "", "map.yaml:3:1: a service map needs the key `version`\ndevices:\n^"},
    {"  cpu:", "  gpu:",
     "map.yaml:5:3: there is no device `gpu`; the keys are cpu, cpu-avx2, cpu-avx512vnni, cuda, "
     "cuda-sm80, cuda-sm86, cuda-sm89, cuda-sm90, cuda-sm100, cuda-sm120\n"
     "  gpu:\n  ^"},
    {"  cpu-avx2:", "  cpu:",
     "map.yaml:8:3: `cpu` stands twice; the first is on line 5\n  cpu:\n  ^"},
    {"    rms_norm:", "    rms_morn:",
     "map.yaml:7:5: there is no op `rms_morn`; did you mean `rms_norm`?\n"
     "    rms_morn: [{variant: \"rms_norm.cpu.portable\", by: incumbent}]\n    ^"},
    {"\"rms_norm.cpu.portable\"", "rope.cpu.portable",
     "map.yaml:7:26: `rope.cpu.portable` is a variant of `rope`, but stands under `rms_norm`\n"
     "    rms_norm: [{variant: rope.cpu.portable, by: incumbent}]\n"
     "                         ^"},
    {"rms_norm.cpu.portable", "rms_norm.cpu.portably",
     "map.yaml:7:26: there is no variant `rms_norm.cpu.portably`; did you mean "
     "`rms_norm.cpu.portable`?\n"
     "    rms_norm: [{variant: \"rms_norm.cpu.portably\", by: incumbent}]\n"
     "                         ^"},
    {"\"rms_norm.cpu.portable\"", "rms_norm.cpu.avx2[unroll=1]",
     "map.yaml:7:43: not YAML: end of map flow not found (text that has brackets, braces or commas "
     "needs quotes)\n"
     "    rms_norm: [{variant: rms_norm.cpu.avx2[unroll=1], by: incumbent}]\n"
     "                                          ^"},
    {"\"rms_norm.cpu.portable\"", "\"rms_norm.cpu.avx2[unroll=1]\"",
     "map.yaml:7:26: `rms_norm.cpu.avx2[unroll=1]` needs cpu-avx2, which cpu does not have\n"
     "    rms_norm: [{variant: \"rms_norm.cpu.avx2[unroll=1]\", by: incumbent}]\n"
     "                         ^"},
    {"portable\", by: incumbent", "portable\"",
     "map.yaml:7:16: a row needs the key `by`\n"
     "    rms_norm: [{variant: \"rms_norm.cpu.portable\"}]\n"
     "               ^"},
    {"portable\", by: incumbent", "portable\", by: \"a: b\"",
     "map.yaml:7:55: `by` is `a: b`; a slug is 3 to 60 of a-z, 0-9 and -\n"
     "    rms_norm: [{variant: \"rms_norm.cpu.portable\", by: \"a: b\"}]\n"
     "                                                      ^"},
    {"when: {nkv: \"1..100\"}", "when: {nkv: \"1..100\", t: \"1..\"}",
     "map.yaml:10:32: `when` names one range: nkv or t, not both\n"
     "      - {when: {nkv: \"1..100\", t: \"1..\"}, variant: "
     "\"attention_prefill.cpu.avx2[tkv=32]\", by: "
     "incumbe...\n"
     "                               ^"},
    {"{nkv: \"1..100\"}", "{kv: \"1..100\"}",
     "map.yaml:10:17: unknown key `kv`; did you mean `nkv`?\n"
     "      - {when: {kv: \"1..100\"}, variant: \"attention_prefill.cpu.avx2[tkv=32]\", by: "
     "incumbent}\n"
     "                ^"},
};

TEST(ServiceMapErrors, PointAtTheirPlace) {
  for (const MapFault& fault : kFaults) {
    try {
      parse_service_map(replaced(kText, fault.from, fault.to), "map.yaml");
      ADD_FAILURE() << "parsed with " << fault.to;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), fault.expected);
    }
  }
}

bool has_variants_of(const OpVariants& op, BackendKind backend) {
  return std::any_of(op.variants.begin(), op.variants.end(),
                     [&](const VariantInfo& info) { return info.needs.backend == backend; });
}

// The committed map serves on every device each op that its backend has, with a variant that the
// device can run.
TEST(InService, ServesEveryOpOnEveryDevice) {
  const ServiceMap map =
      read_service_map(std::string(ASSAY_SOURCE_ROOT) + "/experiments/in_service.yaml");
  for (const char* device : {"cpu", "cpu-avx2", "cpu-avx512vnni", "cuda", "cuda-sm90"}) {
    const std::optional<DeviceLevel> level = parse_device_key(device);
    ASSERT_TRUE(level);
    const auto resolved = resolve(map, device);
    for (const OpVariants& op : all_ops()) {
      const auto served = resolved.find(std::string(op.op.op));
      if (!has_variants_of(op, level->backend)) {
        EXPECT_EQ(served, resolved.end()) << op.op.op << " on " << device;
        continue;
      }
      ASSERT_NE(served, resolved.end()) << op.op.op << " on " << device;
      for (const ServiceRow& r : served->second.rows) {
        EXPECT_TRUE(offers(*level, find_variant(r.variant)->needs))
            << r.variant << " on " << device;
      }
    }
  }
}

TEST(InService, IsCanonical) {
  const std::string path = std::string(ASSAY_SOURCE_ROOT) + "/experiments/in_service.yaml";
  EXPECT_EQ(emit(read_service_map(path)), read_yaml_text(path));
}

}  // namespace
}  // namespace assay
