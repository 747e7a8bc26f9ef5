// One kernel per field of a type: thread i moves the i-th two bytes of the field's plane, which is
// coalesced on that side; all sizes and offsets are even. Long tensors go in pieces whose indices
// fit 32 bits.
#include "kernels/cuda_repack.cuh"

#include <algorithm>

#include "engine/core/dtype.h"
#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"

namespace assay::cuda {

constexpr int kRepackThreads = 256;
constexpr std::int64_t kPieceBlocks = std::int64_t{1} << 22;  // times 64 halves at most

// raw: the field in the first block, blocks `stride` halves apart; plane (count) halves,
// `per_block` of each block.
template <bool kToPlane>
__global__ void __launch_bounds__(kRepackThreads)
    move_field(std::uint16_t* raw, std::uint16_t* plane, unsigned count, unsigned per_block,
               unsigned stride) {
  const unsigned at = blockIdx.x * kRepackThreads + threadIdx.x;
  if (at >= count) return;
  std::uint16_t& in_raw = raw[static_cast<std::uint64_t>(at / per_block) * stride + at % per_block];
  if constexpr (kToPlane) {
    plane[at] = in_raw;
  } else {
    in_raw = plane[at];
  }
}

template <bool kToPlane>
static void move_fields(DType dtype, std::byte* raw, std::int64_t blocks, std::byte* planes,
                        void* stream) {
  const std::span<const PlaneField> fields = plane_fields_of(dtype);
  const std::int64_t block_bytes = traits(dtype).block_bytes;
  for (int f = 0; f < static_cast<int>(fields.size()); ++f) {
    const PlaneField field = fields[static_cast<std::size_t>(f)];
    std::byte* plane = planes + plane_offset(fields, f, blocks);
    for (std::int64_t first = 0; first < blocks; first += kPieceBlocks) {
      const std::int64_t piece = std::min(kPieceBlocks, blocks - first);
      const auto count = static_cast<unsigned>(piece * field.bytes / 2);
      move_field<kToPlane><<<groups_of(count, kRepackThreads), kRepackThreads, 0,
                             static_cast<cudaStream_t>(stream)>>>(
          reinterpret_cast<std::uint16_t*>(raw + first * block_bytes + field.offset),
          reinterpret_cast<std::uint16_t*>(plane + first * field.bytes), count,
          static_cast<unsigned>(field.bytes / 2), static_cast<unsigned>(block_bytes / 2));
      check_launch(kToPlane ? "repack to planes" : "repack from planes");
    }
  }
}

void repack_to_planes(DType dtype, const std::byte* raw, std::int64_t blocks, std::byte* planes,
                      void* stream) {
  move_fields<true>(dtype, const_cast<std::byte*>(raw), blocks, planes, stream);
}

void repack_from_planes(DType dtype, const std::byte* planes, std::int64_t blocks, std::byte* raw,
                        void* stream) {
  move_fields<false>(dtype, raw, blocks, const_cast<std::byte*>(planes), stream);
}

}  // namespace assay::cuda
