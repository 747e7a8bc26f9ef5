// Split decode attention with the query heads of a group packed into one block.
//
// Problem: one query row per head, so the time is that of reading K and V once. A block per (split,
// kv head) serves all heads of the group, so that nothing is read twice; splits cut the positions
// into contiguous chunks, so that a few kv heads fill the GPU. A second kernel joins the splits.
//
// The number of splits is a parameter, never the number of SMs, and the grid does not depend on the
// position: a captured launch serves every position, and the same position gives the same bits on
// every device. All arithmetic is f32, with the exponential to base 2 by hardware.
#include "kernels/attention_decode/cuda_packed.cuh"

#include <cmath>
#include <string>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_early_load.cuh"
#include "kernels/cuda_launch.h"

namespace assay::attention_decode_cuda_packed {

inline constexpr int kFlight = 4;  // positions of a slot whose loads are under way together

template <int kDim, int kGroup>
__global__ void __launch_bounds__(kThreads, 2)
    attend_split(const __grid_constant__ AttentionDecodeArgs args, const std::int32_t* position,
                 const __grid_constant__ Partials partials) {
  __shared__ SlotResults<kDim, kGroup> results;
  const int split = static_cast<int>(blockIdx.x);
  const int splits = static_cast<int>(gridDim.x);
  const int kv_head = static_cast<int>(blockIdx.y);
  const int nkv = position != nullptr ? *position + 1 : args.nkv;
  const int chunk = (nkv + splits - 1) / splits;
  const int begin = split * chunk;
  const int end = min(begin + chunk, nkv);
  const int slot = static_cast<int>(threadIdx.x) / kLanes<kDim>;
  const int dim = static_cast<int>(threadIdx.x) % kLanes<kDim> * 8;
  const bool has_dims = dim < args.head_dim;
  Heads<kGroup> heads;  // read before the position is there
  start(args.q + kv_head * kGroup * args.head_dim + dim, args.head_dim, has_dims,
        args.scale * cuda::kLog2E, heads);
  if (begin >= end) {
    if (threadIdx.x < kGroup) {
      const int head = kv_head * kGroup + static_cast<int>(threadIdx.x);
      partials.weight[head * splits + split] = make_float2(-INFINITY, 0.0f);
    }
    return;
  }

  const std::uint16_t* keys = args.k_cache + kv_head * args.head_stride + dim;
  const std::uint16_t* values = args.v_cache + kv_head * args.head_stride + dim;
  for (int first = begin; first < end; first += kSlots<kDim> * kFlight) {
    uint4 k[kFlight];
    uint4 v[kFlight];
#pragma unroll
    for (int u = 0; u < kFlight; ++u) {
      const int at = first + u * kSlots<kDim> + slot;
      const bool inside = has_dims && at < end;
      k[u] = cuda::load_early(keys + at * args.position_stride, inside);
      v[u] = cuda::load_early(values + at * args.position_stride, inside);
    }
    float s[kFlight][kGroup];
#pragma unroll
    for (int u = 0; u < kFlight; ++u) {
      score<kDim>(heads, k[u], s[u]);
      const bool exists = first + u * kSlots<kDim> + slot < end;
#pragma unroll
      for (int g = 0; g < kGroup; ++g) s[u][g] = exists ? s[u][g] : -INFINITY;
    }
    take(heads, s, v);
  }
  leave_slot<kDim>(heads, results);
  __syncthreads();
  merge_slots<kDim>(results, kv_head * kGroup, split, splits, args.head_dim, partials);
}

inline constexpr int kCombineThreads = 256;

// 2^(top of the split - highest top) -> factors (kSplits), 0 for a split without positions; returns
// the sum of weights that they make, in every lane of the warp that calls.
template <int kSplits>
__device__ __forceinline__ float weigh_splits(const float2* of_splits, float* factors) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float2 own[kSplits / 32];
  float top = kNothing;
#pragma unroll
  for (int i = 0; i < kSplits / 32; ++i) {
    own[i] = of_splits[i * 32 + lane];
    top = fmaxf(top, own[i].x);
  }
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, apart));
  }
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < kSplits / 32; ++i) {
    const float factor = cuda::exp2_approximate(own[i].x - top);
    factors[i * 32 + lane] = factor;
    total = __fmaf_rn(factor, own[i].y, total);
  }
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    total += __shfl_xor_sync(0xffffffffu, total, apart);
  }
  return total;
}

// Joins the splits of one head: rows of kDim / 4 threads take every kRows-th split, then the rows
// meet in rising order. Sums are read while the first warp finds the factors; what an empty split
// left in their place is not used.
template <int kDim, int kSplits>
__global__ void __launch_bounds__(kCombineThreads)
    combine_splits(const __grid_constant__ Partials partials, float* out, int head_dim) {
  constexpr int kColumns = kDim / 4;
  constexpr int kRows = kCombineThreads / kColumns;
  __shared__ float factors[kSplits];
  __shared__ float4 sums[kRows][kColumns];
  __shared__ float total_weight;
  const int head = static_cast<int>(blockIdx.x);
  const int row = static_cast<int>(threadIdx.x) / kColumns;
  const int column = static_cast<int>(threadIdx.x) % kColumns;
  const bool has_dims = column * 4 < head_dim;
  const std::int64_t first = static_cast<std::int64_t>(head) * kSplits;  // row of partials
  float4 terms[kSplits / kRows];
#pragma unroll
  for (int i = 0; i < kSplits / kRows; ++i) {
    terms[i] = cuda::load_early_floats(
        partials.sum + (first + row + i * kRows) * head_dim + column * 4, has_dims);
  }
  if (threadIdx.x < 32) {
    const float total = weigh_splits<kSplits>(partials.weight + first, factors);
    if (threadIdx.x == 0) total_weight = total;
  }
  __syncthreads();

  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
  for (int i = 0; i < kSplits / kRows; ++i) {
    const float factor = factors[row + i * kRows];
    if (factor != 0.0f) add_scaled(sum, factor, terms[i]);
  }
  sums[row][column] = sum;
  __syncthreads();
  if (row != 0 || !has_dims) return;
#pragma unroll
  for (int r = 1; r < kRows; ++r) add_scaled(sum, 1.0f, sums[r][column]);
  const float weight = total_weight;
  reinterpret_cast<float4*>(out + static_cast<std::int64_t>(head) * head_dim)[column] =
      make_float4(__fdiv_rn(sum.x, weight), __fdiv_rn(sum.y, weight), __fdiv_rn(sum.z, weight),
                  __fdiv_rn(sum.w, weight));
}

template <int kSplits>
constexpr const char* name() {
  static_assert(kSplits == 32 || kSplits == 64 || kSplits == 128);
  return kSplits == 32   ? "attention_decode.cuda.packed[splits=32]"
         : kSplits == 64 ? "attention_decode.cuda.packed[splits=64]"
                         : "attention_decode.cuda.packed[splits=128]";
}

// The place of the partial results in the workspace. Throws an Error that names the limit where the
// problem is beyond one.
Partials place_partials(const AttentionDecodeArgs& args, const CudaLaunch& launch, int splits,
                        const std::string& variant) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::kUsage, variant + ": " + what);
  };
  const int group = args.heads / args.kv_heads;
  if (group > kMaxGroup) {
    refuse(std::to_string(group) + " query heads per kv head, at most " +
           std::to_string(kMaxGroup) + " are supported");
  }
  if (args.head_dim > kMaxDim || args.head_dim % 8 != 0) {
    refuse("head_dim " + std::to_string(args.head_dim) + " is not a multiple of 8 up to " +
           std::to_string(kMaxDim));
  }
  if (args.position_stride % 8 != 0 || args.head_stride % 8 != 0) {
    refuse("the cache's strides are not multiples of 8 elements");
  }
  const std::size_t rows = static_cast<std::size_t>(args.heads) * static_cast<std::size_t>(splits);
  const std::size_t sums = rows * static_cast<std::size_t>(args.head_dim) * sizeof(float);
  if (launch.workspace_bytes < sums + rows * sizeof(float2)) {
    refuse("the workspace has " + std::to_string(launch.workspace_bytes) + " bytes, " +
           std::to_string(sums + rows * sizeof(float2)) + " are needed");
  }
  return {reinterpret_cast<float*>(launch.workspace),
          reinterpret_cast<float2*>(launch.workspace + sums)};
}

template <int kDim, int kGroup, int kSplits>
void launch_group(const AttentionDecodeArgs& args, const CudaLaunch& launch,
                  const Partials& partials) {
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  const dim3 grid(kSplits, static_cast<unsigned>(args.kv_heads));
  attend_split<kDim, kGroup><<<grid, kThreads, 0, stream>>>(args, launch.position, partials);
  cuda::check_launch(name<kSplits>());
  combine_splits<kDim, kSplits><<<static_cast<unsigned>(args.heads), kCombineThreads, 0, stream>>>(
      partials, args.out, args.head_dim);
  cuda::check_launch(name<kSplits>());
}

template <int kDim, int kSplits>
void launch_dim(const AttentionDecodeArgs& args, const CudaLaunch& launch,
                const Partials& partials) {
  switch (args.heads / args.kv_heads) {
    case 1:
      return launch_group<kDim, 1, kSplits>(args, launch, partials);
    case 2:
      return launch_group<kDim, 2, kSplits>(args, launch, partials);
    case 3:
      return launch_group<kDim, 3, kSplits>(args, launch, partials);
    case 4:
      return launch_group<kDim, 4, kSplits>(args, launch, partials);
    case 5:
      return launch_group<kDim, 5, kSplits>(args, launch, partials);
    case 6:
      return launch_group<kDim, 6, kSplits>(args, launch, partials);
    case 7:
      return launch_group<kDim, 7, kSplits>(args, launch, partials);
    default:
      return launch_group<kDim, 8, kSplits>(args, launch, partials);
  }
}

template <int kSplits>
void attention_decode(const AttentionDecodeArgs& args, CudaLaunch& launch) {
  const Partials partials = place_partials(args, launch, kSplits, name<kSplits>());
  if (args.head_dim <= 64) {
    launch_dim<64, kSplits>(args, launch, partials);
  } else if (args.head_dim <= 128) {
    launch_dim<128, kSplits>(args, launch, partials);
  } else {
    launch_dim<256, kSplits>(args, launch, partials);
  }
}

}  // namespace assay::attention_decode_cuda_packed

ASSAY_CUDA_VARIANT(attention_decode_cuda_packed_splits32, assay::AttentionDecodeArgs,
                   assay::attention_decode_cuda_packed::attention_decode<32>);
ASSAY_CUDA_VARIANT(attention_decode_cuda_packed_splits64, assay::AttentionDecodeArgs,
                   assay::attention_decode_cuda_packed::attention_decode<64>);
ASSAY_CUDA_VARIANT(attention_decode_cuda_packed_splits128, assay::AttentionDecodeArgs,
                   assay::attention_decode_cuda_packed::attention_decode<128>);
