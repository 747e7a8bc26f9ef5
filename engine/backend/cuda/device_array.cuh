// Memory of a GPU with an owner: plain allocations, one per array, so that a memory checker sees
// where each ends.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>

#include "kernels/cuda_check.cuh"

namespace assay {

// Zeroed, fixed size. `what` names it in an out-of-memory error.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(std::size_t count, const std::string& what) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes == 0) return;
    bytes_ = bytes;
    cuda::check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes),
                "cudaMalloc of " + std::to_string(bytes) + " bytes for " + what);
    cuda::check(cudaMemset(data_, 0, bytes), "cudaMemset of " + what);
    // It runs on the default stream and returns early; ours does not wait for that one.
    cuda::check(cudaStreamSynchronize(nullptr), "cudaMemset of " + what);
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }
  T* data() const { return data_; }
  // Enqueues the setting of all bits: NaN in every kind of float.
  void poison(cudaStream_t stream) const {
    if (bytes_ != 0) cuda::check(cudaMemsetAsync(data_, 0xff, bytes_, stream), "cudaMemset");
  }

 private:
  T* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Page-locked host memory, for copies that do not wait.
template <typename T>
class PinnedArray {
 public:
  explicit PinnedArray(std::size_t count) {
    cuda::check(cudaMallocHost(reinterpret_cast<void**>(&data_), count * sizeof(T)),
                "cudaMallocHost of " + std::to_string(count * sizeof(T)) + " bytes");
  }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  ~PinnedArray() { cudaFreeHost(data_); }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace assay
