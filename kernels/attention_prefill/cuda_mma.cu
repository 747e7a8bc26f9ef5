// Causal prefill attention on tensor cores (mma.sync, f16 operands, f32 sums).
//
// A block takes 64 query rows of one head, 16 per warp, and walks the K/V tiles from position 0 to
// its last row's end. Tiles of f16 come by 16-byte cp.async into two buffers: while one is
// multiplied the next is under way, with one barrier per tile. Scores, the online softmax and the
// output stay in registers (cuda_mma.cuh). Q is scaled in f32 and rounded to f16, weights are
// rounded to f16 for P V and summed unrounded.
//
// A row's bits depend on its own Q and position only: which tiles it meets, and in what order, does
// not depend on t, past, or the row's place in a block; a tile in which it is masked adds zeros.
// Heads and positions that do not exist are zeros in shared memory, never what memory holds there.
//
// Grid (heads, blocks of rows), the blocks with the most tiles first, so that short ones fill the
// end; the heads that share a kv head run together and find its tiles in the L2 cache. Any head_dim
// is computed as 64, 128 or 256 with zeros behind.
#include "kernels/attention_prefill/cuda_mma.cuh"

#include <string>

#include "kernels/attention_prefill/attention_prefill.h"
#include "kernels/cuda_check.cuh"
#include "kernels/cuda_launch.h"
#include "kernels/cuda_shared_memory.cuh"

namespace assay::attention_prefill_cuda_mma {

template <int kDim>
inline constexpr bool kQueryInRegisters = kDim <= 128;

template <int kDim, int kTile>
inline constexpr int kTileBytes = kTile* kDim * 2;
template <int kDim, int kTile>
inline constexpr int kSharedBytes = 4 * kTileBytes<kDim, kTile> +
                                    (kQueryInRegisters<kDim> ? 0 : kRows * kDim * 2);

// Blocks per SM that registers shall allow.
template <int kDim>
inline constexpr int kResident = kDim == 256   ? 1
                                 : kDim == 128 ? 3
                                               : 4;

template <int kDim, int kTile>
__device__ __forceinline__ std::uint32_t buffer_of(std::uint32_t buffers, int tile) {
  return buffers + static_cast<std::uint32_t>(tile % 2 * 2 * kTileBytes<kDim, kTile>);
}

// out / weight -> rows `row` and row + 8 of this lane, where they exist.
template <int kDim>
__device__ __forceinline__ void store_rows(const AttentionPrefillArgs& args, int row,
                                           const float (&out)[kDim / 8][4], const Softmax& state) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float weight = state.weight[r];
    weight += __shfl_xor_sync(0xffffffffu, weight, 1);
    weight += __shfl_xor_sync(0xffffffffu, weight, 2);
    const float factor = __frcp_rn(weight);
    if (row + 8 * r >= args.t) continue;
    const std::int64_t at =
        (static_cast<std::int64_t>(row + 8 * r) * args.heads + blockIdx.x) * args.head_dim;
#pragma unroll
    for (int n = 0; n < kDim / 8; ++n) {
      if (n * 8 >= args.head_dim) continue;
      // + 0 makes a zero positive, whatever the signs of the zeros were that masked tiles added.
      const float2 pair = make_float2(__fmaf_rn(out[n][2 * r], factor, 0.0f),
                                      __fmaf_rn(out[n][2 * r + 1], factor, 0.0f));
      *reinterpret_cast<float2*>(args.out + at + n * 8 + lane % 4 * 2) = pair;
    }
  }
}

// The same value in every lane, and known to be.
__device__ __forceinline__ int warp_of_block() {
  return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);
}

template <int kDim, int kTile>
__global__ void __launch_bounds__(kThreads, kResident<kDim>)
    attend(const __grid_constant__ AttentionPrefillArgs args) {
  extern __shared__ __align__(128) unsigned char shared[];
  const std::uint32_t buffers = cuda::shared_address(shared);
  const int first_row = static_cast<int>(gridDim.y - 1 - blockIdx.y) * kRows;
  const std::int64_t kv_head = static_cast<int>(blockIdx.x) / (args.heads / args.kv_heads);
  const Cache cache{.k = args.k_cache + kv_head * args.head_stride,
                    .v = args.v_cache + kv_head * args.head_stride,
                    .stride = args.position_stride,
                    .end = args.past + min(first_row + kRows, args.t),
                    .head_dim = args.head_dim};
  load_tiles<kDim, kTile>(cache, 0, buffers);

  const int warp_row = first_row + warp_of_block() * 16;
  const int row = warp_row + static_cast<int>(threadIdx.x) % 32 / 4;  // the lane's: row, row + 8
  const std::int64_t row_stride = static_cast<std::int64_t>(args.heads) * args.head_dim;
  const Query<kDim, kQueryInRegisters<kDim>> query(
      QueryRows{.q = args.q + row * row_stride + static_cast<int>(blockIdx.x) * args.head_dim,
                .further = 8 * row_stride,
                .exists = {row < args.t, row + 8 < args.t},
                .head_dim = args.head_dim,
                .factor = args.scale * cuda::kLog2E},
      reinterpret_cast<std::uint32_t*>(shared + 4 * kTileBytes<kDim, kTile>));

  // Rows behind the last see as much as it does, and are not stored.
  const int most = args.past + min(warp_row + 15, args.t - 1) + 1;
  Softmax state;
  float out[kDim / 8][4] = {};
  for (int first = 0, tile = 0; first < cache.end; first += kTile, ++tile) {
    cuda::wait_copies<0>();
    __syncthreads();  // the tile is there for all, and all are done with the one before
    if (first + kTile < cache.end) {
      load_tiles<kDim, kTile>(cache, first + kTile, buffer_of<kDim, kTile>(buffers, tile + 1));
    }
    if (first >= most) continue;  // masked for the whole warp
    const std::uint32_t keys = buffer_of<kDim, kTile>(buffers, tile);
    float s[kTile / 8][4];
    multiply_keys<kDim, kTile>(query, keys, s);
    if (first + kTile > args.past + min(warp_row, args.t - 1) + 1) {
      mask_scores<kTile>(s, args.past + min(row, args.t - 1) + 1 - first,
                         args.past + min(row + 8, args.t - 1) + 1 - first);
    }
    take_exponentials<kTile>(s, state);
    correct<kDim>(out, state);
    multiply_values<kDim, kTile>(s, keys + kTileBytes<kDim, kTile>, out);
  }
  store_rows<kDim>(args, row, out, state);
}

template <int kTile>
constexpr const char* name() {
  return kTile == 32 ? "attention_prefill.cuda.mma[tq=64,tkv=32]"
                     : "attention_prefill.cuda.mma[tq=64,tkv=64]";
}

template <int kTile>
void check_problem(const AttentionPrefillArgs& args) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorKind::kUsage, std::string(name<kTile>()) + ": " + what);
  };
  if (args.head_dim > 256 || args.head_dim % 8 != 0) {
    refuse("head_dim " + std::to_string(args.head_dim) + " is not a multiple of 8 up to 256");
  }
  if (args.position_stride % 8 != 0 || args.head_stride % 8 != 0) {
    refuse("the cache's strides are not multiples of 8 elements");
  }
}

template <int kDim, int kTile>
void launch_padded(const AttentionPrefillArgs& args, const CudaLaunch& launch) {
  constexpr int kBytes = kSharedBytes<kDim, kTile>;
  static const bool allowed = [] {
    cuda::allow_shared_memory(reinterpret_cast<const void*>(attend<kDim, kTile>), kBytes,
                              name<kTile>());
    return true;
  }();
  static_cast<void>(allowed);
  const dim3 grid(static_cast<unsigned>(args.heads),
                  static_cast<unsigned>((args.t + kRows - 1) / kRows));
  attend<kDim, kTile><<<grid, kThreads, kBytes, static_cast<cudaStream_t>(launch.stream)>>>(args);
  cuda::check_launch(name<kTile>());
}

template <int kTile>
void attention_prefill(const AttentionPrefillArgs& args, CudaLaunch& launch) {
  check_problem<kTile>(args);
  if (args.head_dim <= 64) {
    launch_padded<64, kTile>(args, launch);
  } else if (args.head_dim <= 128) {
    launch_padded<128, kTile>(args, launch);
  } else {
    launch_padded<256, kTile>(args, launch);
  }
}

}  // namespace assay::attention_prefill_cuda_mma

ASSAY_CUDA_VARIANT(attention_prefill_cuda_mma_tq64_tkv32, assay::AttentionPrefillArgs,
                   assay::attention_prefill_cuda_mma::attention_prefill<32>);
ASSAY_CUDA_VARIANT(attention_prefill_cuda_mma_tq64_tkv64, assay::AttentionPrefillArgs,
                   assay::attention_prefill_cuda_mma::attention_prefill<64>);
