#include "engine/backend/cuda/clock_span.cuh"
#include "kernels/cuda_check.cuh"

namespace assay {
namespace {

using cuda::check;

constexpr int kMostMultiprocessors = 512;

__global__ void stamp_clocks(ClockStamp* stamps) {
  unsigned multiprocessor = 0;
  std::uint64_t ns = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  if (multiprocessor >= kMostMultiprocessors) return;
  stamps[multiprocessor] = {static_cast<std::uint64_t>(clock64()), ns};
}

int multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0),
        "cudaDeviceGetAttribute");
  return count;
}

}  // namespace

ClockSpan::ClockSpan()
    : blocks_(multiprocessors()),
      device_(2 * kMostMultiprocessors, "clock stamps"),
      host_(2 * kMostMultiprocessors) {}

void ClockSpan::begin(cudaStream_t stream) const {
  check(cudaMemsetAsync(device_.data(), 0, 2 * kMostMultiprocessors * sizeof(ClockStamp), stream),
        "clearing of clock stamps");
  stamp_clocks<<<static_cast<unsigned>(blocks_), 1, 0, stream>>>(device_.data());
  cuda::check_launch("clock stamps");
}

DeviceSpan ClockSpan::end(cudaStream_t stream) {
  stamp_clocks<<<static_cast<unsigned>(blocks_), 1, 0, stream>>>(device_.data() +
                                                                 kMostMultiprocessors);
  cuda::check_launch("clock stamps");
  check(cudaMemcpyAsync(host_.data(), device_.data(), 2 * kMostMultiprocessors * sizeof(ClockStamp),
                        cudaMemcpyDeviceToHost, stream),
        "copy of clock stamps");
  check(cudaStreamSynchronize(stream), "a copy of clock stamps");
  DeviceSpan sum;
  std::int64_t reached = 0;
  for (int i = 0; i < kMostMultiprocessors; ++i) {
    const ClockStamp& first = host_.data()[i];
    const ClockStamp& last = host_.data()[kMostMultiprocessors + i];
    if (first.ns == 0 || last.ns <= first.ns) continue;  // not reached by both
    sum.ns += static_cast<std::int64_t>(last.ns - first.ns);
    sum.cycles += static_cast<std::int64_t>(last.cycles - first.cycles);
    ++reached;
  }
  if (reached > 0) {
    sum.ns /= reached;
    sum.cycles /= reached;
  }
  return sum;
}

}  // namespace assay
