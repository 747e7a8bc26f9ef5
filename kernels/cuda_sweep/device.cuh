// Memory and the stream of the sweep; freed and destroyed with their owner.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda_check.cuh"

namespace assay::sweep {

inline constexpr int kPoison = 0xff;  // NaN, whatever the type

class Stream {
 public:
  Stream() {
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT: meant to convert
  void wait() const { cuda::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

// `count` values on the device, poisoned at first.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count) : count_(count) {
    cuda::check(cudaMalloc(&data_, std::max<std::size_t>(bytes(), 16)),
                "cudaMalloc of " + std::to_string(bytes()) + " bytes for the sweep");
    cuda::check(cudaMemset(data_, kPoison, bytes()), "cudaMemset");
    cuda::check(cudaDeviceSynchronize(), "cudaMemset");
  }
  explicit DeviceArray(std::span<const T> host) : DeviceArray(host.size()) {
    cuda::check(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice),
                "copy to the device");
  }
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  void poison(cudaStream_t stream) const {
    cuda::check(cudaMemsetAsync(data_, kPoison, bytes(), stream), "cudaMemset");
  }
  std::vector<T> fetch(cudaStream_t stream) const {
    cuda::check(cudaStreamSynchronize(stream), "the wait before a copy from the device");
    std::vector<T> host(count_);
    cuda::check(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost),
                "copy from the device");
    return host;
  }

 private:
  void swap(DeviceArray& other) {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

// Seconds since it was made.
class Watch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace assay::sweep
