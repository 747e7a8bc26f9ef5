#include "engine/backend/cuda/device_weights.cuh"

#include <algorithm>

#include "engine/core/error.h"
#include "kernels/cuda_repack.cuh"

namespace assay {
namespace {

std::size_t bytes_of(const Weight& weight) {
  return static_cast<std::size_t>(weight.rows) *
         row_bytes(weight.dtype, static_cast<std::size_t>(weight.k));
}

// visit(op, weight) for every tensor of every op.
template <typename Visit>
void for_each_weight(const Graph& graph, const Visit& visit) {
  for (const auto* list : {&graph.decode, &graph.output, &graph.prefill}) {
    for (const GraphOp& op : *list) {
      for (const Weight* weight : weights_of(op)) visit(op, *weight);
    }
  }
}

WeightLayout layout_of(const ServedOp& served) {
  const WeightLayout layout = served.infos.front()->layout;
  for (const VariantInfo* info : served.infos) {
    if (info->layout == layout) continue;
    throw Error(
        ErrorKind::kUsage,
        "service map: " + served.op + ": " + std::string(info->id) +
            " wants another weight layout than the row before it; rows of one op must agree");
  }
  return layout;
}

}  // namespace

std::uint64_t weight_bytes(const Graph& graph) {
  std::map<const std::byte*, std::size_t> seen;
  for_each_weight(
      graph, [&](const GraphOp&, const Weight& weight) { seen[weight.data] = bytes_of(weight); });
  std::uint64_t bytes = 0;
  for (const auto& [data, size] : seen) bytes += size;
  return bytes;
}

std::size_t largest_matrix(const Graph& graph) {
  std::size_t elements = 0;
  for (const GraphOp& op : graph.prefill) {
    if (op.kind != OpKind::kMatmul) continue;
    elements = std::max(elements, static_cast<std::size_t>(op.n) * static_cast<std::size_t>(op.k));
  }
  return elements;
}

DeviceWeights::DeviceWeights(const Graph& graph, const ServiceTable& service,
                             const DeviceSource& source, cudaStream_t stream,
                             std::atomic<std::uint64_t>& progress) {
  // Decode comes first in the walk, so that its layout is the one that counts.
  for (const bool matvecs : {true, false}) {
    for_each_weight(graph, [&](const GraphOp& op, const Weight& weight) {
      const bool is_matvec = op.op.starts_with("matvec_");
      if (is_matvec != matvecs || by_host_.contains(weight.data)) return;
      const bool planes = is_matvec && layout_of(service.at(op.op)) == WeightLayout::kPlanes &&
                          !plane_fields_of(weight.dtype).empty();
      upload(weight, planes ? WeightLayout::kPlanes : WeightLayout::kRaw, source, stream);
      progress.fetch_add(1, std::memory_order_relaxed);
    });
  }
  staging_ = {};
}

void DeviceWeights::upload(const Weight& weight, WeightLayout layout, const DeviceSource& source,
                           cudaStream_t stream) {
  const std::size_t bytes = bytes_of(weight);
  Placed placed{.bytes = DeviceArray<std::byte>(bytes, weight.name), .layout = layout};
  const bool raw = layout == WeightLayout::kRaw;
  if (!raw && bytes > staging_bytes_) {
    staging_ = {};
    staging_ = DeviceArray<std::byte>(bytes, "a tensor on its way into planes");
    staging_bytes_ = bytes;
  }
  std::byte* to = raw ? placed.bytes.data() : staging_.data();
  if (!source || !source(weight, to, stream)) {
    cuda::check(cudaMemcpyAsync(to, weight.data, bytes, cudaMemcpyHostToDevice, stream),
                "copy of " + weight.name + " to the device");
  }
  if (!raw) {
    const auto block = static_cast<std::size_t>(traits(weight.dtype).block_bytes);
    cuda::repack_to_planes(weight.dtype, staging_.data(), static_cast<std::int64_t>(bytes / block),
                           placed.bytes.data(), stream);
  }
  cuda::check(cudaStreamSynchronize(stream), "upload of " + weight.name);
  by_host_.emplace(weight.data, std::move(placed));
}

PlacedWeight DeviceWeights::at(const Weight& weight) const {
  const Placed& placed = by_host_.at(weight.data);
  return {.data = placed.bytes.data(), .layout = placed.layout};
}

}  // namespace assay
