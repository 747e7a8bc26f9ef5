// The steps that a GPU takes, taken here one after another, against the xxHash library.
#include "engine/backend/row/digest_steps.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "engine/backend/row/row_reading.h"
#include "engine/core/mix64.h"

namespace assay {
namespace {

using namespace digest_steps;

std::vector<float> random_row(std::size_t count) {
  std::vector<float> row(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<std::uint32_t>(mix64((count << 32 | i) * kMix64Step));
    std::memcpy(&row[i], &bits, sizeof bits);
  }
  return row;
}

// `shares`: how many threads of a GPU split a block's stripes.
RowDigest stepped(const std::vector<float>& row, int shares) {
  std::vector<std::uint32_t> words(row.size());
  std::memcpy(words.data(), row.data(), row.size() * sizeof(float));
  const auto bytes = static_cast<std::int64_t>(row.size() * sizeof(float));
  std::uint64_t x[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int block = 0; block < blocks_of(bytes); ++block) {
      std::uint64_t sum = 0;
      for (int first = 0; first < shares; ++first) {
        sum += block_share(words.data(), bytes, block, lane, first, shares);
      }
      x[lane] = block == 0 ? start_of(lane) + sum
                           : chain_step(x[lane], secret_word(kStripesPerBlock + lane), sum);
    }
  }
  return finished(x, bytes);
}

// Sizes in floats: every one up to 5,000 bytes, both sides of block edges, and a vocabulary's.
std::set<std::size_t> sizes() {
  std::set<std::size_t> found{152'064, 151'936, 128'256, 32'000};
  for (std::size_t floats = 61; floats <= 1250; ++floats) found.insert(floats);
  for (std::size_t blocks = 5; blocks < 600; blocks += 37) {
    for (const int apart : {-17, -16, -1, 0, 1, 15, 16, 17}) {
      found.insert(static_cast<std::size_t>(static_cast<int>(blocks * 256) + apart));
    }
  }
  return found;
}

TEST(DigestSteps, GiveTheBitsOfTheLibrary) {
  for (const std::size_t size : sizes()) {
    const std::vector<float> row = random_row(size);
    ASSERT_EQ(stepped(row, 4), digest_of_row(row)) << size << " floats";
  }
}

TEST(DigestSteps, HoweverABlockIsSplit) {
  const std::vector<float> row = random_row(1000);
  for (const int shares : {1, 2, 3, 8, 16, 32}) {
    EXPECT_EQ(stepped(row, shares), digest_of_row(row)) << shares;
  }
}

TEST(DigestSteps, SeeEveryFloat) {
  std::vector<float> row = random_row(600);
  const RowDigest before = stepped(row, 4);
  for (float& value : row) {
    const float kept = value;
    value = kept == 1.0f ? 2.0f : 1.0f;
    EXPECT_NE(stepped(row, 4), before);
    value = kept;
  }
}

}  // namespace
}  // namespace assay
