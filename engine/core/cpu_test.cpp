#include "engine/core/cpu.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Keys = std::vector<std::string>;

TEST(Cpu, KeysFallBackToOlderProcessors) {
  EXPECT_EQ(fallback_keys("cpu-avx512vnni"), (Keys{"cpu-avx512vnni", "cpu-avx2", "cpu"}));
  EXPECT_EQ(fallback_keys("cpu-avx2"), (Keys{"cpu-avx2", "cpu"}));
  EXPECT_EQ(fallback_keys("cpu"), (Keys{"cpu"}));
}

TEST(Cpu, ForeignKeysStandAlone) {
  EXPECT_EQ(fallback_keys("sm90"), (Keys{"sm90"}));
  EXPECT_EQ(fallback_keys(""), (Keys{""}));
}

TEST(Cpu, KeysAndLevelsCorrespond) {
  for (const CpuLevel level : {CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512Vnni}) {
    CpuLevel parsed = level == CpuLevel::kAvx2 ? CpuLevel::kPortable : CpuLevel::kAvx2;
    EXPECT_TRUE(parse_device_key(device_key(level), parsed));
    EXPECT_EQ(parsed, level);
  }
}

TEST(Cpu, UnknownKeyLeavesTheLevelAlone) {
  CpuLevel level = CpuLevel::kAvx2;
  EXPECT_FALSE(parse_device_key("cpu-avx", level));
  EXPECT_FALSE(parse_device_key("CPU", level));
  EXPECT_EQ(level, CpuLevel::kAvx2);
}

TEST(Cpu, ThisProcessorHasALevelAndAName) {
  const std::string_view key = device_key(cpu_level());
  EXPECT_EQ(fallback_keys(key).back(), "cpu");
  EXPECT_EQ(cpu_level(), cpu_level());
  EXPECT_FALSE(cpu_model_name().empty());
}

}  // namespace
}  // namespace assay
