// From a graph op and a pass to the op's argument struct: the one place where slots become
// pointers, for every backend.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "engine/backend/backend.h"
#include "engine/graph/graph.h"
#include "kernels/halve_activations/halve_activations.h"
#include "kernels/quantize_activations/quantize_activations.h"
#include "kernels/selection.h"
#include "kernels/weight_layout.h"

namespace assay {

// Where the operands of a loaded model lie; device pointers on a GPU.
struct PassMemory {
  float* slots[kSlotCount] = {};  // of the slots that hold floats, by number
  QuantizedRows quantized = {};
  HalfRows halved = {};
  std::int32_t* tokens = nullptr;
  std::uint16_t* k_cache = nullptr;  // of layer 0
  std::uint16_t* v_cache = nullptr;
  std::int64_t layer_stride = 0;  // elements
  std::int64_t position_stride = 0;
  std::int64_t head_stride = 0;
  const float* cosine = nullptr;  // (context, head_dim / 2)
  const float* sine = nullptr;
  std::uint64_t* nonfinite = nullptr;
  TopLogits* top = nullptr;
};

// Rows and place of a pass: everything that an op's arguments need besides graph and memory.
struct Pass {
  int t;
  int first;       // position of row 0
  int source_row;  // of `hidden`; rows of other slots start at 0
  Problem problem;
};

// A tensor where the backend has it.
struct PlacedWeight {
  const void* data = nullptr;
  WeightLayout layout = WeightLayout::kRaw;
};

// An op's tensors, as GraphOp has them.
struct OpWeights {
  PlacedWeight weight;
  std::array<const float*, 3> biases = {};
};

// Calls `launch` with a pointer to the op's argument struct.
void with_arguments(const HyperParameters& hyper, const PassMemory& memory, const GraphOp& op,
                    const OpWeights& weights, const Pass& pass,
                    const std::function<void(const void*)>& launch);

}  // namespace assay
