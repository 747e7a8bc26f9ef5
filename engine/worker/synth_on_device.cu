#include "engine/core/error.h"
#include "engine/worker/synth_on_device.h"
#include "kernels/cuda_check.cuh"

namespace assay::synth_on_device {

constexpr int kThreads = 128;

// Block `first + thread` of a tensor. Blocks of 34 and 210 bytes begin at even addresses only, so
// the finished block goes out in pairs of bytes.
template <DType kType, int kBytes>
__global__ void __launch_bounds__(kThreads)
    write_blocks(SynthRecipe recipe, std::uint64_t blocks, std::uint8_t* out) {
  const std::uint64_t block = static_cast<std::uint64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (block >= blocks) return;
  alignas(16) std::uint8_t bytes[kBytes];
  if constexpr (kType == DType::kF16) f16_block(recipe, block, bytes);
  if constexpr (kType == DType::kQ8_0) q8_0_block(recipe, block, bytes);
  if constexpr (kType == DType::kQ4K) q4k_block(recipe, block, bytes);
  if constexpr (kType == DType::kQ6K) q6k_block(recipe, block, bytes);
  auto* to = reinterpret_cast<std::uint16_t*>(out + block * kBytes);
  const auto* from = reinterpret_cast<const std::uint16_t*>(bytes);
  for (int i = 0; i < kBytes / 2; ++i) to[i] = from[i];
}

template <DType kType, int kBytes>
void enqueue(const SynthTensor& tensor, std::byte* device, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>((tensor.blocks() + kThreads - 1) / kThreads);
  write_blocks<kType, kBytes><<<grid, kThreads, 0, stream>>>(
      tensor.recipe, tensor.blocks(), reinterpret_cast<std::uint8_t*>(device));
  cuda::check_launch("generation of a synthetic tensor");
}

}  // namespace assay::synth_on_device

namespace assay {

void generate_on_device(const SynthTensor& tensor, std::byte* device, void* stream) {
  using synth_on_device::enqueue;
  const auto on = static_cast<cudaStream_t>(stream);
  if (tensor.kind == SynthKind::kCodes) {
    if (tensor.dtype == DType::kF16) return enqueue<DType::kF16, 64>(tensor, device, on);
    if (tensor.dtype == DType::kQ8_0) return enqueue<DType::kQ8_0, 34>(tensor, device, on);
    if (tensor.dtype == DType::kQ4K) return enqueue<DType::kQ4K, 144>(tensor, device, on);
    if (tensor.dtype == DType::kQ6K) return enqueue<DType::kQ6K, 210>(tensor, device, on);
  }
  throw Error(ErrorKind::kInternal, tensor.name + ": cannot be generated on a device");
}

}  // namespace assay
