#include "recorder/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace assay {

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::size_t first = count;
  std::exception_ptr failure;
  const auto take = [&] {
    for (std::size_t i = next++; i < count && !failed; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard guard(mutex);
        failed = true;
        if (i >= first) continue;
        first = i;
        failure = std::current_exception();
      }
    }
  };
  if (count < 2) {
    take();
  } else {
    std::thread other;
    try {
      other = std::thread(take);
    } catch (const std::system_error&) {
      // Where no thread can be had, this one does all of it.
    }
    take();
    if (other.joinable()) other.join();
  }
  if (failure) std::rethrow_exception(failure);
}

void in_parallel_pieces(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kPiece = 100;
  in_parallel((count + kPiece - 1) / kPiece, [&](std::size_t piece) {
    const std::size_t end = std::min((piece + 1) * kPiece, count);
    for (std::size_t i = piece * kPiece; i < end; ++i) work(i);
  });
}

}  // namespace assay
