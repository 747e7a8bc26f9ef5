// Several processes on one database: nothing lost, the stop rule holds, a kill leaves no part.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "recorder/played_history.h"

namespace assay {
namespace {

class ConcurrencyTest : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string database = folder.path() + "/assay.db";
};

pid_t child(const std::function<int()>& action) {
  const pid_t id = fork();
  if (id != 0) return id;
  int status = 99;
  try {
    status = action();
  } catch (...) {
  }
  _exit(status);
}

int status_of(pid_t id) {
  int status = 0;
  waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_F(ConcurrencyTest, FourProcessesCreateAndAppendAtOnce) {
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    children.push_back(child([&, c] {
      Store store(database);
      const std::string slug = "shared";
      store.number_for(slug);
      store.number_for("own-" + std::to_string(c));
      const std::string run = store.open_run(slug, {"run", "child " + std::to_string(c), {}});
      for (int i = 0; i < 10; ++i) store.append(run, EventKind::kLook, Look{"ab", i, c});
      store.end_run(run, {"green", 0, ""});
      return 0;
    }));
  }
  for (const pid_t id : children) EXPECT_EQ(status_of(id), 0);
  const Store store(database);
  EXPECT_TRUE(store.integrity().empty());
  EXPECT_EQ(store.experiments().size(), 5u);
  EXPECT_EQ(store.runs("shared").size(), 4u);
  EXPECT_EQ(store.events("shared").size(), 48u);
}

TEST_F(ConcurrencyTest, ThreadsWithTheirOwnStoresAppendAtOnce) {
  { Store(database).number_for("shared"); }
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      Store store(database);
      for (int i = 0; i < 5; ++i) {
        const std::string run = store.open_run("shared", {"run", "", {}});
        store.append(run, EventKind::kLook, Look{"ab", i, {}});
        store.end_run(run, {"green", 0, ""});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Store store(database);
  EXPECT_EQ(store.runs("shared").size(), 15u);
  EXPECT_TRUE(store.integrity().empty());
}

TEST_F(ConcurrencyTest, TwoProcessesCannotBothTakeTheSecondAttempt) {
  {
    Store store(database);
    play_proposal(store, "tile", definition_text("tile"));
    play_red_run(store, "tile", "f1");
  }
  std::vector<pid_t> children;
  for (const std::string fingerprint : {"f2", "f3", "f4"}) {
    children.push_back(child([&, fingerprint] {
      Store store(database);
      AdmissionResult result;
      open_attempt_run(store, "tile", fingerprint, &result);
      if (result.admission == Admission::kNew) return result.ordinal == 2 ? 10 : 20;
      return result.admission == Admission::kStopped ? 11 : 30;
    }));
  }
  std::multiset<int> statuses;
  for (const pid_t id : children) statuses.insert(status_of(id));
  EXPECT_EQ(statuses, (std::multiset<int>{10, 11, 11}));
}

TEST_F(ConcurrencyTest, AKilledRunsAttemptHoldsItsPlaceUntilItIsEnded) {
  Store store(database);
  play_proposal(store, "tile", definition_text("tile"));
  AdmissionResult first, second, third;
  const std::string killed = open_attempt_run(store, "tile", "f1", &first);
  open_attempt_run(store, "tile", "f2", &second);
  const std::string refused = open_attempt_run(store, "tile", "f3", &third);
  EXPECT_EQ(first.ordinal, 1);
  EXPECT_EQ(second.admission, Admission::kNew);
  EXPECT_EQ(second.ordinal, 2);
  EXPECT_EQ(third.admission, Admission::kStopped);
  EXPECT_NE(third.why.find("has not ended and holds one"), std::string::npos) << third.why;
  EXPECT_EQ(store.run_events(refused).size(), 3u);  // nothing of the attempt was written
  store.end_run(killed, {"killed", 1, ""});
  open_attempt_run(store, "tile", "f4", &third);
  EXPECT_EQ(third.admission, Admission::kNew);
  EXPECT_EQ(third.ordinal, 2);
}

TEST_F(ConcurrencyTest, TheThirdAttemptIsRefusedAndRedStaysTheSameAttempt) {
  Store store(database);
  play_proposal(store, "tile", definition_text("tile"));
  play_red_run(store, "tile", "f1");
  AdmissionResult result;
  store.end_run(open_attempt_run(store, "tile", "f1", &result), {"red", 10, ""});
  EXPECT_EQ(result.admission, Admission::kRedAgain);
  EXPECT_EQ(result.ordinal, 1);
  play_red_run(store, "tile", "f2");
  open_attempt_run(store, "tile", "f3", &result);
  EXPECT_EQ(result.admission, Admission::kStopped);
}

// One loop of a child that journals as fast as it can, killed after a random time.
TEST_F(ConcurrencyTest, AProcessKilledAtAnyMomentLeavesWholeEvents) {
  {
    Store store(database);
    play_proposal(store, "tile", definition_text("tile"));
  }
  std::mt19937 random(7);
  std::size_t before = 3;
  int grew = 0;
  for (int round = 0; round < 30; ++round) {
    const pid_t id = child([&] {
      Store store(database);
      while (true) {
        const std::string run = store.open_run("tile", {"run", "loop", {}});
        for (int i = 0; i < 3; ++i) {
          store.append(run, EventKind::kLook, Look{"guard:0", i, std::string(3000, 'x')});
        }
        store.end_run(run, {"green", 0, ""});
      }
      return 0;
    });
    const timespec pause{0, 1'000'000L * static_cast<long>(5 + random() % 60)};
    nanosleep(&pause, nullptr);
    kill(id, SIGKILL);
    EXPECT_EQ(status_of(id), -SIGKILL);
    Store store(database);
    ASSERT_EQ(store.integrity(), std::vector<std::string>{}) << "round " << round;
    for (const Store::StoredRun& run : store.runs("tile")) {
      const auto events = store.run_events(run.id);
      ASSERT_FALSE(events.empty());
      EXPECT_EQ(events.front().kind, EventKind::kRunOpened);
      EXPECT_EQ(run.seal.empty(), events.back().kind != EventKind::kRunEnded);
    }
    const auto unfinished = store.unfinished_runs();
    EXPECT_LE(unfinished.size(), 1u);
    for (const Store::StoredRun& run : unfinished) store.end_run(run.id, {"killed", 1, ""});
    const std::size_t after = store.events("tile").size();
    EXPECT_GE(after, before);
    grew += after > before ? 1 : 0;
    before = after;
  }
  EXPECT_GT(grew, 5);  // the children really wrote
}

}  // namespace
}  // namespace assay
