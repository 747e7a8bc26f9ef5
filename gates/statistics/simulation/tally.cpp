#include "gates/statistics/simulation/tally.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "engine/core/thread_pool.h"

namespace assay::simulation {

Tally tally(int experiments, int kinds,
            const std::function<void(std::int64_t index, Tally& counts)>& one) {
  Tally sums(static_cast<std::size_t>(kinds), 0);
  std::exception_ptr failure;
  std::mutex mutex;
  ThreadPool pool(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  pool.parallel_for(experiments, 32, [&](std::int64_t begin, std::int64_t end) {
    Tally counts(sums.size(), 0);
    std::exception_ptr failed;
    try {
      for (std::int64_t index = begin; index < end; ++index) one(index, counts);
    } catch (...) {
      failed = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    if (failed && !failure) failure = failed;
    for (std::size_t kind = 0; kind < sums.size(); ++kind) sums[kind] += counts[kind];
  });
  if (failure) std::rethrow_exception(failure);
  return sums;
}

}  // namespace assay::simulation
