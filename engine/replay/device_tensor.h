// Reads back a synthetic tensor that the GPU has generated. No CUDA header is needed here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "engine/synth/tensors.h"

namespace assay::replay {

class DeviceTensor {
 public:
  explicit DeviceTensor(std::uint64_t most_bytes);  // of a tensor
  ~DeviceTensor();
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  // Generates a tensor of codes over memory whose every bit is set, and gives its bytes in order,
  // piece by piece.
  void generate(const SynthTensor& tensor,
                const std::function<void(std::span<const std::byte>)>& take);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::replay
