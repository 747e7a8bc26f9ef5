#include "engine/core/cpu.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Cpu, ThisProcessorHasALevelAndAName) {
  EXPECT_EQ(cpu_level(), cpu_level());
  EXPECT_FALSE(cpu_model_name().empty());
}

}  // namespace
}  // namespace assay
