// rope_store as one kernel: a thread takes a few pairs of a head of q, k or v, adds the bias,
// rotates (q and k), and writes q back or k and v into the cache.
//
// The grid walks the heads of q, then of k, then of v, so that a warp seldom has two kinds. A
// thread has four half-split pairs or two interleaved ones (16-byte loads), or one pair where
// head_dim, a stride or a pointer does not permit that; a head of v is cut in the same way, and not
// rotated. A position of a decode step comes from device memory.
#include "kernels/kv_store/cuda_rows.cuh"
#include "kernels/rope/cuda_pairs.cuh"
#include "kernels/rope_store/rope_store.h"

namespace assay::rope_store_cuda_fused {

using kv_store_cuda_rows::narrow;
using rope_cuda_pairs::rotate;

constexpr const char* kVariant = "rope_store.cuda.fused";
constexpr int kThreads = 128;

// A head of one row on its way: f32 to `back` (q), or f16 to `cache` (k and v).
struct Head {
  const float* x;        // (head_dim)
  const float* bias;     // (head_dim), or null
  float* back;           // (head_dim), or null
  std::uint16_t* cache;  // (head_dim), or null
  bool turns;            // q and k
};

__device__ __forceinline__ Head head_of(const RopeStoreArgs& args, std::int64_t row,
                                        std::int64_t position, int h) {
  const bool is_query = h < args.heads;
  const bool is_value = h >= args.heads + args.kv_heads;
  if (is_query) {
    float* x = args.q + (row * args.heads + h) * args.head_dim;
    const float* bias = args.q_bias == nullptr ? nullptr : args.q_bias + h * args.head_dim;
    return {.x = x, .bias = bias, .back = x, .cache = nullptr, .turns = true};
  }
  h -= is_value ? args.heads + args.kv_heads : args.heads;
  const float* x = (is_value ? args.v : args.k) + (row * args.kv_heads + h) * args.head_dim;
  const float* bias = is_value ? args.v_bias : args.k_bias;
  std::uint16_t* cache = (is_value ? args.v_cache : args.k_cache) +
                         position * args.position_stride + h * args.head_stride;
  return {.x = x,
          .bias = bias == nullptr ? nullptr : bias + h * args.head_dim,
          .back = nullptr,
          .cache = cache,
          .turns = !is_value};
}

__device__ __forceinline__ float with_bias(const Head& head, int i) {
  const float x = head.x[i];
  return head.bias == nullptr ? x : __fadd_rn(x, head.bias[i]);
}
__device__ __forceinline__ float4 four_with_bias(const Head& head, int i) {
  const float4 x = *reinterpret_cast<const float4*>(head.x + i);
  if (head.bias == nullptr) return x;
  const float4 b = *reinterpret_cast<const float4*>(head.bias + i);
  return {__fadd_rn(x.x, b.x), __fadd_rn(x.y, b.y), __fadd_rn(x.z, b.z), __fadd_rn(x.w, b.w)};
}

// Each returns how many stored halves are not finite.
__device__ __forceinline__ unsigned put(const Head& head, int i, float x) {
  if (head.back == nullptr) return narrow(x, head.cache[i]);
  head.back[i] = x;
  return 0;
}
__device__ __forceinline__ unsigned put(const Head& head, int i, float4 x) {
  if (head.back == nullptr) return narrow(x, head.cache + i);
  *reinterpret_cast<float4*>(head.back + i) = x;
  return 0;
}

// Pairs i .. i + kPairs - 1 of a head; cosine, sine (half).
template <int kPairs, bool kInterleaved>
__device__ __forceinline__ unsigned pass_on(const Head& head, const float* cosine,
                                            const float* sine, int half, int i) {
  if constexpr (kPairs == 4) {  // half-split
    float4 a = four_with_bias(head, i);
    float4 b = four_with_bias(head, half + i);
    if (head.turns) {
      rotate(a, b, *reinterpret_cast<const float4*>(cosine + i),
             *reinterpret_cast<const float4*>(sine + i));
    }
    return put(head, i, a) + put(head, half + i, b);
  } else if constexpr (kPairs == 2) {  // interleaved
    float4 x = four_with_bias(head, 2 * i);
    if (head.turns) {
      rotate(x, *reinterpret_cast<const float2*>(cosine + i),
             *reinterpret_cast<const float2*>(sine + i));
    }
    return put(head, 2 * i, x);
  } else {
    const int one = kInterleaved ? 2 * i : i;
    const int two = kInterleaved ? 2 * i + 1 : i + half;
    float a = with_bias(head, one);
    float b = with_bias(head, two);
    if (head.turns) rotate(a, b, cosine[i], sine[i]);
    return put(head, one, a) + put(head, two, b);
  }
}

// position: of row 0 on the device, or null.
template <int kPairs, bool kInterleaved>
static __global__ void __launch_bounds__(kThreads)
    rotate_store_rows(RopeStoreArgs args, const std::int32_t* position) {
  const int half = args.head_dim / 2;
  const int groups = half / kPairs;  // of a head
  const int at = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x);
  const int h = at / groups;
  unsigned nonfinite = 0;
  if (h < args.heads + 2 * args.kv_heads) {
    const std::int64_t row = blockIdx.x;
    const std::int64_t place = (position != nullptr ? *position : args.first_position) + row;
    nonfinite =
        pass_on<kPairs, kInterleaved>(head_of(args, row, place, h), args.cosine + place * half,
                                      args.sine + place * half, half, at % groups * kPairs);
  }
  cuda::count_warp(args.nonfinite, nonfinite);
}

template <int kPairs, bool kInterleaved>
void enqueue(const RopeStoreArgs& args, const CudaLaunch& launch) {
  const std::int64_t groups =
      static_cast<std::int64_t>(args.heads + 2 * args.kv_heads) * (args.head_dim / 2 / kPairs);
  const dim3 grid(static_cast<unsigned>(args.t), cuda::groups_of(groups, kThreads));
  rotate_store_rows<kPairs, kInterleaved>
      <<<grid, kThreads, 0, cuda::stream_of(launch)>>>(args, launch.position);
  cuda::check_launch(kVariant);
}

void run(const RopeStoreArgs& args, CudaLaunch& launch) {
  const int half = args.head_dim / 2;
  const bool wide = args.position_stride % 4 == 0 && args.head_stride % 4 == 0 &&
                    cuda::aligned(16, {args.q, args.k, args.v, args.q_bias, args.k_bias,
                                       args.v_bias, args.cosine, args.sine}) &&
                    cuda::aligned(8, {args.k_cache, args.v_cache});
  if (args.interleaved) {
    if (wide && half % 2 == 0) return enqueue<2, true>(args, launch);
    return enqueue<1, true>(args, launch);
  }
  if (wide && half % 4 == 0) return enqueue<4, false>(args, launch);
  enqueue<1, false>(args, launch);
}

}  // namespace assay::rope_store_cuda_fused

ASSAY_CUDA_VARIANT(rope_store_cuda_fused, assay::RopeStoreArgs, assay::rope_store_cuda_fused::run);
