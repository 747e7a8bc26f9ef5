#include "engine/worker/launch_watch.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(LaunchWatch, TheCounterThatRoseLastIsAtWorkUntilAnotherRises) {
  std::uint64_t first = 5;
  std::uint64_t second = 0;
  LaunchWatch watch({&first, &second});
  EXPECT_EQ(watch.look(), (WatchedLaunch{-1, 0}));  // an old count is nobody's work
  ++first;
  EXPECT_EQ(watch.look(), (WatchedLaunch{0, 6}));
  EXPECT_EQ(watch.look(), (WatchedLaunch{0, 6}));
  ++second;
  EXPECT_EQ(watch.look(), (WatchedLaunch{1, 1}));
  ++second;
  EXPECT_EQ(watch.look(), (WatchedLaunch{1, 2}));
}

TEST(LaunchWatch, WhereTwoRoseUnseenNobodyIsNamed) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  LaunchWatch watch({&first, &second});
  ++first;
  ++second;
  EXPECT_EQ(watch.look(), WatchedLaunch{});
  EXPECT_EQ(watch.look(), WatchedLaunch{});
  ++first;
  EXPECT_EQ(watch.look(), (WatchedLaunch{0, 2}));
}

TEST(LaunchWatch, ResetForgetsWhoWasAtWork) {
  std::uint64_t count = 0;
  LaunchWatch watch({&count});
  ++count;
  EXPECT_EQ(watch.look(), (WatchedLaunch{0, 1}));
  ++count;
  watch.reset();
  EXPECT_EQ(watch.look(), WatchedLaunch{});
}

}  // namespace
}  // namespace assay
