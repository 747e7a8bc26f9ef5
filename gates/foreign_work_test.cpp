// What counts as foreign work, and when it drops a pair.
#include "gates/foreign_work.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

namespace assay {
namespace {

TEST(ForeignWork, DropsOnlyWhatMustHaveStoodInTheWay) {
  EXPECT_EQ(drop_reason({.cores = 1.2, .gpu_processes = std::nullopt}, 2, 1), "");
  EXPECT_EQ(drop_reason({.cores = 1.3, .gpu_processes = std::nullopt}, 2, 1),
            "foreign: other processes kept 1.30 of 2 cores busy");
  EXPECT_EQ(drop_reason({.cores = 0.2, .gpu_processes = 0}, 2, 2), "");
  EXPECT_EQ(drop_reason({.cores = 0.3, .gpu_processes = 0}, 2, 2),
            "foreign: other processes kept 0.30 of 2 cores busy");
  EXPECT_EQ(drop_reason({.cores = 0, .gpu_processes = 1}, 16, 1),
            "foreign: 1 other process had work on the GPU");
  EXPECT_EQ(drop_reason({.cores = std::nullopt, .gpu_processes = std::nullopt}, 1, 1), "");
}

TEST(ForeignWork, ProcessesOfAGpuAreCountedWhereverTheirIdsAreFrom) {
  EXPECT_EQ(foreign_processes({10, 11}, {10, 11}), 0);
  EXPECT_EQ(foreign_processes({10, 11, 12}, {10, 11}), 1);
  EXPECT_EQ(foreign_processes({900, 901}, {10, 11}), 0);  // another name space
  EXPECT_EQ(foreign_processes({900, 901, 902}, {10, 11}), 1);
  EXPECT_EQ(foreign_processes({}, {10, 11}), std::nullopt);  // it does not say
  EXPECT_EQ(foreign_processes({900}, {10, 11}), std::nullopt);
}

// A child that has run for 0.3 s of processor time, and waits to be let go.
class BusyChild {
 public:
  BusyChild() {
    EXPECT_EQ(::pipe(done_), 0);
    EXPECT_EQ(::pipe(start_), 0);
    pid_ = ::fork();
    if (pid_ != 0) return;
    char byte = 0;
    if (::read(start_[0], &byte, 1) != 1) ::_exit(1);
    while (std::clock() < 3 * CLOCKS_PER_SEC / 10) {
    }
    if (::write(done_[1], &byte, 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  BusyChild(const BusyChild&) = delete;
  BusyChild& operator=(const BusyChild&) = delete;
  ~BusyChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    for (const int fd : {start_[0], start_[1], done_[0], done_[1]}) ::close(fd);
  }
  int pid() const { return pid_; }
  void work() const {
    char byte = 1;
    EXPECT_EQ(::write(start_[1], &byte, 1), 1);
    EXPECT_EQ(::read(done_[0], &byte, 1), 1);
  }

 private:
  int start_[2] = {}, done_[2] = {};
  int pid_ = -1;
};

TEST(ForeignWork, WhatIsOursIsNotForeign) {
  const BusyChild child;
  ForeignWatch ours({child.pid()});
  ForeignWatch theirs({});
  const auto start = std::chrono::steady_clock::now();
  child.work();
  const ForeignWork with_child = theirs.seen(nullptr);
  const ForeignWork without = ours.seen(nullptr);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(with_child.cores && without.cores);
  // 0.3 s of work, less what the kernel's clock tick of 10 ms rounds off.
  EXPECT_GE(*with_child.cores - *without.cores, 0.2 / passed.count());
  EXPECT_FALSE(without.gpu_processes.has_value());
}

TEST(ForeignWork, AProcessThatIsGoneLeavesItUnmeasured) {
  ForeignWatch watch({1 << 30});
  EXPECT_FALSE(watch.seen(nullptr).cores.has_value());
}

}  // namespace
}  // namespace assay
