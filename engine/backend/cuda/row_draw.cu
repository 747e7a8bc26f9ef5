// Drawing a token on the GPU: the host's pick_token, bit for bit (row/draw_arithmetic.h).
//
// Top-k and top-p are radix selects over the keys (value, then lowest id), from the upper digit
// down: every block adds what it sees of the digit, a count or a mass, to bins; the last block to
// finish finds the bin in which the wanted part ends, and clears the bins. After at most five
// digits the keys that stay are those from a threshold on. Then blocks add up weights of parts of
// 512 ids, and the last one searches for the target: first the part, then the id. All sums are
// integers, so arrival order shows nowhere.
//
// Rejected: a sort of the whole vocabulary (several times the memory traffic); one block for all
// (exp_f64 of 152,064 logits on one multiprocessor takes a tenth of a step).
//
// Masses of a block are added in shared memory as two halves, since shared 64-bit additions are
// loops of compare-and-swap: 512 weights of at most 2^44 keep either half of 22 bits below 2^32.
#include <algorithm>

#include "engine/backend/cuda/row_on_device.cuh"
#include "engine/backend/row/draw_arithmetic.h"
#include "kernels/cuda_reduce.cuh"

namespace assay {
namespace {

using namespace draw_arithmetic;

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kPart = 2 * kThreads;  // ids of a block
constexpr int kBins = 2048;
constexpr int kBinsPerThread = kBins / kThreads;
constexpr int kHalfBits = 22;
constexpr int kLevels = 5;

// Digits of a key: 32 bits of value, 20 of id.
__device__ __forceinline__ int bits_of(int level) {
  return level < 2 ? 11 : 10;
}
__device__ __forceinline__ int shift_of(int level) {
  return level == 0 ? 41 : 10 * (4 - level);
}

struct DrawArgs {
  const float* logits;  // (vocab)
  int vocab;
  const RowReading* reading;
  double temperature;
  std::uint64_t random;    // 53 bits
  std::uint64_t p;         // fixed_p
  std::uint64_t k;         // tokens
  bool limited;            // an earlier select has left a threshold
  std::uint64_t* bins;     // (kBins)
  std::uint64_t* sums;     // (parts)
  std::uint32_t* arrived;  // (1)
  Selection* selection;
  std::int32_t* drawn;
};

__device__ __forceinline__ std::uint64_t lowest_key(const DrawArgs& args) {
  return args.limited ? args.selection->threshold : 1;
}

// True in every thread of the block that finishes last, with all blocks' writes in sight.
__device__ __forceinline__ bool is_last_block(std::uint32_t* arrived) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(arrived, 1) + 1 == gridDim.x;
    if (last) *arrived = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}

// The sum of `value` over the threads before this one, and over all.
struct Scan {
  std::uint64_t before;
  std::uint64_t total;
};

// `of_warps` (kWarps), shared.
__device__ __forceinline__ Scan scan_block(std::uint64_t value, std::uint64_t* of_warps) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  std::uint64_t upto = value;
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const std::uint64_t other = __shfl_up_sync(cuda::kWholeWarp, upto, apart);
    if (lane >= apart) upto += other;
  }
  __syncthreads();  // whoever still reads an earlier scan
  if (lane == 31) of_warps[warp] = upto;
  __syncthreads();
  Scan scan{upto - value, 0};
  for (int i = 0; i < kWarps; ++i) {
    if (i < warp) scan.before += of_warps[i];
    scan.total += of_warps[i];
  }
  return scan;
}

template <bool kMass>
__device__ __forceinline__ std::uint64_t measure(const DrawArgs& args, float logit) {
  return kMass ? weight_of(logit, args.reading->top.value, 1) : 1;
}

// Adds what this block has of a digit to args.bins.
template <bool kMass>
__device__ __forceinline__ void add_to_bins(const DrawArgs& args, int level, std::uint64_t prefix) {
  __shared__ std::uint32_t low[kBins];
  __shared__ std::uint32_t high[kMass ? kBins : 1];
  const int thread = static_cast<int>(threadIdx.x);
  for (int bin = thread; bin < kBins; bin += kThreads) {
    low[bin] = 0;
    if constexpr (kMass) high[bin] = 0;
  }
  __syncthreads();
  const int bits = bits_of(level);
  const int shift = shift_of(level);
  const std::uint64_t lowest = lowest_key(args);
  for (int i = 0; i < kPart / kThreads; ++i) {
    const int id = static_cast<int>(blockIdx.x) * kPart + i * kThreads + thread;
    if (id >= args.vocab) break;
    const float logit = args.logits[id];
    const std::uint64_t key = key_of(logit, id);
    if (key < lowest || key >> (shift + bits) != prefix) continue;
    const auto bin = static_cast<unsigned>(key >> shift) & ((1u << bits) - 1);
    const std::uint64_t amount = measure<kMass>(args, logit);
    if constexpr (kMass) {
      atomicAdd(&low[bin], static_cast<std::uint32_t>(amount) & ((1u << kHalfBits) - 1));
      atomicAdd(&high[bin], static_cast<std::uint32_t>(amount >> kHalfBits));
    } else {
      atomicAdd(&low[bin], 1);
    }
  }
  __syncthreads();
  for (int bin = thread; bin < kBins; bin += kThreads) {
    std::uint64_t amount = low[bin];
    if constexpr (kMass) amount += static_cast<std::uint64_t>(high[bin]) << kHalfBits;
    if (amount == 0) continue;
    atomicAdd(reinterpret_cast<unsigned long long*>(args.bins + bin), amount);
  }
}

// By the last block: finds the bin in which the wanted part ends, and clears all.
template <bool kMass>
__device__ __forceinline__ void choose_bin(const DrawArgs& args, int level, std::uint64_t prefix) {
  __shared__ std::uint64_t of_warps[kWarps];
  // Thread 0 has the largest digits.
  const int top = kBins - 1 - static_cast<int>(threadIdx.x) * kBinsPerThread;
  std::uint64_t amounts[kBinsPerThread];
  std::uint64_t mine = 0;
#pragma unroll
  for (int i = 0; i < kBinsPerThread; ++i) {
    amounts[i] = __ldcg(args.bins + top - i);
    args.bins[top - i] = 0;
    mine += amounts[i];
  }
  const std::uint64_t lowest = lowest_key(args);
  const std::uint64_t before_level = level == 0 ? 0 : args.selection->remaining;
  const Scan scan = scan_block(mine, of_warps);  // all have read `selection` behind it
  const std::uint64_t wanted = level > 0 ? before_level
                               : kMass   ? wanted_mass(args.p, scan.total)
                                         : args.k;
  // All stay; a mass of 0 means that there is no number at all.
  if (level == 0 && (kMass ? scan.total == 0 : scan.total <= wanted)) {
    if (threadIdx.x == 0) *args.selection = {0, 0, lowest, 1};
    return;
  }
  if (scan.before >= wanted || scan.before + mine < wanted) return;  // for all threads but one
  std::uint64_t remaining = wanted - scan.before;
  int i = 0;
  while (amounts[i] < remaining) remaining -= amounts[i++];
  const std::uint64_t next = prefix << bits_of(level) | static_cast<unsigned>(top - i);
  const bool whole_bin = !kMass && amounts[i] == remaining;
  const bool done = level + 1 == kLevels || whole_bin;
  *args.selection = {next, remaining, done ? next << shift_of(level) : lowest, done ? 1u : 0u};
}

// One digit of top-k (counts) or top-p (masses).
template <bool kMass>
__global__ void __launch_bounds__(kThreads) select_pass(DrawArgs args, int level) {
  if (level > 0 && args.selection->done != 0) return;  // alike in all blocks
  const std::uint64_t prefix = level == 0 ? 0 : args.selection->prefix;
  add_to_bins<kMass>(args, level, prefix);
  if (is_last_block(args.arrived)) choose_bin<kMass>(args, level, prefix);
}

__device__ __forceinline__ std::uint64_t drawing_weight(const DrawArgs& args, int id,
                                                        std::uint64_t lowest) {
  if (id >= args.vocab) return 0;
  const float logit = args.logits[id];
  if (key_of(logit, id) < lowest) return 0;
  return weight_of(logit, args.reading->top.value, args.temperature);
}

// By the last block: the part, then the id, at which the sum of weights passes the target.
__device__ __forceinline__ void search(const DrawArgs& args, std::uint64_t lowest) {
  __shared__ std::uint64_t of_warps[kWarps];
  __shared__ int part;
  __shared__ std::uint64_t rest;  // of the target, within the part
  const int thread = static_cast<int>(threadIdx.x);
  const int parts = static_cast<int>(gridDim.x);
  const int per_thread = (parts + kThreads - 1) / kThreads;
  const int first = min(thread * per_thread, parts);
  const int end = min(first + per_thread, parts);
  std::uint64_t mine = 0;
  for (int i = first; i < end; ++i) mine += __ldcg(args.sums + i);
  const Scan scan = scan_block(mine, of_warps);
  if (scan.total == 0) {  // every logit is NaN
    if (thread == 0) *args.drawn = 0;
    return;
  }
  const std::uint64_t target = share_of(args.random, scan.total);
  if (scan.before <= target && target < scan.before + mine) {
    std::uint64_t left = target - scan.before;
    int i = first;
    for (std::uint64_t sum = 0; (sum = __ldcg(args.sums + i)) <= left; ++i) left -= sum;
    part = i;
    rest = left;
  }
  __syncthreads();
  const int id = part * kPart + 2 * thread;
  const std::uint64_t one = drawing_weight(args, id, lowest);
  const std::uint64_t two = drawing_weight(args, id + 1, lowest);
  const std::uint64_t before = scan_block(one + two, of_warps).before;
  if (before <= rest && rest < before + one + two) {
    *args.drawn = rest < before + one ? id : id + 1;
  }
}

__global__ void __launch_bounds__(kThreads) draw_token(DrawArgs args) {
  __shared__ std::uint64_t of_warps[kWarps];
  const std::uint64_t lowest = lowest_key(args);
  const int id = static_cast<int>(blockIdx.x) * kPart + 2 * static_cast<int>(threadIdx.x);
  const std::uint64_t total =
      scan_block(drawing_weight(args, id, lowest) + drawing_weight(args, id + 1, lowest), of_warps)
          .total;
  if (threadIdx.x == 0) args.sums[blockIdx.x] = total;
  if (is_last_block(args.arrived)) search(args, lowest);
}

unsigned parts_of(int vocab) {
  return static_cast<unsigned>((vocab + kPart - 1) / kPart);
}

template <bool kMass>
void select(DrawArgs& args, cudaStream_t stream) {
  for (int level = 0; level < kLevels; ++level) {
    select_pass<kMass><<<parts_of(args.vocab), kThreads, 0, stream>>>(args, level);
    cuda::check_launch("a drawn token: select_pass");
  }
  args.limited = true;
}

}  // namespace

RowScratch::RowScratch(int vocab)
    : partials_(static_cast<std::size_t>(digest_steps::blocks_of(std::int64_t{4} * vocab)) *
                    digest_steps::kLanes,
                "digests"),
      bins_(kBins, "drawing"),
      sums_(parts_of(vocab), "drawing"),
      arrived_(1, "drawing"),
      nonfinite_(static_cast<std::size_t>(digest_steps::blocks_of(std::int64_t{4} * vocab)),
                 "digests"),
      selection_(1, "drawing") {}

std::uint64_t RowScratch::bytes(int vocab) {
  const auto blocks = static_cast<std::uint64_t>(digest_steps::blocks_of(std::int64_t{4} * vocab));
  return blocks * (digest_steps::kLanes * sizeof(std::uint64_t) + sizeof(std::uint32_t)) +
         (kBins + parts_of(vocab)) * sizeof(std::uint64_t) + sizeof(Selection) +
         sizeof(std::uint32_t);
}

void draw_on_device(const RowPlace& place, const Draw& draw, cudaStream_t stream) {
  const Sampling& sampling = draw.sampling;
  const RowScratch& scratch = *place.scratch;
  if (sampling.temperature == 0) {
    cuda::check(cudaMemcpyAsync(&place.reading->drawn, &place.reading->top.index,
                                sizeof(std::int32_t), cudaMemcpyDeviceToDevice, stream),
                "copy of the likeliest token");
    return;
  }
  DrawArgs args{.logits = place.logits,
                .vocab = place.vocab,
                .reading = place.reading,
                .temperature = sampling.temperature,
                .random = random_number(sampling.seed, draw.step),
                .p = fixed_p(sampling.top_p),
                .k = static_cast<std::uint64_t>(sampling.top_k),
                .limited = false,
                .bins = scratch.bins(),
                .sums = scratch.sums(),
                .arrived = scratch.arrived(),
                .selection = scratch.selection(),
                .drawn = &place.reading->drawn};
  if (sampling.top_k > 0 && sampling.top_k < place.vocab) select<false>(args, stream);
  if (sampling.top_p < 1) select<true>(args, stream);
  draw_token<<<parts_of(place.vocab), kThreads, 0, stream>>>(args);
  cuda::check_launch("a drawn token: draw_token");
}

}  // namespace assay
