// XXH3-128 of a row of logits, and the count of those that are not finite.
//
// A warp forms the sums of one block of 1,024 bytes: lane l takes accumulator l % 8 of every fourth
// stripe. Then one block of threads walks the chain over all blocks: eight lanes of its first warp
// compute, the others bring the next tile of sums into shared memory meanwhile, so that a step of
// the chain costs its dependent instructions (shift, xor, multiply, a sum in two) and no load. 594
// steps for 152,064 logits.
#include "engine/backend/cuda/row_on_device.cuh"
#include "engine/backend/row/draw_arithmetic.h"
#include "kernels/cuda_reduce.cuh"

namespace assay {
namespace {

using namespace digest_steps;

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kTileSteps = 128;
constexpr int kTile = kTileSteps * kLanes;  // sums
constexpr int kAhead = 8;                   // steps whose sums a lane holds in registers

// logits (bytes / 4) -> partials (blocks, 8), nonfinite (blocks)
__global__ void __launch_bounds__(kThreads)
    sum_digest_blocks(const float* logits, std::int64_t bytes, std::uint64_t* partials,
                      std::uint32_t* nonfinite) {
  const int block = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32;
  if (block >= blocks_of(bytes)) return;  // whole warps
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto* row = reinterpret_cast<const std::uint32_t*>(logits);
  std::uint64_t sum = block_share(row, bytes, block, lane % kLanes, lane / kLanes, 4);
  sum += __shfl_xor_sync(cuda::kWholeWarp, sum, 8);
  sum += __shfl_xor_sync(cuda::kWholeWarp, sum, 16);
  if (lane < kLanes) partials[static_cast<std::int64_t>(block) * kLanes + lane] = sum;
  const std::int64_t begin = block * (kBlockBytes / 4);
  const std::int64_t end = min(begin + kBlockBytes / 4, bytes / 4);
  unsigned count = 0;
  for (std::int64_t i = begin + lane; i < end; i += 32) count += cuda::is_finite(logits[i]) ? 0 : 1;
  count = __reduce_add_sync(cuda::kWholeWarp, count);
  if (lane == 0) nonfinite[block] = count;
}

// Threads first, first + step, ... copy a tile's sums; beyond the last there are zeros.
__device__ __forceinline__ void load_tile(std::uint64_t* to, const std::uint64_t* partials,
                                          int tile, int count, int first, int step) {
  for (int i = first; i < kTile; i += step) {
    const int from = tile * kTile + i;
    to[i] = from < count ? partials[from] : 0;
  }
}

// `steps` of a tile by one lane; `sums` (steps, 8) begins at its own.
__device__ __forceinline__ std::uint64_t walk_tile(std::uint64_t x, const std::uint64_t* sums,
                                                   int steps, std::uint64_t key) {
  std::uint64_t ahead[kAhead];
#pragma unroll
  for (int i = 0; i < kAhead; ++i) ahead[i] = sums[i * kLanes];
  for (; steps >= kAhead; steps -= kAhead) {
    sums += kAhead * kLanes;
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      x = chain_step(x, key, ahead[i]);
      ahead[i] = sums[i * kLanes];  // behind the tile: what nobody uses
    }
  }
#pragma unroll
  for (int i = 0; i < kAhead; ++i) {
    if (i < steps) x = chain_step(x, key, ahead[i]);
  }
  return x;
}

// partials (blocks, 8), nonfinite (blocks) -> reading->digest, reading->nonfinite
__global__ void __launch_bounds__(kThreads)
    chain_digest(const std::uint64_t* partials, const std::uint32_t* nonfinite, std::int64_t bytes,
                 RowReading* reading) {
  __shared__ std::uint64_t tiles[2][kTile + kAhead * kLanes];  // a lane reads so far ahead
  __shared__ std::uint64_t accumulators[kLanes];
  __shared__ std::uint32_t counts[kWarps];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kLanes;
  const int blocks = blocks_of(bytes);
  // Block 0 is where the chain starts; its steps are the blocks behind.
  const int steps = blocks - 1;
  const std::uint64_t* behind = partials + kLanes;
  load_tile(tiles[0], behind, 0, steps * kLanes, thread, kThreads);
  unsigned count = 0;
  for (int i = thread; i < blocks; i += kThreads) count += nonfinite[i];
  count = __reduce_add_sync(cuda::kWholeWarp, count);
  if (thread % 32 == 0) counts[thread / 32] = count;
  const std::uint64_t key = secret_word(kStripesPerBlock + lane);
  std::uint64_t x = start_of(lane) + partials[lane];
  for (int tile = 0; tile * kTileSteps < steps; ++tile) {
    __syncthreads();
    if (thread < 32) {
      const int left = min(steps - tile * kTileSteps, kTileSteps);
      x = walk_tile(x, tiles[tile % 2] + lane, left, key);
    } else {
      load_tile(tiles[(tile + 1) % 2], behind, tile + 1, steps * kLanes, thread - 32,
                kThreads - 32);
    }
  }
  if (thread < kLanes) accumulators[lane] = x;
  __syncthreads();
  if (thread != 0) return;
  reading->digest = finished(accumulators, bytes);
  std::uint64_t total = 0;
  for (const std::uint32_t one : counts) total += one;
  reading->nonfinite = total;
}

std::int64_t row_bytes_of(int vocab) {
  return std::int64_t{4} * vocab;
}

}  // namespace

bool has_device_digest(int vocab) {
  return row_bytes_of(vocab) >= kShortestStepped;
}

void digest_on_device(const RowPlace& place, cudaStream_t stream) {
  const std::int64_t bytes = row_bytes_of(place.vocab);
  const int blocks = blocks_of(bytes);
  const RowScratch& scratch = *place.scratch;
  const unsigned groups = static_cast<unsigned>((blocks + kWarps - 1) / kWarps);
  sum_digest_blocks<<<groups, kThreads, 0, stream>>>(place.logits, bytes, scratch.partials(),
                                                     scratch.nonfinite());
  cuda::check_launch("a row's digest: sum_digest_blocks");
  chain_digest<<<1, kThreads, 0, stream>>>(scratch.partials(), scratch.nonfinite(), bytes,
                                           place.reading);
  cuda::check_launch("a row's digest: chain_digest");
}

}  // namespace assay
