#include "gates/statistics/simulation/seeds.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/core/sha256.h"

namespace assay::simulation {
namespace {

TEST(SimulationSeeds, AreTheHashesOfTheirNames) {
  const auto hashed = [](const std::string& name) {
    return std::stoull(sha256_hex("assay simulation: " + name).substr(0, 16), nullptr, 16);
  };
  EXPECT_EQ(kPilotSeed, hashed("pilot"));
  EXPECT_EQ(kRatesSeed, hashed("rates"));
  EXPECT_EQ(kMutantsSeed, hashed("mutants"));
  EXPECT_EQ(kPowerSeed, hashed("power"));
  EXPECT_EQ(kDesignsSeed, hashed("designs"));
  EXPECT_EQ(kRulesSeed, hashed("rules"));
  EXPECT_EQ(kAdversariesSeed, hashed("adversaries"));
}

}  // namespace
}  // namespace assay::simulation
