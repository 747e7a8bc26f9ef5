// Weights -> f16 (n, k).
//
// A thread makes eight weights at a time, which is one 16-byte store, and a warp's stores are
// contiguous; the store is four times the read, so the read may repeat a block's scales and leave
// the cache to join them. Two eights per thread, whose loads are under way together.
#include "kernels/matmul/cuda_dequantize.cuh"

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_halves.cuh"
#include "kernels/matmul/cuda_weight_codes.cuh"

namespace assay::cuda {

inline constexpr int kDequantizeThreads = 256;
inline constexpr int kEightsPerThread = 2;

// Eight f32 in memory or registers -> halves.
__device__ __forceinline__ uint4 pack_eight(const float (&w)[8]) {
  return make_uint4(pack_halves(w[0], w[1]), pack_halves(w[2], w[3]), pack_halves(w[4], w[5]),
                    pack_halves(w[6], w[7]));
}

template <typename Format, bool kAligned>
struct BlockReader {
  WeightFields fields;

  __device__ __forceinline__ uint4 operator()(std::int64_t eight) const {
    const std::int64_t block = eight / (Format::kElements / 8);
    const int first = static_cast<int>(eight % (Format::kElements / 8)) * 8;
    const EightCodes codes = Format::template read<kAligned>(fields, block, first);
    float w[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) w[i] = weight_of<Format>(codes, i);
    return pack_eight(w);
  }
};

struct F32Reader {
  const float4* weights;

  __device__ __forceinline__ uint4 operator()(std::int64_t eight) const {
    const float4 a = weights[2 * eight];
    const float4 b = weights[2 * eight + 1];
    return pack_eight({a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w});
  }
};

struct BF16Reader {
  const uint4* weights;

  __device__ __forceinline__ uint4 operator()(std::int64_t eight) const {
    const uint4 from = weights[eight];
    const std::uint32_t words[4] = {from.x, from.y, from.z, from.w};
    float w[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t word = words[i / 2];
      w[i] = __uint_as_float(i % 2 == 0 ? word << 16 : word & 0xffff0000u);
    }
    return pack_eight(w);
  }
};

template <typename Reader>
__global__ void __launch_bounds__(kDequantizeThreads)
    write_halves(const __grid_constant__ Reader reader, std::int64_t eights, uint4* out) {
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * (kDequantizeThreads * kEightsPerThread) + threadIdx.x;
  uint4 made[kEightsPerThread];
#pragma unroll
  for (int i = 0; i < kEightsPerThread; ++i) {
    const std::int64_t at = first + i * kDequantizeThreads;
    if (at < eights) made[i] = reader(at);
  }
#pragma unroll
  for (int i = 0; i < kEightsPerThread; ++i) {
    const std::int64_t at = first + i * kDequantizeThreads;
    if (at < eights) out[at] = made[i];
  }
}

struct Conversion {
  const MatmulArgs& args;
  std::int64_t eights;
  void* out;
  cudaStream_t stream;
};

template <typename Reader>
void enqueue(const Conversion& to, const Reader& reader) {
  constexpr std::int64_t kPerBlock = kDequantizeThreads * kEightsPerThread;
  const auto blocks = static_cast<unsigned>((to.eights + kPerBlock - 1) / kPerBlock);
  write_halves<<<blocks, kDequantizeThreads, 0, to.stream>>>(reader, to.eights,
                                                             static_cast<uint4*>(to.out));
}

template <typename Format>
void enqueue_blocks(const Conversion& to, DType dtype) {
  const std::int64_t blocks = to.eights / (Format::kElements / 8);
  const WeightFields fields = find_fields(dtype, to.args.layout, to.args.weights, blocks);
  if (to.args.layout == WeightLayout::kPlanes) {
    enqueue(to, BlockReader<Format, true>{fields});
  } else {
    enqueue(to, BlockReader<Format, false>{fields});
  }
}

void enqueue_type(const Conversion& to, DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return;  // not converted
    case DType::kF32:
      return enqueue(to, F32Reader{static_cast<const float4*>(to.args.weights)});
    case DType::kBF16:
      return enqueue(to, BF16Reader{static_cast<const uint4*>(to.args.weights)});
    case DType::kQ4_0:
      return enqueue_blocks<NibbleFormat<false, false>>(to, dtype);
    case DType::kQ4_1:
      return enqueue_blocks<NibbleFormat<false, true>>(to, dtype);
    case DType::kQ5_0:
      return enqueue_blocks<NibbleFormat<true, false>>(to, dtype);
    case DType::kQ5_1:
      return enqueue_blocks<NibbleFormat<true, true>>(to, dtype);
    case DType::kQ8_0:
      return enqueue_blocks<Q8_0Format>(to, dtype);
    case DType::kQ4K:
      return enqueue_blocks<SuperFormat<false>>(to, dtype);
    case DType::kQ5K:
      return enqueue_blocks<SuperFormat<true>>(to, dtype);
    case DType::kQ6K:
      return enqueue_blocks<Q6KFormat>(to, dtype);
  }
}

HalfWeights halve_weights(DType dtype, const MatmulArgs& args, const CudaLaunch& launch,
                          const char* variant) {
  if (dtype == DType::kF16) return {args.weights, launch.workspace, launch.workspace_bytes};
  const std::int64_t elements = static_cast<std::int64_t>(args.n) * args.k;
  const std::size_t bytes = (static_cast<std::size_t>(elements) * 2 + 255) / 256 * 256;
  if (launch.workspace_bytes < bytes) {
    throw Error(ErrorKind::kInternal, std::string(variant) + ": the workspace has " +
                                          std::to_string(launch.workspace_bytes) + " bytes, " +
                                          std::to_string(bytes) + " are needed for the weights");
  }
  enqueue_type({.args = args,
                .eights = elements / 8,
                .out = launch.workspace,
                .stream = static_cast<cudaStream_t>(launch.stream)},
               dtype);
  check_launch(variant);
  return {launch.workspace, launch.workspace + bytes, launch.workspace_bytes - bytes};
}

}  // namespace assay::cuda
