#include "gates/shared_core.h"

#include <sched.h>

namespace assay {

std::optional<int> share_core(const std::vector<int>& pids) {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return std::nullopt;
  int core = CPU_SETSIZE - 1;
  while (core >= 0 && !CPU_ISSET(core, &allowed)) --core;
  if (core < 0) return std::nullopt;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  for (const int pid : pids) {
    if (::sched_setaffinity(pid, sizeof one, &one) != 0) return std::nullopt;
  }
  return core;
}

}  // namespace assay
