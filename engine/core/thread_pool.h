// A fixed set of threads that split index ranges.
//
// Method: parallel_for cuts [0, n) into contiguous ranges whose starts are multiples of `grain`,
// and each thread takes the next range from an atomic counter. Results never depend on the split,
// because every kernel computes an output element wholly inside one call; the split is a matter of
// speed only. Waiting threads spin for about 20 us and then sleep, so that an idle process leaves
// the cores alone (two arms of an A/B are alive at once).
//
// Invariants
//  1. A thread works on a call only after it has joined it, and can join only while it is open.
//  2. The caller takes ranges itself, then closes the call and waits for those that joined. A
//     thread that is asleep or off its core has not joined, so it never holds a call up. (Waiting
//     for every thread instead made small calls on a busy machine six times slower than one
//     thread.)
//  3. body_, n_ and grain_ change only while the call is closed and nobody is in it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assay {

class ThreadPool {
 public:
  // `threads` >= 1, the caller's thread included. Error(kEnvironment) when the system has not so
  // many left.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(begin, end) for disjoint ranges that cover [0, n). Returns when all are done. `body`
  // must not throw and must not call parallel_for.
  void parallel_for(std::int64_t n, std::int64_t grain,
                    const std::function<void(std::int64_t, std::int64_t)>& body);

 private:
  void work();
  void end();  // joins all that were started
  void take_ranges();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::uint32_t> call_{0};  // kOpen, plus the number of threads that have joined
  std::atomic<bool> stop_{false};
  const std::function<void(std::int64_t, std::int64_t)>* body_ = nullptr;
  std::int64_t n_ = 0;
  std::int64_t grain_ = 1;
  std::atomic<std::int64_t> next_{0};
};

}  // namespace assay
