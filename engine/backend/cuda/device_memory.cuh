// Cache, activations and tables of a loaded model on the GPU; allocated once, at load.
#pragma once

#include "engine/backend/cuda/device_array.cuh"
#include "engine/backend/cuda/row_on_device.cuh"
#include "engine/backend/op_arguments.h"
#include "engine/model/model.h"

namespace assay {

// What a decode step's kernels read from the device in place of launch arguments.
struct DeviceStep {
  std::int32_t position;
  std::int32_t token;
};

class DeviceMemory {
 public:
  DeviceMemory(const Model& model, int context, int max_rows);

  PassMemory place() const { return memory_; }
  DeviceStep* step() const { return step_.data(); }
  DeviceResult* result() const { return result_.data(); }
  RowPlace row() const {
    return {memory_.slots[static_cast<std::size_t>(Slot::kLogits)], vocab_, &result()->row,
            &row_scratch_};
  }
  // Enqueues NaN everywhere but in the tables, the step and the result.
  void poison(cudaStream_t stream) const;

 private:
  std::vector<DeviceArray<float>> slots_;
  DeviceArray<std::int8_t> codes_;
  DeviceArray<float> scales_;
  DeviceArray<std::int16_t> sums_;
  DeviceArray<std::uint16_t> halves_;
  DeviceArray<float> half_scales_;
  DeviceArray<std::int32_t> tokens_;
  DeviceArray<std::uint16_t> k_cache_, v_cache_;
  DeviceArray<float> cosine_, sine_;
  DeviceArray<DeviceStep> step_;
  DeviceArray<DeviceResult> result_;
  int vocab_;
  RowScratch row_scratch_;
  PassMemory memory_;
};

// Bytes that DeviceMemory takes: of the cache, and of everything else.
std::uint64_t device_cache_bytes(const HyperParameters& hyper, int context);
std::uint64_t device_activation_bytes(const HyperParameters& hyper, int context, int max_rows);

}  // namespace assay
