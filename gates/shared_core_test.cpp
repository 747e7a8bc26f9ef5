// Arms on one core: the last of those that this process may use.
#include "gates/shared_core.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay {
namespace {

int waiting_child() {
  const int pid = ::fork();
  if (pid == 0) {
    ::pause();
    ::_exit(0);
  }
  return pid;
}

cpu_set_t affinity_of(int pid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(pid, sizeof set, &set), 0);
  return set;
}

TEST(SharedCore, BindsAllToOneCoreAndLeavesThisProcessAlone) {
  const cpu_set_t before = affinity_of(0);
  const std::vector<int> children{waiting_child(), waiting_child()};
  const std::optional<int> core = share_core(children);
  ASSERT_TRUE(core.has_value());
  EXPECT_TRUE(CPU_ISSET(*core, &before));
  for (int later = *core + 1; later < CPU_SETSIZE; ++later) EXPECT_FALSE(CPU_ISSET(later, &before));
  for (const int child : children) {
    const cpu_set_t set = affinity_of(child);
    EXPECT_EQ(CPU_COUNT(&set), 1);
    EXPECT_TRUE(CPU_ISSET(*core, &set));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  const cpu_set_t after = affinity_of(0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(SharedCore, AProcessThatIsGoneIsSaid) {
  EXPECT_EQ(share_core({1 << 30}), std::nullopt);
}

}  // namespace
}  // namespace assay
