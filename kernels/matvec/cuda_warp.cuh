// y = W x on the GPU, a warp per one, two or four rows of weights: the decode kernels of all types.
//
// The problem: a step reads every weight once, a row is short (3,584 elements of q4_K are 2,016
// bytes), and memory answers after most of a microsecond. So lanes ask for the first units of their
// rows before anything else and keep that many in flight (Unit::kDepth); the activations are laid
// out in shared memory meanwhile; blocks are small, so that the last wave is short. With more rows
// per warp, activations that a lane has read serve several rows, and a block's copy more of them.
//
// Lane l takes units l, l + 32, ... in rising order, and a butterfly joins the lanes: the order of
// additions does not depend on rows, layout or machine.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/cuda_reduce.cuh"
#include "kernels/cuda_shared_memory.cuh"
#include "kernels/matvec/cuda_operands.cuh"

namespace assay::matvec_cuda_warp {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr int kFreeSharedBytes = 48 << 10;  // more has to be asked for

// Blocks that a multiprocessor has to hold at once, which bounds registers. With one row a warp,
// 3,584 rows are 6.8 blocks on each of 132, and an eighth of them must not wait for a second round;
// with two rows, 5,120 are 4.8, which the units of q5_K and q6_K are too large for.
template <typename Unit, int kRows>
inline constexpr int kBlocksAtOnce = kRows == 1           ? 7
                                     : kRows == 4         ? 3
                                     : sizeof(Unit) <= 64 ? 5
                                                          : 4;

template <typename Unit, int kRows>
inline constexpr int kDepthOf = kRows == 4 ? (Unit::kDepth + 1) / 2 : Unit::kDepth;

// A lane's units of kRows rows, kDepth units of each in flight.
template <typename Unit, int kRows>
class LaneUnits {
 public:
  static constexpr int kDepth = kDepthOf<Unit, kRows>;

  // Rows past the last repeat it.
  __device__ __forceinline__ LaneUnits(const cuda::WeightView& weights, int first_row, int n,
                                       int units, int lane)
      : units_(units), phase_(lane % Unit::kPhases), view_(Unit::view_of(weights, phase_)) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      block_[r] = static_cast<std::uint32_t>(min(first_row + r, n - 1)) *
                      static_cast<std::uint32_t>(units / Unit::kPhases) +
                  static_cast<std::uint32_t>(lane / Unit::kPhases);
    }
#pragma unroll
    for (int s = 0; s < kDepth; ++s) ask(lane + 32 * s, s);
  }
  // sum (kRows) += terms of the lane's units in rising order.
  template <typename Row>
  __device__ __forceinline__ void add_terms(const Row& x, int lane, float* sum) {
    for (int first = lane; first < units_; first += 32 * kDepth) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) block_[r] += kDepth * kStep;
#pragma unroll
      for (int s = 0; s < kDepth; ++s) {
        const int unit = first + 32 * s;
        if (unit >= units_) continue;
#pragma unroll
        for (int part = 0; part < Unit::kParts; ++part) {
          const auto of_x = x.load(unit, part);
#pragma unroll
          for (int r = 0; r < kRows; ++r) {
            sum[r] = matvec_cuda::add_term(held_[s][r], phase_, part, of_x, sum[r]);
          }
        }
        ask(unit + 32 * kDepth, s);
      }
    }
  }

 private:
  static constexpr std::uint32_t kStep = 32 / Unit::kPhases;  // blocks from unit to unit of a lane

  __device__ __forceinline__ void ask(int unit, int slot) {
    if (unit >= units_) return;
#pragma unroll
    for (int r = 0; r < kRows; ++r) held_[slot][r] = Unit::load(view_, block_[r] + slot * kStep);
  }

  int units_;  // of a row
  int phase_;  // of all units of this lane: 32 is a multiple of kPhases
  cuda::WeightView view_;
  std::uint32_t block_[kRows];  // where the units in flight begin
  Unit held_[kDepth][kRows];
};

// weights (n, k), x (k) -> y (n)
template <typename Operands, int kRows>
__global__ void __launch_bounds__(kThreads, kBlocksAtOnce<typename Operands::Unit, kRows>)
    matvec(cuda::WeightView weights, typename Operands::Activations x, float* y, int n, int k) {
  using Unit = typename Operands::Unit;
  extern __shared__ __align__(16) std::byte shared[];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int first_row =
      (static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x / 32)) * kRows;
  LaneUnits<Unit, kRows> units(weights, first_row, n, k / Unit::kElements, lane);
  typename Operands::Row row(shared, k);
  row.fill(x, k / 32, kThreads);
  if constexpr (Operands::Row::kShared) __syncthreads();
  if (first_row >= n) return;  // whole warps
  float sum[kRows] = {};
  units.add_terms(row, lane, sum);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const float total = cuda::warp_sum(sum[r]);
    if (lane == 0 && first_row + r < n) y[first_row + r] = total;
  }
}

template <DType kType, WeightLayout kLayout, int kRows>
void enqueue(const char* variant, const MatvecArgs& args, const CudaLaunch& launch) {
  using Operands = matvec_cuda::Operands<kType, kLayout>;
  using Unit = typename Operands::Unit;
  const std::int64_t blocks =
      static_cast<std::int64_t>(args.n) * (args.k / (Unit::kElements * Unit::kPhases));
  if (blocks > std::int64_t{UINT32_MAX}) {
    throw Error(ErrorKind::kInternal, std::string(variant) + ": more than 2^32 blocks of weights");
  }
  cuda::WeightView view{};
  if constexpr (matvec_cuda::kIsFloat<kType>) {
    view.field[0] = static_cast<const std::byte*>(args.weights);
  } else {
    view = cuda::weight_view(kType, kLayout, args.weights, blocks);
  }
  const auto shared = static_cast<int>(Operands::Row::bytes(args.k));
  if (shared > kFreeSharedBytes) {
    cuda::allow_shared_memory(reinterpret_cast<const void*>(matvec<Operands, kRows>), shared,
                              variant);
  }
  const unsigned grid = cuda::groups_of(args.n, kWarps * kRows);
  matvec<Operands, kRows>
      <<<grid, kThreads, static_cast<std::size_t>(shared), cuda::stream_of(launch)>>>(
          view, Operands::of(args), args.y, args.n, args.k);
  cuda::check_launch(variant);
}

// The raw layout of a type that has planes is served by narrow loads: right, and needed only where
// a tensor was not repacked.
template <DType kType, int kRows>
void launch_rows(const char* variant, const MatvecArgs& args, const CudaLaunch& launch) {
  cuda::require_aligned(variant, 16, {args.weights, args.x, args.xq.q});
  if (args.layout != WeightLayout::kRaw && args.layout != WeightLayout::kPlanes) {
    throw Error(ErrorKind::kInternal, std::string(variant) + ": unknown weight layout");
  }
  if constexpr (plane_fields_of(kType).empty()) {
    enqueue<kType, WeightLayout::kRaw, kRows>(variant, args, launch);
  } else if (args.layout == WeightLayout::kPlanes) {
    enqueue<kType, WeightLayout::kPlanes, kRows>(variant, args, launch);
  } else {
    enqueue<kType, WeightLayout::kRaw, 2>(variant, args, launch);
  }
}

}  // namespace assay::matvec_cuda_warp
