#include "engine/worker/op_costs.h"

#include <vector>

#include "engine/core/error.h"

namespace assay {
namespace {

using Dims = std::vector<std::pair<std::string, int>>;

Dims attention_dims(const HyperParameters& hyper, const GraphOp& op, const PassShape& pass) {
  Dims dims = {{"heads", op.n}, {"group", op.n / hyper.kv_heads}, {"d", op.k}};
  if (op.kind == OpKind::kAttentionDecode) {
    dims.emplace_back("nkv", pass.first + 1);
  } else {
    dims.emplace_back("t", pass.t);
    dims.emplace_back("past", pass.first);
  }
  return dims;
}

// The dims that the op's reference reads.
Dims dims_of(const HyperParameters& hyper, const GraphOp& op, const PassShape& pass) {
  const int t = pass.t;
  switch (op.kind) {
    case OpKind::kEmbed:
      return {{"t", t}, {"k", op.k}, {"dtype", static_cast<int>(op.weight->dtype)}};
    case OpKind::kRmsNorm:
      return {{"t", t * (op.n / op.k)}, {"k", op.k}};  // rows, or heads of rows
    case OpKind::kQuantize:
    case OpKind::kHalve:
    case OpKind::kSwigluQuantize:
    case OpKind::kSwigluHalve:
      return {{"t", t}, {"k", op.k}};
    case OpKind::kMatmul:
      return {{"t", t}, {"n", op.n}, {"k", op.k}};
    case OpKind::kAddBias:
      return {{"t", t}, {"k", op.k}, {"bias", 1}};
    case OpKind::kAddRows:
      return {{"t", t}, {"k", op.k}};
    case OpKind::kRope:
    case OpKind::kKvStore:
      return {{"t", t}, {"heads", op.n}, {"d", op.k}};
    case OpKind::kRopeStore:
      return {{"t", t}, {"heads", op.n}, {"kv_heads", hyper.kv_heads}, {"d", op.k}};
    case OpKind::kAttentionPrefill:
    case OpKind::kAttentionDecode:
      return attention_dims(hyper, op, pass);
    case OpKind::kSwiglu:
      return {{"count", t * op.k}};
    case OpKind::kArgmax:
      return {{"k", op.k}};
    case OpKind::kNormQuantize:
    case OpKind::kNormHalve:
      return {{"t", t}, {"k", op.k}, {"adds", op.in2 == Slot::kNone ? 0 : 1}};
  }
  return {};
}

class Sum {
 public:
  Sum(const Model& model, const ServiceSelection& service) : model_(model), service_(service) {}

  void add(const std::vector<GraphOp>& ops, const Problem& problem, const PassShape& pass) {
    for (const GraphOp& op : ops) {
      const ServiceRow* row = select_row(service_.at(op.op), problem);
      if (row == nullptr) {
        throw Error(ErrorKind::kInternal, "costs: no row of the service map serves " + op.op);
      }
      const CaseCost cost = cost_of(model_.hyper, op, pass);
      CaseCost& sum = costs[row->variant];
      sum.bytes += cost.bytes;
      sum.flops += cost.flops;
    }
  }

  std::map<std::string, CaseCost> costs;

 private:
  const Model& model_;
  const ServiceSelection& service_;
};

}  // namespace

CaseCost cost_of(const HyperParameters& hyper, const GraphOp& op, const PassShape& pass) {
  const OpReference* reference = find_reference(op.op);
  if (reference == nullptr) {
    throw Error(ErrorKind::kInternal, "costs: " + op.op + " has no reference");
  }
  CaseSpec spec;
  spec.dims = dims_of(hyper, op, pass);
  if (op.in == Slot::kHalved) spec.reads = ActivationForm::kHalf;
  return reference->cost(spec);
}

std::map<std::string, CaseCost> costs_of(const Model& model, const Graph& graph,
                                         const ServiceSelection& service, const WorkShape& work,
                                         bool prompt) {
  Sum sum(model, service);
  const auto output = [&](int position) {
    sum.add(graph.output, decode_problem(position), {.t = 1, .first = position});
  };
  if (prompt) {
    for (const Chunk& chunk : chunks_of(work.prompt, work.chunk, work.most)) {
      sum.add(graph.prefill, prefill_problem(chunk), {.t = chunk.t, .first = chunk.first});
      for (int row = 0; row < chunk.t; ++row) {
        const int position = chunk.first + row;
        if (work.all_rows || position == work.prompt - 1) output(position);
      }
    }
  }
  for (int step = 0; step < work.steps; ++step) {
    const int position = work.prompt + step;
    sum.add(graph.decode, decode_problem(position), {.t = 1, .first = position});
    output(position);
  }
  return sum.costs;
}

}  // namespace assay
