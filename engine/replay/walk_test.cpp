#include "engine/replay/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace assay::replay {
namespace {

// Logits that speak of token and position, and of nothing else.
class EchoBackend : public Backend {
 public:
  int context() const override { return 8; }
  int max_rows() const override { return 8; }
  int threads() const override { return 1; }
  void prefill(std::span<const std::int32_t>, int) override {}
  void decode(std::int32_t token, int position) override {
    logits_ = {static_cast<float>(token), static_cast<float>(position == wrong ? -1 : position)};
  }
  RowReading read_row(int, const Draw*) override { return {}; }
  std::span<const float> logits() override { return logits_; }
  std::uint64_t nonfinite() override { return 0; }
  LaunchCounts launches() const override { return {}; }

  int wrong = -1;  // a position at which it errs

 private:
  std::vector<float> logits_;
};

TEST(Orders, VisitEveryPositionOnce) {
  EXPECT_EQ(upwards(3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(downwards(3), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(to_and_fro(5), (std::vector<int>{4, 0, 3, 1, 2}));
}

TEST(CompareWalk, NamesTheFirstPositionThatDiffers) {
  EchoBackend backend;
  const std::vector<std::int32_t> tokens{5, 6, 7, 8};
  std::vector<std::string> expected;
  for (const int p : upwards(4)) {
    expected.push_back(digest_of_step(backend, tokens[static_cast<std::size_t>(p)], p));
  }
  EXPECT_EQ(to_string(compare_walk(backend, tokens, to_and_fro(4), expected)),
            "4 steps, all equal");
  backend.wrong = 2;
  const Comparison found = compare_walk(backend, tokens, downwards(4), expected);
  EXPECT_FALSE(found.ok());
  EXPECT_EQ(to_string(found), "1 of 4 steps differ, the first at position 2");
}

TEST(CompareWalk, NothingComparedIsNotOk) {
  EXPECT_FALSE(Comparison{}.ok());
}

}  // namespace
}  // namespace assay::replay
