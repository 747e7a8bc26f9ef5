#include "engine/core/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr auto kSpin = std::chrono::microseconds(20);
constexpr std::uint32_t kOpen = 1u << 31;

template <typename Done>
bool spin_until(const Done& done) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  std::string why;
  try {
    workers_.reserve(static_cast<std::size_t>(std::max(threads, 1)));
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
    return;
  } catch (const std::system_error& error) {
    why = error.code().message();
  } catch (const std::bad_alloc&) {
    why = std::make_error_code(std::errc::not_enough_memory).message();
  }
  end();
  throw Error(ErrorKind::kEnvironment,
              fmt::format("{} threads cannot be started ({}): give --threads a smaller number",
                          threads, why));
}

ThreadPool::~ThreadPool() {
  end();
}

void ThreadPool::end() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_.store(true);
    epoch_.fetch_add(1);
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::take_ranges() {
  for (;;) {
    const std::int64_t begin = next_.fetch_add(grain_, std::memory_order_relaxed);
    if (begin >= n_) return;
    (*body_)(begin, std::min(begin + grain_, n_));
  }
}

void ThreadPool::work() {
  std::uint64_t seen = 0;
  for (;;) {
    if (!spin_until([&] { return epoch_.load(std::memory_order_acquire) != seen; })) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return epoch_.load(std::memory_order_acquire) != seen; });
    }
    seen = epoch_.load(std::memory_order_acquire);
    if (stop_.load()) return;
    std::uint32_t call = call_.load(std::memory_order_acquire);
    while ((call & kOpen) != 0) {
      if (!call_.compare_exchange_weak(call, call + 1, std::memory_order_acquire)) continue;
      take_ranges();
      call_.fetch_sub(1, std::memory_order_release);
      break;
    }
  }
}

void ThreadPool::parallel_for(std::int64_t n, std::int64_t grain,
                              const std::function<void(std::int64_t, std::int64_t)>& body) {
  if (n <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  if (workers_.empty() || n <= grain) {
    body(0, n);
    return;
  }
  // A few ranges per thread: enough to balance, few enough that the counter does not matter.
  const std::int64_t wanted = (n + 4 * size() - 1) / (4 * size());
  grain_ = std::max(grain, (wanted + grain - 1) / grain * grain);
  n_ = n;
  body_ = &body;
  next_.store(0, std::memory_order_relaxed);
  call_.store(kOpen, std::memory_order_release);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    epoch_.fetch_add(1, std::memory_order_release);
  }
  wake_.notify_all();
  take_ranges();
  call_.fetch_and(~kOpen, std::memory_order_acq_rel);
  while (!spin_until([&] { return call_.load(std::memory_order_acquire) == 0; })) {
    std::this_thread::yield();
  }
}

}  // namespace assay
