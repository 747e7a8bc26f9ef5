// A model's tensors on the GPU, each once, in the layout that the variant which serves its decode
// asks for.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <map>
#include <vector>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/device_array.cuh"
#include "engine/backend/op_arguments.h"
#include "engine/backend/service_table.h"
#include "engine/graph/graph.h"

namespace assay {

class DeviceWeights {
 public:
  // Uploads every weight of the graph. Error(kUsage) where rows of one op want different layouts.
  DeviceWeights(const Graph& graph, const ServiceTable& service, const DeviceSource& source,
                cudaStream_t stream, std::atomic<std::uint64_t>& progress);
  PlacedWeight at(const Weight& weight) const;

 private:
  struct Placed {
    DeviceArray<std::byte> bytes;
    WeightLayout layout;
  };
  void upload(const Weight& weight, WeightLayout layout, const DeviceSource& source,
              cudaStream_t stream);

  std::map<const std::byte*, Placed> by_host_;
  DeviceArray<std::byte> staging_;  // raw blocks on their way into planes
  std::size_t staging_bytes_ = 0;
};

// Bytes of all weights of a graph, a tensor that is used twice counted once.
std::uint64_t weight_bytes(const Graph& graph);
// Elements of the largest matrix of the prefill list.
std::size_t largest_matrix(const Graph& graph);

}  // namespace assay
