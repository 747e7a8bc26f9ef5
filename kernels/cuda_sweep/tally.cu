#include "kernels/cuda_sweep/tally.cuh"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/cuda_grid.cuh"

namespace assay::sweep {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kMostBlocks = 132 * 16;

unsigned blocks_for(std::int64_t count) {
  return std::clamp(cuda::groups_of(count, kThreads), 1u, kMostBlocks);
}

// Sum over the warp in its first lane.
__device__ unsigned long long warp_count(unsigned long long own) {
  for (int apart = 16; apart > 0; apart /= 2) own += __shfl_down_sync(0xffffffffu, own, apart);
  return own;
}

// As reference.h's worst_error_ratio: NaN, and any difference where the budget is 0, are infinite.
__device__ double error_ratio(double got, double value, double budget) {
  if (got == value) return 0;
  const double error = fabs(got - value);
  return !isfinite(error) || budget == 0 ? INFINITY : error / budget;
}

__global__ void __launch_bounds__(kThreads) compare_values(Comparison c, Tally* tally) {
  const std::int64_t count = static_cast<std::int64_t>(c.rows) * c.columns;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
  unsigned long long worst = 0;
  unsigned long long beyond = 0;
  unsigned long long values = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += step) {
    const int row = static_cast<int>(i / c.columns);
    const int column = static_cast<int>(i % c.columns);
    const std::int64_t got_row = c.got_rows == nullptr ? row : c.got_rows[row];
    const std::int64_t value_row = c.value_rows == nullptr ? row : c.value_rows[row];
    const std::int64_t at = value_row * c.columns + column;
    const double ratio = error_ratio(static_cast<double>(c.got[got_row * c.stride + column]),
                                     c.value[at], c.budget[at]);
    const unsigned long long bits = __float_as_uint(__double2float_ru(ratio));
    worst = max(worst, bits << 32 | static_cast<std::uint32_t>(at));
    beyond += ratio > 1;
    ++values;
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    worst = max(worst, __shfl_down_sync(0xffffffffu, worst, apart));
  }
  beyond = warp_count(beyond);
  values = warp_count(values);
  if (threadIdx.x % 32 != 0) return;
  atomicMax(&tally->worst, worst);
  atomicAdd(&tally->values, values);
  if (beyond != 0) atomicAdd(&tally->beyond, beyond);
}

__global__ void __launch_bounds__(kThreads)
    count_different(const std::uint32_t* a, std::int64_t stride_a, const std::uint32_t* b,
                    std::int64_t stride_b, std::int64_t words, std::int64_t count, Tally* tally) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
  unsigned long long different = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += step) {
    const std::int64_t row = i / words;
    different += a[row * stride_a + i % words] != b[row * stride_b + i % words];
  }
  different = warp_count(different);
  if (threadIdx.x % 32 == 0 && different != 0) atomicAdd(&tally->different, different);
}

// A block per output, a thread per canary word.
__global__ void __launch_bounds__(2 * kCanaryWords)
    count_damage(const std::uint32_t* output, std::int64_t stride, std::int64_t words,
                 Tally* tally) {
  const std::uint32_t* own = output + static_cast<std::int64_t>(blockIdx.x) * stride;
  const auto i = static_cast<std::int64_t>(threadIdx.x);
  const auto canary = static_cast<std::int64_t>(kCanaryWords);
  const std::uint32_t word = i < canary ? own[i - canary] : own[words + i - canary];
  if (word != 0xffffffffu) atomicAdd(&tally->damaged, 1ull);
}

const std::uint32_t* words_of(const float* output) {
  return reinterpret_cast<const std::uint32_t*>(output);
}

}  // namespace

double Tally::ratio() const {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(worst >> 32)));
}

void Output::poison(std::size_t words, cudaStream_t stream) const {
  cuda::check(
      cudaMemsetAsync(memory_.data(), kPoison, (words + 2 * kCanaryWords) * sizeof(float), stream),
      "cudaMemset");
}

Judge::Judge(cudaStream_t stream) : stream_(stream), tally_(1) {
  cuda::check(cudaMemsetAsync(tally_.data(), 0, sizeof(Tally), stream_), "cudaMemset");
}

void Judge::compare(const Comparison& comparison) const {
  const std::int64_t count = static_cast<std::int64_t>(comparison.rows) * comparison.columns;
  compare_values<<<blocks_for(count), kThreads, 0, stream_>>>(comparison, tally_.data());
  cuda::check_launch("the sweep's comparison");
}

void Judge::require_equal(const float* a, std::int64_t stride_a, const float* b,
                          std::int64_t stride_b, int rows, std::int64_t words) const {
  const std::int64_t count = rows * words;
  count_different<<<blocks_for(count), kThreads, 0, stream_>>>(
      words_of(a), stride_a, words_of(b), stride_b, words, count, tally_.data());
  cuda::check_launch("the sweep's comparison of bits");
}

void Judge::require_canaries(const float* output, std::int64_t stride, int outputs,
                             std::int64_t words) const {
  count_damage<<<static_cast<unsigned>(outputs), 2 * kCanaryWords, 0, stream_>>>(
      words_of(output), stride, words, tally_.data());
  cuda::check_launch("the sweep's look at canaries");
}

void Judge::settle(Line& line, const std::function<std::string(std::uint32_t)>& where) {
  const Tally tally = tally_.fetch(stream_).front();
  cuda::check(cudaMemsetAsync(tally_.data(), 0, sizeof(Tally), stream_), "cudaMemset");
  line.values += tally.values;
  line.beyond += tally.beyond;
  line.different += tally.different;
  line.damaged += tally.damaged;
  if (tally.values == 0 || tally.ratio() <= line.worst) return;
  line.worst = tally.ratio();
  line.where = where(tally.index());
}

}  // namespace assay::sweep
