// Layers of the sweep: their shapes, and drawn weights in both layouts.
#pragma once

#include <string_view>
#include <vector>

#include "engine/core/dtype.h"
#include "kernels/cuda_repack.cuh"
#include "kernels/cuda_sweep/device.cuh"
#include "kernels/cuda_sweep/draw.cuh"

namespace assay::sweep {

struct Shape {
  int n;
  int k;
};

// Linear layers of models of 7 B, 14 B and 135 M parameters, and rows that end inside every tile.
// A type of 256-blocks leaves out the k that it cannot have.
inline std::vector<Shape> shapes_of(DType dtype, bool vocabulary, bool quick) {
  std::vector<Shape> shapes = {{3584, 3584}, {512, 3584},  {18944, 3584}, {3584, 18944},
                               {5120, 5120}, {1024, 5120}, {13824, 5120}, {5120, 13824},
                               {576, 576},   {1536, 576},  {576, 1536},   {1537, 3584}};
  if (quick) shapes = {{512, 3584}, {576, 1536}, {1537, 3584}};
  if (vocabulary && !quick) shapes.insert(shapes.end(), {{152064, 3584}, {49152, 576}});
  std::erase_if(shapes, [&](const Shape& shape) { return shape.k % traits(dtype).block != 0; });
  return shapes;
}

// Weights (n, k) of a type, raw and, where the type has them, as planes.
class Weights {
 public:
  Weights(DType dtype, const Shape& shape, std::uint64_t seed, cudaStream_t stream)
      : raw_(static_cast<std::size_t>(shape.n) *
             row_bytes(dtype, static_cast<std::size_t>(shape.k))) {
    draw_weights(dtype, seed, shape.n, shape.k, raw_.data(), stream);
    if (plane_fields_of(dtype).empty()) return;
    planes_ = DeviceArray<std::byte>(raw_.size());
    const auto block_bytes = static_cast<std::size_t>(traits(dtype).block_bytes);
    cuda::repack_to_planes(dtype, raw_.data(), static_cast<std::int64_t>(raw_.size() / block_bytes),
                           planes_.data(), stream);
  }
  bool has_planes() const { return planes_.size() != 0; }
  const std::byte* in(WeightLayout layout) const {
    return layout == WeightLayout::kPlanes ? planes_.data() : raw_.data();
  }
  std::vector<WeightLayout> layouts() const {
    if (!has_planes()) return {WeightLayout::kRaw};
    return {WeightLayout::kRaw, WeightLayout::kPlanes};
  }

 private:
  DeviceArray<std::byte> raw_;
  DeviceArray<std::byte> planes_;
};

}  // namespace assay::sweep
