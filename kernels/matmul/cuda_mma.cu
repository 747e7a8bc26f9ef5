// Prefill matmul on tensor cores (mma.sync, f16 operands, f32 sums), for machines without the
// vendor's library.
//
// Weights of any type become f16 first (cuda_dequantize.cuh), so that one GEMM serves all types. A
// block makes 128 rows by 128 columns of y, its four warps 64 x 64 each: then a 16-byte row of
// operands read from shared memory feeds four times its share of the tensor cores. K goes by 32
// through a ring of four stages that cp.async fills three ahead; operands of the next 16 of K are
// read while the last 16 are multiplied. One barrier per 32 of K.
//
// K is never split and every output adds its products in rising order of K, so a row's bits depend
// on its own x alone. Rows and columns that do not exist are zeros in shared memory.
//
// Grid (blocks of rows, blocks of columns): blocks that run together share their weights, which
// come from memory once, and x, which stays in the L2 cache.
#include <string>

#include "kernels/cuda_async_copy.cuh"
#include "kernels/cuda_check.cuh"
#include "kernels/cuda_shared_memory.cuh"
#include "kernels/cuda_tensor_core.cuh"
#include "kernels/matmul/cuda_dequantize.cuh"

namespace assay::matmul_cuda_mma {

inline constexpr int kThreads = 128;
inline constexpr int kTile = 128;  // rows and columns of a block
inline constexpr int kDepth = 32;  // of K per stage
inline constexpr int kStages = 4;
inline constexpr int kRowBytes = kDepth * 2;
inline constexpr int kTileBytes = kTile * kRowBytes;  // of one operand
inline constexpr int kStageBytes = 2 * kTileBytes;
inline constexpr int kSharedBytes = kStages * kStageBytes;

struct Gemm {
  const std::uint16_t* x;        // (t, k) f16
  const std::uint16_t* weights;  // (n, k) f16
  const float* scale;            // (t)
  float* y;                      // (t, n)
  int t;
  int n;
  int k;
};

// Rows of 64 bytes: two share the 32 banks, so that chunk j of row r stands at j ^ (r / 2 % 4) and
// eight rows' chunks of one column are in different banks.
__device__ __forceinline__ std::uint32_t chunk_offset(int row, int chunk) {
  return static_cast<std::uint32_t>(row * kRowBytes + ((chunk ^ (row >> 1 & 3)) << 4));
}

// This thread's part of one operand: chunks of rows row, row + 32, row + 64, row + 96 of the tile.
struct Source {
  const std::uint16_t* from;  // of its first row, at K = 0
  int rows_left;              // rows of the matrix from its first row on

  __device__ __forceinline__ Source(const std::uint16_t* matrix, int rows, int first, int k) {
    const int row = first + static_cast<int>(threadIdx.x) / 4;
    rows_left = rows - row;
    from = matrix + static_cast<std::int64_t>(row) * k + threadIdx.x % 4 * 8;
  }
  __device__ __forceinline__ void copy(int k, int at, std::uint32_t to) const {
    const int row = static_cast<int>(threadIdx.x) / 4;
    const int chunk = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool inside = 32 * i < rows_left;
      const std::uint16_t* source = from + static_cast<std::int64_t>(32 * i) * k + at;
      cuda::copy_16_async(to + chunk_offset(row + 32 * i, chunk), source, inside);
    }
  }
};

// Operands of a warp for 16 of K.
struct Operands {
  std::uint32_t a[4][4];  // 4 x 16 rows
  std::uint32_t b[4][4];  // 4 x 16 columns
};

// `half`: which 16 of the stage's 32. `stage`: of x; the weights' tile follows it.
__device__ __forceinline__ void load_operands(std::uint32_t stage, int warp, int half,
                                              Operands& operands) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp % 2 * 64 + lane % 16;
  const int column = warp / 2 * 64 + lane / 16 * 8 + lane % 8;
  const std::uint32_t a = stage + chunk_offset(row, half * 2 + lane / 16);
  const std::uint32_t b = stage + kTileBytes + chunk_offset(column, half * 2 + lane / 8 % 2);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    cuda::load_matrices(operands.a[i], a + static_cast<std::uint32_t>(i * 16 * kRowBytes));
    cuda::load_matrices(operands.b[i], b + static_cast<std::uint32_t>(i * 16 * kRowBytes));
  }
}

__device__ __forceinline__ void multiply(const Operands& operands, float (&sums)[4][8][4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      cuda::mma_m16n8k16(sums[i][2 * j], operands.a[i], operands.b[j][0], operands.b[j][1]);
      cuda::mma_m16n8k16(sums[i][2 * j + 1], operands.a[i], operands.b[j][2], operands.b[j][3]);
    }
  }
}

// y = scale * sums, for rows and columns that exist. row, column: of this lane's first output.
__device__ __forceinline__ void store(const Gemm& gemm, int row, int column,
                                      const float (&sums)[4][8][4]) {
  const bool pairs = gemm.n % 2 == 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int at = row + i * 8;
    if (at >= gemm.t) continue;
    const float scale = gemm.scale[at];
    float* y = gemm.y + static_cast<std::int64_t>(at) * gemm.n + column;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float low = sums[i / 2][j][i % 2 * 2] * scale;
      const float high = sums[i / 2][j][i % 2 * 2 + 1] * scale;
      const int left = gemm.n - column - j * 8;
      if (pairs && left > 0) {
        *reinterpret_cast<float2*>(y + j * 8) = make_float2(low, high);
      } else {
        if (left > 0) y[j * 8] = low;
        if (left > 1) y[j * 8 + 1] = high;
      }
    }
  }
}

__global__ void __launch_bounds__(kThreads, 2) multiply_tiles(const __grid_constant__ Gemm gemm) {
  extern __shared__ __align__(128) unsigned char shared[];
  const std::uint32_t ring = cuda::shared_address(shared);
  const int first_row = static_cast<int>(blockIdx.x) * kTile;
  const int first_column = static_cast<int>(blockIdx.y) * kTile;
  const Source x(gemm.x, gemm.t, first_row, gemm.k);
  const Source weights(gemm.weights, gemm.n, first_column, gemm.k);
  const int steps = gemm.k / kDepth;
  const auto fill = [&](int step) {
    if (step < steps) {
      const std::uint32_t stage = ring + static_cast<std::uint32_t>(step % kStages * kStageBytes);
      x.copy(gemm.k, step * kDepth, stage);
      weights.copy(gemm.k, step * kDepth, stage + kTileBytes);
    }
    cuda::commit_copies();
  };
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) fill(step);

  const int warp = static_cast<int>(threadIdx.x) / 32;
  float sums[4][8][4] = {};
  Operands operands[2];
  cuda::wait_copies<kStages - 2>();
  __syncthreads();
  load_operands(ring, warp, 0, operands[0]);
  for (int step = 0; step < steps; ++step) {
    const std::uint32_t stage = ring + static_cast<std::uint32_t>(step % kStages * kStageBytes);
    load_operands(stage, warp, 1, operands[1]);
    fill(step + kStages - 1);  // where step - 1 was: all warps have left it
    multiply(operands[0], sums);
    cuda::wait_copies<kStages - 2>();
    __syncthreads();  // the next stage is there for all, and all have read this one
    if (step + 1 < steps) {
      const int next = (step + 1) % kStages;
      load_operands(ring + static_cast<std::uint32_t>(next * kStageBytes), warp, 0, operands[0]);
    }
    multiply(operands[1], sums);
  }
  const int lane = static_cast<int>(threadIdx.x) % 32;
  store(gemm, first_row + warp % 2 * 64 + lane / 4, first_column + warp / 2 * 64 + lane % 4 * 2,
        sums);
}

template <DType kDType>
void matmul(const MatmulArgs& args, CudaLaunch& launch) {
  static const std::string variant =
      "matmul_" + std::string(traits(kDType).suffix) + ".cuda.mma[tile=128]";
  static const bool allowed = [] {
    cuda::allow_shared_memory(reinterpret_cast<const void*>(multiply_tiles), kSharedBytes, variant);
    return true;
  }();
  static_cast<void>(allowed);
  const cuda::HalfWeights half = cuda::halve_weights(kDType, args, launch, variant.c_str());
  const dim3 grid(static_cast<unsigned>((args.t + kTile - 1) / kTile),
                  static_cast<unsigned>((args.n + kTile - 1) / kTile));
  multiply_tiles<<<grid, kThreads, kSharedBytes, static_cast<cudaStream_t>(launch.stream)>>>(
      Gemm{.x = args.xh.h,
           .weights = static_cast<const std::uint16_t*>(half.weights),
           .scale = args.xh.scale,
           .y = args.y,
           .t = args.t,
           .n = args.n,
           .k = args.k});
  cuda::check_launch(variant.c_str());
}

}  // namespace assay::matmul_cuda_mma

#define ASSAY_MATMUL(suffix, dtype)                                         \
  ASSAY_CUDA_VARIANT(matmul_##suffix##_cuda_mma_tile128, assay::MatmulArgs, \
                     assay::matmul_cuda_mma::matmul<assay::DType::dtype>)
ASSAY_MATMUL(f32, kF32);
ASSAY_MATMUL(f16, kF16);
ASSAY_MATMUL(bf16, kBF16);
ASSAY_MATMUL(q4_0, kQ4_0);
ASSAY_MATMUL(q4_1, kQ4_1);
ASSAY_MATMUL(q5_0, kQ5_0);
ASSAY_MATMUL(q5_1, kQ5_1);
ASSAY_MATMUL(q8_0, kQ8_0);
ASSAY_MATMUL(q4k, kQ4K);
ASSAY_MATMUL(q5k, kQ5K);
ASSAY_MATMUL(q6k, kQ6K);
