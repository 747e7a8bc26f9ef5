// The counter by which a runner sees that the worker is not stuck: the first 8 bytes of a page that
// both map, a native-endian uint64 that only rises, by one for each unit of work.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace assay {

class ProgressCounter {
 public:
  ProgressCounter();  // a counter that nobody else sees
  // The file is created, and grown to one page, where needed. Error(kUsage) when that fails.
  explicit ProgressCounter(const std::string& path);
  ~ProgressCounter();
  ProgressCounter(const ProgressCounter&) = delete;
  ProgressCounter& operator=(const ProgressCounter&) = delete;

  std::atomic<std::uint64_t>& counter() { return *counter_; }
  void bump() { counter_->fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> own_{0};
  std::atomic<std::uint64_t>* counter_ = &own_;
  void* page_ = nullptr;
};

}  // namespace assay
