#include "gates/shared_core.h"

#include <sched.h>

#include "gates/allowed_cores.h"

namespace assay {

std::optional<int> share_core(const std::vector<int>& pids) {
  const std::vector<int> allowed = allowed_cores();
  if (allowed.empty()) return std::nullopt;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(allowed.back(), &one);
  for (const int pid : pids) {
    if (::sched_setaffinity(pid, sizeof one, &one) != 0) return std::nullopt;
  }
  return allowed.back();
}

}  // namespace assay
