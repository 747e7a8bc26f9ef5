#include "engine/backend/cpu/cpu_backend.h"

#include <fmt/format.h>
#include <algorithm>

#include "engine/backend/cpu/cpu_here.h"
#include "engine/core/error.h"

namespace assay {

namespace {

// The tensors where the model has them.
OpWeights weights_here(const GraphOp& op) {
  OpWeights weights;
  if (op.weight != nullptr) weights.weight.data = op.weight->data;
  for (std::size_t i = 0; i < op.biases.size(); ++i) {
    if (op.biases[i] != nullptr) weights.biases[i] = op.biases[i]->floats();
  }
  return weights;
}

}  // namespace

CpuBackend::CpuBackend(const Model& model, const Graph& graph, const ServiceSelection& service,
                       const CpuBackendOptions& options, std::atomic<std::uint64_t>& progress)
    : model_(model),
      options_(options),
      limits_{.name = "cpu backend",
              .max_rows = options.max_rows,
              .context = options.context,
              .vocab = model.hyper.vocab},
      service_(service, ops_of(graph), options.context, std::min(options.max_rows, options.context),
               cpu_here(options.level)),
      pool_(options.threads),
      launch_{pool_},
      cache_(model.hyper, options.context),
      activations_(model.hyper, options.max_rows),
      rope_(options.context, model),
      prefill_(bind(graph.prefill)),
      decode_(bind(graph.decode)),
      output_(bind(graph.output)),
      memory_(place()),
      progress_(progress) {}

std::vector<CpuBackend::BoundOp> CpuBackend::bind(const std::vector<GraphOp>& ops) const {
  std::vector<BoundOp> bound;
  bound.reserve(ops.size());
  for (const GraphOp& op : ops) {
    BoundOp next{.op = op, .served = &service_.at(op.op), .launches = {}};
    for (const VariantInfo* info : next.served->infos) {
      next.launches.push_back(find_cpu_variant(info->id)->launch);
    }
    bound.push_back(std::move(next));
  }
  return bound;
}

PassMemory CpuBackend::place() {
  PassMemory memory;
  for (int slot = 0; slot < kSlotCount; ++slot) {
    memory.slots[slot] = activations_.floats(static_cast<Slot>(slot));
  }
  memory.quantized = activations_.quantized();
  memory.tokens = activations_.tokens();
  memory.k_cache = cache_.k(0);
  memory.v_cache = cache_.v(0);
  memory.layer_stride = cache_.layer_stride();
  memory.position_stride = cache_.position_stride();
  memory.head_stride = cache_.head_stride();
  memory.cosine = rope_.cosine();
  memory.sine = rope_.sine();
  memory.nonfinite = &nonfinite_;
  memory.top = &top_;
  return memory;
}

void CpuBackend::prefill(std::span<const std::int32_t> tokens, int first) {
  check_pass(limits_, tokens, first);
  std::copy(tokens.begin(), tokens.end(), activations_.tokens());
  last_first_ = first;
  last_t_ = static_cast<int>(tokens.size());
  run(prefill_, {.t = last_t_,
                 .first = first,
                 .source_row = 0,
                 .problem = prefill_problem({.first = first, .t = last_t_})});
}

void CpuBackend::decode(std::int32_t token, int position) {
  check_pass(limits_, {&token, 1}, position);
  activations_.tokens()[0] = token;
  last_first_ = position;
  last_t_ = 1;
  run(decode_, {.t = 1, .first = position, .source_row = 0, .problem = decode_problem(position)});
}

RowReading CpuBackend::read_row(int row, const Draw* draw) {
  check_row(limits_, row, last_t_);
  top_ = {};
  run(output_, {.t = 1,
                .first = last_first_ + row,
                .source_row = row,
                .problem = decode_problem(last_first_ + row)});
  check_top(limits_, top_);
  return {.top = top_,
          .digest = digest_of_row(logits()),
          .nonfinite = count_nonfinite(logits()),
          .drawn = draw == nullptr ? -1 : pick_token(logits(), *draw)};
}

std::span<const float> CpuBackend::logits() {
  return {activations_.floats(Slot::kLogits), static_cast<std::size_t>(model_.hyper.vocab)};
}

void CpuBackend::run(const std::vector<BoundOp>& ops, const Pass& pass) {
  for (const BoundOp& bound : ops) {
    const LaunchFunction function = bound.launches[bound.served->select(pass.problem)];
    with_arguments(model_.hyper, memory_, bound.op, weights_here(bound.op), pass,
                   [&](const void* args) { function(args, launch_); });
    progress_.fetch_add(1, std::memory_order_relaxed);
  }
}

LaunchCounts CpuBackend::launches() const {
  return counted_by(cpu_registry());
}

}  // namespace assay
