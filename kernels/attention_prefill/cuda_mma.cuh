// Pieces of prefill attention on tensor cores: tiles in shared memory, scores, softmax, P V.
//
// A warp owns 16 query rows. Its lane (g = lane / 4, c = lane % 4) holds, of scores and of the
// output, columns 8 n + 2 c and 8 n + 2 c + 1 of rows g and g + 8, as mma_m16n8k16 lays them out,
// so that scores become the operand P without leaving registers.
//
// Tiles of K and V lie in shared memory as rows of kDim halves. The 16-byte chunk j of row r stands
// at j ^ (r % 8): eight rows' chunks of one column are then in different banks.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cuda_async_copy.cuh"
#include "kernels/cuda_exp2.cuh"
#include "kernels/cuda_halves.cuh"
#include "kernels/cuda_tensor_core.cuh"

namespace assay::attention_prefill_cuda_mma {

inline constexpr int kThreads = 128;
inline constexpr int kRows = 64;  // query rows of a block, 16 per warp

// Byte offset of a 16-byte chunk in a tile of rows of kDim halves.
template <int kDim>
__device__ __forceinline__ std::uint32_t chunk_offset(int row, int chunk) {
  return static_cast<std::uint32_t>(row * kDim * 2 + ((chunk ^ (row & 7)) << 4));
}

// From the address of chunk j in {0, 1} of a row to that of chunk 2 pair + j: tiles begin at
// multiples of 128 bytes, so that the exchange of chunks is one of address bits. Said so, four
// addresses and constants reach a whole row.
__device__ __forceinline__ std::uint32_t pair_address(std::uint32_t address, int pair) {
  return (address ^ static_cast<std::uint32_t>(pair % 4 * 32)) +
         static_cast<std::uint32_t>(pair / 4 * 128);
}

// K and V of one kv head: position p at p * stride, `end` positions, head_dim dims. What lies
// behind either end is zeros in shared memory and is not read.
struct Cache {
  const std::uint16_t* k;
  const std::uint16_t* v;
  std::int64_t stride;  // elements
  int end;
  int head_dim;
};

// Positions first .. first + kTile - 1 -> a tile of K at `to` and one of V behind it.
template <int kDim, int kTile>
__device__ __forceinline__ void load_tiles(const Cache& cache, int first, std::uint32_t to) {
  constexpr int kChunks = kDim / 8;
  constexpr int kStep = kThreads / kChunks;  // rows that the block copies at a time
  static_assert(kThreads % kChunks == 0 && kTile % kStep == 0);
  const int chunk = static_cast<int>(threadIdx.x) % kChunks;
  const int row = static_cast<int>(threadIdx.x) / kChunks;
  const int left = chunk * 8 < cache.head_dim ? cache.end - first - row : 0;
  const std::int64_t offset = (first + row) * cache.stride + chunk * 8;
  const std::uint16_t* k = cache.k + offset;
  const std::uint16_t* v = cache.v + offset;
#pragma unroll
  for (int i = 0; i < kTile / kStep; ++i) {
    const std::uint32_t at = to + chunk_offset<kDim>(row + i * kStep, chunk);
    const bool inside = i * kStep < left;
    cuda::copy_16_async(at, k, inside);
    cuda::copy_16_async(at + kTile * kDim * 2, v, inside);
    k += kStep * cache.stride;
    v += kStep * cache.stride;
  }
  cuda::commit_copies();
}

// Q times scale * log2(e) as f16. `q` is row g of the warp's rows for this head, row g + 8 is
// `further` elements on; rows that do not exist are zeros.
struct QueryRows {
  const float* q;
  std::int64_t further;
  bool exists[2];
  int head_dim;
  float factor;
};

// Operand A of 16 dims from dim 16 * step on.
__device__ __forceinline__ void query_operand(const QueryRows& rows, int step,
                                              std::uint32_t (&a)[4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int dim = step * 16 + (i / 2) * 8;
    float2 pair = make_float2(0.0f, 0.0f);
    if (rows.exists[i % 2] && dim < rows.head_dim) {
      const float* from = rows.q + (i % 2) * rows.further + dim + lane % 4 * 2;
      pair = *reinterpret_cast<const float2*>(from);
    }
    a[i] = cuda::pack_halves(pair.x * rows.factor, pair.y * rows.factor);
  }
}

// The operands of all dims: in registers where they fit, else one word per lane and register in
// shared memory, which only the lane itself reads.
template <int kDim, bool kInRegisters>
struct Query {
  std::uint32_t a[kDim / 16][4];

  __device__ __forceinline__ Query(const QueryRows& rows, std::uint32_t*) {
#pragma unroll
    for (int step = 0; step < kDim / 16; ++step) query_operand(rows, step, a[step]);
  }
  __device__ __forceinline__ void operand(int step, std::uint32_t (&out)[4]) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) out[i] = a[step][i];
  }
};
template <int kDim>
struct Query<kDim, false> {
  uint4* own;  // (kDim / 16, kThreads), this thread's column

  __device__ __forceinline__ Query(const QueryRows& rows, std::uint32_t* shared)
      : own(reinterpret_cast<uint4*>(shared) + threadIdx.x) {
    for (int step = 0; step < kDim / 16; ++step) {
      std::uint32_t a[4];
      query_operand(rows, step, a);
      own[step * kThreads] = make_uint4(a[0], a[1], a[2], a[3]);
    }
  }
  __device__ __forceinline__ void operand(int step, std::uint32_t (&out)[4]) const {
    const uint4 a = own[step * kThreads];
    out[0] = a.x, out[1] = a.y, out[2] = a.z, out[3] = a.w;
  }
};

// s (16 rows, kTile) = Q K^T, in the exponent's base 2.
template <int kDim, int kTile, bool kInRegisters>
__device__ __forceinline__ void multiply_keys(const Query<kDim, kInRegisters>& query,
                                              std::uint32_t keys, float (&s)[kTile / 8][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = lane / 16 * 8 + lane % 8;  // of 16 positions
  const int half = lane / 8 % 2;             // which 8 of 16 dims
#pragma unroll
  for (int n = 0; n < kTile / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) s[n][e] = 0.0f;
  }
  const std::uint32_t first = keys + chunk_offset<kDim>(row, half);
#pragma unroll
  for (int step = 0; step < kDim / 16; ++step) {
    std::uint32_t a[4];
    query.operand(step, a);
    const std::uint32_t column = pair_address(first, step);
#pragma unroll
    for (int n = 0; n < kTile / 16; ++n) {
      std::uint32_t b[4];
      cuda::load_matrices(b, column + static_cast<std::uint32_t>(n * 16 * kDim * 2));
      cuda::mma_m16n8k16(s[2 * n], a, b[0], b[1]);
      cuda::mma_m16n8k16(s[2 * n + 1], a, b[2], b[3]);
    }
  }
}

// Scores of rows g and g + 8 at and beyond their ends, counted from the tile's first position, ->
// -inf.
template <int kTile>
__device__ __forceinline__ void mask_scores(float (&s)[kTile / 8][4], int end, int end_8) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int n = 0; n < kTile / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int position = n * 8 + lane % 4 * 2 + e % 2;
      if (position >= (e < 2 ? end : end_8)) s[n][e] = -INFINITY;
    }
  }
}

// P is 2^(score - reference) with reference = running maximum - kLift: weights lie in 0 .. 2^15,
// and f16 keeps all its bits down to 2^-29 of the largest one.
inline constexpr float kLift = 15.0f;

struct Softmax {
  float reference[2] = {-INFINITY, -INFINITY};  // of rows g and g + 8
  float weight[2] = {0.0f, 0.0f};               // sums over this lane's columns
  float correction[2];                          // what earlier sums of the rows are worth now
};

// Scores -> weights. A tile that is masked for a whole row leaves its reference as it is, its
// correction 1 and its weights 0; the first tile never is, so that the reference is finite.
template <int kTile>
__device__ __forceinline__ void take_exponentials(float (&s)[kTile / 8][4], Softmax& state) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float top = fmaxf(s[0][2 * r], s[0][2 * r + 1]);
#pragma unroll
    for (int n = 1; n < kTile / 8; ++n) top = fmaxf(top, fmaxf(s[n][2 * r], s[n][2 * r + 1]));
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
    const float next = fmaxf(state.reference[r], top - kLift);
    state.correction[r] = cuda::exp2_approximate(state.reference[r] - next);
    state.reference[r] = next;
    float sum = 0.0f;
#pragma unroll
    for (int n = 0; n < kTile / 8; ++n) {
      s[n][2 * r] = cuda::exp2_approximate(s[n][2 * r] - next);
      s[n][2 * r + 1] = cuda::exp2_approximate(s[n][2 * r + 1] - next);
      sum += s[n][2 * r] + s[n][2 * r + 1];
    }
    state.weight[r] = __fmaf_rn(state.weight[r], state.correction[r], sum);
  }
}

// out (16 rows, kDim) *= correction. Where no row of the warp has a new maximum nothing is to be
// done: a factor of 1 changes no bit.
template <int kDim>
__device__ __forceinline__ void correct(float (&out)[kDim / 8][4], const Softmax& state) {
  const bool changed = state.correction[0] != 1.0f || state.correction[1] != 1.0f;
  if (!__any_sync(0xffffffffu, changed)) return;
#pragma unroll
  for (int n = 0; n < kDim / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) out[n][e] *= state.correction[e / 2];
  }
}

// out += P V.
template <int kDim, int kTile>
__device__ __forceinline__ void multiply_values(const float (&p)[kTile / 8][4],
                                                std::uint32_t values, float (&out)[kDim / 8][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = lane % 16;   // of 16 positions
  const int half = lane / 16;  // which 8 of 16 dims
  const std::uint32_t first = values + chunk_offset<kDim>(row, half);
#pragma unroll
  for (int j = 0; j < kTile / 16; ++j) {
    const std::uint32_t a[4] = {cuda::pack_halves(p[2 * j][0], p[2 * j][1]),
                                cuda::pack_halves(p[2 * j][2], p[2 * j][3]),
                                cuda::pack_halves(p[2 * j + 1][0], p[2 * j + 1][1]),
                                cuda::pack_halves(p[2 * j + 1][2], p[2 * j + 1][3])};
#pragma unroll
    for (int n = 0; n < kDim / 16; ++n) {
      std::uint32_t b[4];
      cuda::load_matrices_transposed(
          b, pair_address(first, n) + static_cast<std::uint32_t>(j * 16 * kDim * 2));
      cuda::mma_m16n8k16(out[2 * n], a, b[0], b[1]);
      cuda::mma_m16n8k16(out[2 * n + 1], a, b[2], b[3]);
    }
  }
}

}  // namespace assay::attention_prefill_cuda_mma
