// Token embedding on the GPU: one thread per unit of a quantised row (32 or 64 elements, see
// kernels/cuda_weight_unit.cuh), or per element of a float row; the grid's long axis is the tokens.
//
// Every type, raw or in planes. A value is the product of scale and code less the offset, each
// rounded once as kernels/blocks.h defines it, so the bits are the CPU's. Weights are read as
// widely as their layout permits; a thread's stores of 16 bytes meet in L2.
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/cuda_weight_unit_k.cuh"
#include "kernels/embed/embed.h"

namespace assay::embed_cuda_rows {

constexpr int kThreads = 128;
constexpr const char* kVariant = "embed.cuda.rows";

// Byte i of `word` as a code of `Unit`, times the scale, less the offset.
template <typename Unit>
__device__ __forceinline__ float value_of(std::uint32_t word, int i, float scale, float offset) {
  const int code = static_cast<std::int8_t>(word >> (8 * i) & 0xffu) - Unit::kBias;
  const float product = scale * static_cast<float>(code);
  return Unit::kHasOffset ? product - offset : product;
}

// tokens (t) -> out (t, k), k a multiple of a unit
template <typename Unit>
__global__ void __launch_bounds__(kThreads)
    dequantize_rows(cuda::WeightView table, const std::int32_t* tokens, float* out, int k) {
  const int unit_at = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x);
  const int units = k / Unit::kElements;
  if (unit_at >= units) return;
  const std::int64_t row = blockIdx.x;
  const int phase = unit_at % Unit::kPhases;
  const auto block =
      static_cast<std::uint32_t>(tokens[row]) * static_cast<std::uint32_t>(units / Unit::kPhases) +
      static_cast<std::uint32_t>(unit_at / Unit::kPhases);
  const Unit unit = Unit::load(Unit::view_of(table, phase), block);
#pragma unroll
  for (int part = 0; part < Unit::kParts; ++part) {
    std::uint32_t codes[8];
    unit.codes(phase, part, codes);
    const float offset = unit.offset(phase, part);
    auto* to = reinterpret_cast<float4*>(out + row * k + 32 * Unit::block_of(unit_at, part));
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float scale = unit.scale(phase, part, i / 4);
      to[i] = {
          value_of<Unit>(codes[i], 0, scale, offset), value_of<Unit>(codes[i], 1, scale, offset),
          value_of<Unit>(codes[i], 2, scale, offset), value_of<Unit>(codes[i], 3, scale, offset)};
    }
  }
}

template <DType kType>
__device__ __forceinline__ float widened(const void* table, std::int64_t at) {
  if constexpr (kType == DType::kF32) {
    return static_cast<const float*>(table)[at];
  } else {
    const std::uint16_t bits = static_cast<const std::uint16_t*>(table)[at];
    return kType == DType::kF16 ? __half2float(__ushort_as_half(bits))
                                : __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
  }
}

// tokens (t) -> out (t, k)
template <DType kType>
__global__ void __launch_bounds__(kThreads)
    widen_rows(const void* table, const std::int32_t* tokens, float* out, int k) {
  const int i = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x);
  if (i >= k) return;
  const std::int64_t row = blockIdx.x;
  out[row * k + i] = widened<kType>(table, static_cast<std::int64_t>(tokens[row]) * k + i);
}

template <DType kType>
void enqueue_float(const EmbedArgs& args, const CudaLaunch& launch) {
  const dim3 grid(static_cast<unsigned>(args.t), cuda::groups_of(args.k, kThreads));
  widen_rows<kType>
      <<<grid, kThreads, 0, cuda::stream_of(launch)>>>(args.table, args.tokens, args.out, args.k);
}

template <DType kType, WeightLayout kLayout>
void enqueue_units(const EmbedArgs& args, const CudaLaunch& launch) {
  using Unit = cuda::WeightUnit<kType, kLayout>;
  cuda::require_aligned(kVariant, 16, {args.table, args.out});
  const int row_blocks = args.k / (Unit::kElements * Unit::kPhases);
  const cuda::WeightView view = cuda::weight_view(
      kType, kLayout, args.table, static_cast<std::int64_t>(args.vocab) * row_blocks);
  const dim3 grid(static_cast<unsigned>(args.t),
                  cuda::groups_of(row_blocks * Unit::kPhases, kThreads));
  dequantize_rows<Unit>
      <<<grid, kThreads, 0, cuda::stream_of(launch)>>>(view, args.tokens, args.out, args.k);
}

template <DType kType>
void enqueue(const EmbedArgs& args, const CudaLaunch& launch) {
  if (args.layout == WeightLayout::kRaw || plane_fields_of(kType).empty()) {
    return enqueue_units<kType, WeightLayout::kRaw>(args, launch);
  }
  if (args.layout != WeightLayout::kPlanes || args.vocab <= 0) {
    throw Error(
        ErrorKind::kInternal,
        std::string(kVariant) + ": unknown weight layout, or planes without their row count");
  }
  enqueue_units<kType, WeightLayout::kPlanes>(args, launch);
}

void enqueue_any(const EmbedArgs& args, const CudaLaunch& launch) {
  switch (args.dtype) {
    case DType::kF32:
      return enqueue_float<DType::kF32>(args, launch);
    case DType::kF16:
      return enqueue_float<DType::kF16>(args, launch);
    case DType::kBF16:
      return enqueue_float<DType::kBF16>(args, launch);
    case DType::kQ4_0:
      return enqueue<DType::kQ4_0>(args, launch);
    case DType::kQ4_1:
      return enqueue<DType::kQ4_1>(args, launch);
    case DType::kQ5_0:
      return enqueue<DType::kQ5_0>(args, launch);
    case DType::kQ5_1:
      return enqueue<DType::kQ5_1>(args, launch);
    case DType::kQ8_0:
      return enqueue<DType::kQ8_0>(args, launch);
    case DType::kQ4K:
      return enqueue<DType::kQ4K>(args, launch);
    case DType::kQ5K:
      return enqueue<DType::kQ5K>(args, launch);
    case DType::kQ6K:
      return enqueue<DType::kQ6K>(args, launch);
  }
}

void embed(const EmbedArgs& args, CudaLaunch& launch) {
  enqueue_any(args, launch);
  cuda::check_launch(kVariant);
}

}  // namespace assay::embed_cuda_rows

ASSAY_CUDA_VARIANT(embed_cuda_rows, assay::EmbedArgs, assay::embed_cuda_rows::embed);
