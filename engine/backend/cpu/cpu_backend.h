// Executes a model's graph on the CPU through the variants that a service map names.
//
// Every op of a list is bound at construction to its served variants; a pass walks the list,
// selects by rows and cached positions, fills the op's argument struct, launches, and bumps the
// progress counter. There is no second path: timing, gates and text generation all come through
// here.
//
// Invariants:
//   1. Nothing is allocated after construction.
//   2. A pass reads the cache at positions below its own end only, so leftovers of earlier work
//      never matter.
//   3. Launches are known by the variants' own counters; the backend keeps no tally of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/backend/cpu/buffers.h"
#include "engine/backend/cpu/service_table.h"
#include "engine/core/thread_pool.h"
#include "engine/graph/graph.h"
#include "engine/graph/plan.h"

namespace assay {

struct CpuBackendOptions {
  int context = 0;  // positions of KV cache, >= 1
  int threads = 1;
  int max_rows = kMaxChunk;
  CpuLevel level = cpu_level();  // of the processor; a test may claim less
};

struct TopLogits {
  std::int32_t index = -1;  // of the largest logit
  float value = 0;
  float second = 0;  // largest of the others
};

class CpuBackend {
 public:
  // `model` and `progress` must outlive the backend. Errors as ServiceTable and check_memory.
  CpuBackend(const Model& model, const Graph& graph, const ServiceSelection& service,
             const CpuBackendOptions& options, std::atomic<std::uint64_t>& progress);

  int context() const { return options_.context; }
  int threads() const { return pool_.size(); }

  // Runs the prefill list over tokens at positions first, first + 1, ...
  void prefill(std::span<const std::int32_t> tokens, int first);
  // Runs the decode list over one token.
  void decode(std::int32_t token, int position);
  // Runs the output list over a row of the last pass. Error(kInternal) when the argmax is no token.
  TopLogits output(int row);
  std::span<const float> logits();  // (vocab) of the last output()

  // Non-finite activations and cache values seen so far.
  std::uint64_t nonfinite() const { return nonfinite_; }

 private:
  struct BoundOp {
    GraphOp op;
    const ServedOp* served;
  };
  // Rows and place of a pass: everything that an op's arguments need besides the graph.
  struct Pass {
    int t;
    int first;       // position of row 0
    int source_row;  // of `hidden`; rows of other slots start at 0
    Problem problem;
  };

  std::vector<BoundOp> bind(const std::vector<GraphOp>& ops) const;
  void run(const std::vector<BoundOp>& ops, const Pass& pass);
  void launch(const GraphOp& op, const Pass& pass, LaunchFunction function);
  void launch_linear(const GraphOp& op, const Pass& pass, LaunchFunction function);
  void launch_attention(const GraphOp& op, const Pass& pass, LaunchFunction function);
  void launch_row_op(const GraphOp& op, const Pass& pass, LaunchFunction function);
  void check_tokens(std::span<const std::int32_t> tokens, int first) const;
  const float* input(const GraphOp& op, const Pass& pass);

  const Model& model_;
  CpuBackendOptions options_;
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
  std::atomic<std::uint64_t>& progress_;
};

}  // namespace assay
