// Runs a CUDA variant on operands in host memory, as cases have them.
//
// CudaStage::function() is an ordinary LaunchFunction: it copies the operands of the argument
// struct to the device, launches the variant, waits, and copies the outputs back, so that
// references, parity and conformance know nothing of devices. Each operand has an allocation of its
// own (a memory checker sees overruns), between two canaries; what lies behind an input is NaN,
// outputs start as the case poisoned them.
//
//   CudaStage stage(variant);
//   Launch launch{pool, &stage};
//   bound.launch(stage.function(), launch);
//   stage.canaries_intact()
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/launch.h"
#include "kernels/registry_cuda.h"

namespace assay {

// The compute capability times ten of the GPU that this process uses; 0 where there is none. `why`
// receives what is missing.
int cuda_capability(std::string* why = nullptr);

// A kernel as it was launched, and what it takes of a multiprocessor.
struct CudaKernelUse {
  std::string kernel;     // demangled
  int threads = 0;        // of a block
  int registers = 0;      // per thread
  int local_bytes = 0;    // per thread
  int static_shared = 0;  // bytes per block
  int dynamic_shared = 0;
  int blocks_per_sm = 0;  // by the driver's count
  auto operator<=>(const CudaKernelUse&) const = default;
};

class CudaStage {
 public:
  // Error(kEnvironment) without a GPU.
  explicit CudaStage(const CudaVariant& variant);
  ~CudaStage();
  CudaStage(const CudaStage&) = delete;
  CudaStage& operator=(const CudaStage&) = delete;

  LaunchFunction function() const;
  // Whether the position goes to the kernels through device memory, as in a decode step. Off at
  // first; for ops of one row only.
  void set_position_on_device(bool on);
  // Whether each launch is captured into a graph, too, to see its kernels. Off at first.
  void set_capturing(bool on);
  // The kernels that were captured so far, sorted, each configuration once.
  std::vector<CudaKernelUse> captured() const;
  // Of the last launch: nothing was written before or behind an operand, no input was written.
  bool canaries_intact() const;

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace assay
