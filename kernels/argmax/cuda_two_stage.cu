// The largest value, its lowest index, and the runner-up, in two kernels.
//
// First, blocks of 256 threads (at most 128, by k alone) each leave one candidate in the workspace;
// then one block joins those. Candidates are joined by value and then by lowest index, which gives
// the same answer in any order. One kernel in which the last block to finish joins was rejected:
// its counter would have to be cleared by another launch, since any launcher may overwrite the
// workspace.
#include <cstdint>

#include "kernels/argmax/argmax.h"
#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/cuda_reduce.cuh"

namespace assay::argmax_cuda_two_stage {

constexpr int kThreads = 256;
constexpr int kMaxBlocks = 128;
constexpr float kLowest = -__builtin_inff();

struct Candidate {
  float best;
  float second;
  int index;  // below 0: none, no number was seen
};

__device__ __forceinline__ Candidate no_candidate() {
  return {kLowest, kLowest, -1};
}

__device__ __forceinline__ Candidate join(const Candidate& a, const Candidate& b) {
  const bool b_wins =
      b.index >= 0 && (a.index < 0 || b.best > a.best || (b.best == a.best && b.index < a.index));
  const Candidate& winner = b_wins ? b : a;
  const Candidate& loser = b_wins ? a : b;
  return {winner.best, fmaxf(winner.second, loser.best), winner.index};
}

__device__ __forceinline__ void look_at(Candidate& candidate, float x, int index) {
  if (x == x) candidate = join(candidate, {x, kLowest, index});
}

// Thread 0 gets the block's candidate.
__device__ __forceinline__ Candidate join_block(Candidate mine) {
  __shared__ Candidate of_warp[kThreads / 32];
  const auto join_warp = [&mine] {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
      mine = join(mine, {__shfl_xor_sync(cuda::kWholeWarp, mine.best, apart),
                         __shfl_xor_sync(cuda::kWholeWarp, mine.second, apart),
                         __shfl_xor_sync(cuda::kWholeWarp, mine.index, apart)});
    }
  };
  join_warp();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = lane < kThreads / 32 ? of_warp[lane] : no_candidate();
  join_warp();
  return mine;
}

// x (k), of which 4 * fours elements may be read in fours -> found (blocks)
__global__ void __launch_bounds__(kThreads)
    find_per_block(const float* x, int k, int fours, Candidate* found) {
  const int thread = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(gridDim.x) * kThreads;
  Candidate mine = no_candidate();
  for (int i = thread; i < fours; i += threads) {
    const float4 four = reinterpret_cast<const float4*>(x)[i];
    look_at(mine, four.x, 4 * i);
    look_at(mine, four.y, 4 * i + 1);
    look_at(mine, four.z, 4 * i + 2);
    look_at(mine, four.w, 4 * i + 3);
  }
  for (int i = 4 * fours + thread; i < k; i += threads) look_at(mine, x[i], i);
  mine = join_block(mine);
  if (threadIdx.x == 0) found[blockIdx.x] = mine;
}

__global__ void __launch_bounds__(kThreads)
    join_blocks(const Candidate* found, int blocks, ArgmaxArgs args) {
  const int thread = static_cast<int>(threadIdx.x);
  const Candidate best = join_block(thread < blocks ? found[thread] : no_candidate());
  if (thread != 0) return;
  const int index = best.index < 0 ? 0 : best.index;
  *args.index = index;
  *args.value = args.x[index];
  *args.second = best.second + 0.0f;  // -0 becomes +0, as on the CPU
}

void argmax(const ArgmaxArgs& args, CudaLaunch& launch) {
  static_assert(kMaxBlocks <= kThreads);
  static_assert(kMaxBlocks * sizeof(Candidate) <= kCudaSmallWorkspace);
  const int fours = cuda::aligned(16, {args.x}) ? args.k / 4 : 0;
  const unsigned wanted = cuda::groups_of(args.k, 4 * kThreads);
  const unsigned blocks = wanted < kMaxBlocks ? wanted : kMaxBlocks;
  auto* found = reinterpret_cast<Candidate*>(launch.workspace);
  const cudaStream_t stream = cuda::stream_of(launch);
  find_per_block<<<blocks, kThreads, 0, stream>>>(args.x, args.k, fours, found);
  cuda::check_launch("argmax.cuda.two_stage: find_per_block");
  join_blocks<<<1, kThreads, 0, stream>>>(found, static_cast<int>(blocks), args);
  cuda::check_launch("argmax.cuda.two_stage: join_blocks");
}

}  // namespace assay::argmax_cuda_two_stage

ASSAY_CUDA_VARIANT(argmax_cuda_two_stage, assay::ArgmaxArgs, assay::argmax_cuda_two_stage::argmax);
