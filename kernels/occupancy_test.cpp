#include "kernels/occupancy.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

std::string row(int threads, int registers, int shared) {
  const Occupancy found = occupancy(*multiprocessor_limits(90), {threads, registers, shared});
  return std::to_string(found.blocks) + " " + std::string(to_string(found.tight));
}

TEST(Occupancy, KnownRowsOfCapability90) {
  EXPECT_EQ(row(32, 16, 0), "32 blocks");
  EXPECT_EQ(row(64, 32, 0), "32 warps");
  EXPECT_EQ(row(256, 32, 0), "8 warps");
  EXPECT_EQ(row(1024, 32, 0), "2 warps");
  EXPECT_EQ(row(128, 167, 0), "3 registers");  // 5,376 a warp, 3 warps in each part
  EXPECT_EQ(row(128, 168, 0), "3 registers");
  EXPECT_EQ(row(128, 169, 0), "2 registers");
  EXPECT_EQ(row(96, 168, 0), "4 registers");  // 12 warps
  EXPECT_EQ(row(256, 33, 0), "6 registers");  // in units: 1,280 a warp, 12 in each part
  EXPECT_EQ(row(256, 255, 0), "1 registers");
  EXPECT_EQ(row(128, 32, 232448), "1 shared");
  EXPECT_EQ(row(128, 32, 115712), "2 shared");  // 114 KB with the system's share, twice 228
  EXPECT_EQ(row(128, 32, 115713), "1 shared");
  EXPECT_EQ(row(128, 32, 49152), "4 shared");
}

TEST(Occupancy, WhatCannotBeLaunchedHasNoBlocks) {
  EXPECT_EQ(row(1024, 65, 0), "0 registers");
  EXPECT_EQ(row(128, 256, 0), "0 registers");
  EXPECT_EQ(row(128, 32, 232449), "0 shared");
  EXPECT_EQ(row(1025, 32, 0), "0 warps");
  EXPECT_EQ(row(0, 32, 0), "0 warps");
}

TEST(Occupancy, OtherDevicesAreNotWrittenDown) {
  EXPECT_FALSE(multiprocessor_limits(80).has_value());
  EXPECT_FALSE(multiprocessor_limits(0).has_value());
}

}  // namespace
}  // namespace assay
