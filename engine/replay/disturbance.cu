#include "engine/replay/disturbance.h"

#include <cuda_runtime.h>

#include <array>

#include "engine/backend/cuda/device_array.cuh"
#include "engine/core/mix64.h"
#include "kernels/cuda_check.cuh"

namespace assay::replay {
namespace {

constexpr int kThreads = 1024;
constexpr int kMostBlocks = 64;
constexpr int kAtOnce = 4;  // loads
constexpr std::size_t kMemory = std::size_t{256} << 20;
constexpr std::size_t kLeast = std::size_t{64} << 20;  // bytes of a window

__device__ __forceinline__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Each thread goes over its own elements of the window, again and again, until the time is up.
__global__ void __launch_bounds__(kThreads)
    turn_over(uint4* memory, std::size_t elements, unsigned long long for_ns) {
  const unsigned long long end = nanoseconds() + for_ns;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * kThreads;
  std::size_t at = first;
  do {
    for (int i = 0; i < 8; ++i) {
      uint4 value = memory[at];
      value.x = value.x * 1664525u + 1013904223u;
      value.w ^= value.x;
      memory[at] = value;
      at += step;
      if (at >= elements) at = first;
    }
  } while (nanoseconds() < end);
}

}  // namespace

struct Disturbance::State {
  State() : memory(kMemory, "a disturbance") {
    cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    for (cudaEvent_t& event : ends) {
      cuda::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
    }
    int device = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(
        cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "cudaDeviceGetAttribute");
    cuda::check(
        cudaFuncSetAttribute(turn_over, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared),
        "shared memory of a disturbance");
  }
  ~State() {
    cudaStreamSynchronize(stream);
    for (cudaEvent_t event : ends) cudaEventDestroy(event);
    cudaStreamDestroy(stream);
  }

  bool ended(int load) const {
    const cudaError_t status = cudaEventQuery(ends[static_cast<std::size_t>(load % kAtOnce)]);
    if (status == cudaErrorNotReady) {
      cudaGetLastError();  // no failure; the next check of a launch must not take it for one
      return false;
    }
    cuda::check(status, "a disturbance");
    return true;
  }

  void enqueue() {
    const std::uint64_t drawn = mix64(kMix64Step * static_cast<std::uint64_t>(count + 1));
    const auto blocks = static_cast<unsigned>(1 + drawn % kMostBlocks);
    const std::size_t window = kLeast + (drawn >> 8) % (kMemory - kLeast + 1);
    const unsigned long long ns = 500'000 + (drawn >> 40) % 3'500'000;
    const std::size_t shared = count % 2 == 0 ? static_cast<std::size_t>(most_shared) : 0;
    turn_over<<<blocks, kThreads, shared, stream>>>(reinterpret_cast<uint4*>(memory.data()),
                                                    window / sizeof(uint4), ns);
    cuda::check_launch("a disturbance");
    cuda::check(cudaEventRecord(ends[static_cast<std::size_t>(count % kAtOnce)], stream),
                "cudaEventRecord");
    ++count;
  }

  DeviceArray<std::byte> memory;
  cudaStream_t stream = nullptr;
  std::array<cudaEvent_t, kAtOnce> ends = {};  // of load i: ends[i % kAtOnce]
  int most_shared = 0;                         // bytes of a block
  int count = 0;                               // loads so far
};

Disturbance::Disturbance() : state_(std::make_unique<State>()) {}
Disturbance::~Disturbance() = default;

void Disturbance::keep_going() {
  // An event that was never recorded counts as ended; loads end in order.
  while (state_->ended(state_->count)) state_->enqueue();
}

bool Disturbance::busy() const {
  return state_->count > 0 && !state_->ended(state_->count - 1);
}

int Disturbance::loads() const {
  return state_->count;
}

}  // namespace assay::replay
