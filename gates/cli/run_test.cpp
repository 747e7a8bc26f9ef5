// Ctrl-C on the program itself, with real workers: it ends in the gate where it is, leaves no
// worker behind, and the next run goes on.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "engine/core/cpu.h"
#include "gates/cli/driven_program.h"

namespace assay {
namespace {

// A run in the background, its output in a file that grows.
class BackgroundRun {
 public:
  BackgroundRun(const TestWorkspace& workspace, const std::string& slug)
      : output_(workspace.path("run.out")) {
    pid_ = fork();
    if (pid_ != 0) return;
    if (freopen(output_.c_str(), "w", stdout) == nullptr) _exit(126);
    const std::string program = std::string(ASSAY_BIN) + "/assay";
    if (chdir(workspace.root().c_str()) == 0) {
      execl(program.c_str(), program.c_str(), "run", slug.c_str(), nullptr);
    }
    _exit(126);
  }

  // False when the run ended before it said so.
  bool wait_until_it_says(const std::string& text) {
    while (read_text(output_).find(text) == std::string::npos) {
      if (ended()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  // Process ids of its workers.
  std::vector<pid_t> workers() const {
    const std::string task = std::to_string(pid_);
    std::ifstream children("/proc/" + task + "/task/" + task + "/children");
    std::vector<pid_t> pids;
    for (pid_t pid = 0; children >> pid;) pids.push_back(pid);
    return pids;
  }

  void send(int signal) const { kill(pid_, signal); }

  Finished finish() {
    if (!ended_) waitpid(pid_, &status_, 0);
    ended_ = true;
    return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), read_text(output_),
            ""};
  }

 private:
  bool ended() {
    if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return ended_;
  }

  std::string output_;
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

class InterruptedRun : public testing::TestWithParam<int> {};

TEST_P(InterruptedRun, EndsInItsGateAndCanGoOn) {
  if (cpu_level() < CpuLevel::kAvx2) GTEST_SKIP() << "the candidate needs AVX2";
  const TestWorkspace workspace;
  write_text(workspace.path("kv-tile.yaml"), definition_text("kv-tile"));
  ASSERT_EQ(workspace.assay({"propose", "kv-tile.yaml"}).code, 0);
  BackgroundRun run(workspace, "kv-tile");
  ASSERT_TRUE(run.wait_until_it_says("preflight green")) << run.finish().out;
  std::vector<pid_t> workers = run.workers();
  while (workers.empty()) workers = run.workers();
  run.send(GetParam());
  const Finished stopped = run.finish();
  EXPECT_EQ(stopped.code, 12) << stopped.out;
  EXPECT_NE(stopped.out.find("baseline  skipped stopped before a verdict\n"), std::string::npos)
      << stopped.out;
  EXPECT_NE(stopped.out.find("inconclusive   0001 kv-tile, no verdict\n"
                             "         stopped before a verdict; run again to go on, pairs are "
                             "kept\n"),
            std::string::npos)
      << stopped.out;
  for (const pid_t worker : workers) EXPECT_NE(kill(worker, 0), 0) << "still there";
  {
    const Store store(workspace.database());
    EXPECT_TRUE(store.unfinished_runs().empty());
    EXPECT_EQ(fold(store.events("kv-tile")).used_attempts(), 0);
  }
  EXPECT_EQ(workspace.assay({"run", "kv-tile", "--until", "preflight"}).code, 0);
}

INSTANTIATE_TEST_SUITE_P(By, InterruptedRun, testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace assay
