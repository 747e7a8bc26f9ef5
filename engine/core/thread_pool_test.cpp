#include "engine/core/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "engine/core/error.h"

namespace assay {
namespace {

// How often parallel_for visited each index; checks every range that it was given.
std::vector<int> visits(ThreadPool& pool, std::int64_t n, std::int64_t grain) {
  std::vector<std::atomic<int>> counts(static_cast<std::size_t>(std::max<std::int64_t>(n, 0)));
  std::atomic<int> bad_ranges{0};
  pool.parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) {
    const bool good =
        begin >= 0 && begin < end && end <= n && begin % std::max<std::int64_t>(grain, 1) == 0;
    if (!good) {
      ++bad_ranges;
      return;
    }
    for (std::int64_t i = begin; i < end; ++i) ++counts[static_cast<std::size_t>(i)];
  });
  EXPECT_EQ(bad_ranges.load(), 0) << "n " << n << " grain " << grain << " threads " << pool.size();
  return {counts.begin(), counts.end()};
}

TEST(ThreadPool, VisitsEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::int64_t n : {1, 2, 3, 7, 31, 64, 65, 1000, 4097}) {
      for (const std::int64_t grain : {0, 1, 2, 3, 16, 64, 1000, 5000}) {
        EXPECT_EQ(visits(pool, n, grain), std::vector<int>(static_cast<std::size_t>(n), 1))
            << "n " << n << " grain " << grain << " threads " << threads;
      }
    }
  }
}

TEST(ThreadPool, NothingToDoCallsNothing) {
  ThreadPool pool(3);
  int calls = 0;
  pool.parallel_for(0, 1, [&](std::int64_t, std::int64_t) { ++calls; });
  pool.parallel_for(-5, 1, [&](std::int64_t, std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 0);
}

TEST(ThreadPool, ServesThousandsOfCalls) {
  ThreadPool pool(4);
  std::atomic<std::int64_t> sum{0};
  for (std::int64_t call = 0; call < 5000; ++call) {
    // The captured `call` is gone once parallel_for returns: a late thread would add a wrong one.
    pool.parallel_for(
        37, 1, [&sum, call](std::int64_t begin, std::int64_t end) { sum += (end - begin) * call; });
    ASSERT_EQ(sum.load(), 37 * (call * (call + 1) / 2));
  }
}

TEST(ThreadPool, WakesAfterSleeping) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the threads stop spinning
    EXPECT_EQ(visits(pool, 100, 1), std::vector<int>(100, 1));
  }
}

// Every thread waits inside the body until all have come, which only works when all take part.
TEST(ThreadPool, AllThreadsTakePart) {
  ThreadPool pool(4);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::condition_variable all_here;
  pool.parallel_for(16, 1, [&](std::int64_t, std::int64_t) {
    std::unique_lock<std::mutex> lock(mutex);
    seen.insert(std::this_thread::get_id());
    all_here.notify_all();
    all_here.wait_for(lock, std::chrono::seconds(30), [&] { return seen.size() == 4; });
  });
  EXPECT_EQ(seen.size(), 4u);
}

TEST(ThreadPool, SeveralPoolsWorkSideBySide) {
  ThreadPool first(3);
  std::thread other([] {
    ThreadPool second(3);
    for (int i = 0; i < 500; ++i) EXPECT_EQ(visits(second, 50, 1), std::vector<int>(50, 1));
  });
  for (int i = 0; i < 500; ++i) EXPECT_EQ(visits(first, 50, 1), std::vector<int>(50, 1));
  other.join();
}

// In a process of its own, which may have no more memory than a few stacks.
TEST(ThreadPool, ThreadsThatCannotBeStartedAreOneError) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{.rlim_cur = 256u << 20, .rlim_max = 256u << 20};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(2);
    try {
      ThreadPool pool(256);
      ::_exit(3);
    } catch (const Error& error) {
      const bool whole =
          error.kind() == ErrorKind::kEnvironment &&
          std::string(error.what()) ==
              "256 threads cannot be started (Resource temporarily unavailable): give --threads a "
              "smaller number";
      ::_exit(whole ? 0 : 4);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace assay
