// Executes a model's graph on the CPU through the variants that a service map names.
//
// Every op of a list is bound at construction to its served variants; a pass walks the list,
// selects by rows and cached positions, fills the op's argument struct, launches, and bumps the
// progress counter. There is no second path.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/cpu/buffers.h"
#include "engine/backend/op_arguments.h"
#include "engine/backend/pass_checks.h"
#include "engine/backend/service_table.h"
#include "engine/core/thread_pool.h"
#include "engine/graph/graph.h"
#include "kernels/launch.h"

namespace assay {

struct CpuBackendOptions {
  int context = 0;  // positions of KV cache, >= 1
  int threads = 1;
  int max_rows = kMaxChunk;
  CpuLevel level = cpu_level();  // of the processor; a test may claim less
};

class CpuBackend : public Backend {
 public:
  // `model` and `progress` must outlive the backend. Errors as ServiceTable and check_memory.
  CpuBackend(const Model& model, const Graph& graph, const ServiceSelection& service,
             const CpuBackendOptions& options, std::atomic<std::uint64_t>& progress);

  int context() const override { return options_.context; }
  int max_rows() const override { return options_.max_rows; }
  int threads() const override { return pool_.size(); }
  void prefill(std::span<const std::int32_t> tokens, int first) override;
  void decode(std::int32_t token, int position) override;
  RowReading read_row(int row, const Draw* draw) override;
  std::span<const float> logits() override;
  std::uint64_t nonfinite() override { return nonfinite_; }
  LaunchCounts launches() const override;

 private:
  struct BoundOp {
    GraphOp op;
    const ServedOp* served;
    std::vector<LaunchFunction> launches;  // of the row with the same index
  };

  std::vector<BoundOp> bind(const std::vector<GraphOp>& ops) const;
  PassMemory place();
  void run(const std::vector<BoundOp>& ops, const Pass& pass);

  const Model& model_;
  CpuBackendOptions options_;
  PassLimits limits_;
  ServiceTable service_;
  ThreadPool pool_;
  Launch launch_;
  KvCache cache_;
  Activations activations_;
  RopeTable rope_;
  std::vector<BoundOp> prefill_, decode_, output_;
  TopLogits top_;
  int last_first_ = 0;
  int last_t_ = 0;
  std::uint64_t nonfinite_ = 0;
  PassMemory memory_;
  std::atomic<std::uint64_t>& progress_;
};

}  // namespace assay
