// `health`: that the worker answers, and how much memory it holds.
#include <unistd.h>
#include <fstream>

#include "engine/worker/worker.h"

namespace assay {

HealthReply Worker::health() const {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  statm >> pages >> resident;
  return {.rss_bytes = resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)),
          .served = served_};
}

}  // namespace assay
