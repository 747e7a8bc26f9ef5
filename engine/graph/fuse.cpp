// One walk over the list: at each op the longest run that begins there is looked for, always in the
// list as it was, so that one replacement cannot hide a reader from the next.
#include "engine/graph/fuse.h"

#include <algorithm>
#include <optional>

namespace assay {
namespace {

constexpr const char* kNormQuantizeOp = "add_rms_norm_quantize";
constexpr const char* kNormHalveOp = "add_rms_norm_halve";
constexpr const char* kSwigluQuantizeOp = "swiglu_quantize";
constexpr const char* kSwigluHalveOp = "swiglu_halve";
constexpr const char* kRopeStoreOp = "rope_store";

struct Run {
  GraphOp op;          // in its place
  std::size_t length;  // of the run in the list
};

class Fuser {
 public:
  Fuser(const std::vector<GraphOp>& ops, const CompoundOps& compounds)
      : ops_(ops), compounds_(compounds) {}

  std::vector<GraphOp> result() const {
    std::vector<GraphOp> list;
    for (std::size_t at = 0; at < ops_.size();) {
      const std::optional<Run> run = run_at(at);
      list.push_back(run ? run->op : ops_[at]);
      at += run ? run->length : 1;
    }
    return list;
  }

 private:
  std::optional<Run> run_at(std::size_t at) const {
    if (std::optional<Run> run = norm_at(at)) return run;
    if (std::optional<Run> run = swiglu_at(at)) return run;
    return rope_store_at(at);
  }

  bool is(std::size_t at, OpKind kind, Slot in, Slot out) const {
    return at < ops_.size() && ops_[at].kind == kind && ops_[at].in == in && ops_[at].out == out;
  }
  bool is_form(std::size_t at, Slot in) const {
    return is(at, OpKind::kQuantize, in, Slot::kQuantized) ||
           is(at, OpKind::kHalve, in, Slot::kHalved);
  }

  // Whether an op from `from` on reads what the slot holds before it.
  bool read_from(std::size_t from, Slot slot) const {
    for (std::size_t i = from; i < ops_.size(); ++i) {
      const GraphOp& op = ops_[i];
      if (op.in == slot || op.in2 == slot || op.in3 == slot) return true;
      if (op.out == slot) return false;
    }
    return false;
  }

  // The run as a compound whose last part, at `last`, brings the rows into a form.
  std::optional<Run> formed(GraphOp op, std::size_t first, std::size_t last, OpKind quantize,
                            OpKind halve, const char* quantize_op, const char* halve_op) const {
    const bool halves = ops_[last].kind == OpKind::kHalve;
    op.kind = halves ? halve : quantize;
    op.op = halves ? halve_op : quantize_op;
    op.out = ops_[last].out;
    if (!compounds_.contains(op.op)) return std::nullopt;
    return Run{std::move(op), last + 1 - first};
  }

  std::optional<Run> norm_at(std::size_t first) const {
    const bool adds = is(first, OpKind::kAddRows, Slot::kHidden, Slot::kHidden);
    const std::size_t norm = first + (adds ? 1 : 0);
    const std::size_t form = norm + 1;
    if (!is(norm, OpKind::kRmsNorm, Slot::kHidden, Slot::kNormed) ||
        !is_form(form, Slot::kNormed) || read_from(form + 1, Slot::kNormed)) {
      return std::nullopt;
    }
    GraphOp op = ops_[norm];
    op.in2 = adds ? ops_[first].in2 : Slot::kNone;
    return formed(std::move(op), first, form, OpKind::kNormQuantize, OpKind::kNormHalve,
                  kNormQuantizeOp, kNormHalveOp);
  }

  std::optional<Run> swiglu_at(std::size_t first) const {
    if (!is(first, OpKind::kSwiglu, Slot::kGate, Slot::kGate) || !is_form(first + 1, Slot::kGate) ||
        read_from(first + 2, Slot::kGate)) {
      return std::nullopt;
    }
    return formed(ops_[first], first, first + 1, OpKind::kSwigluQuantize, OpKind::kSwigluHalve,
                  kSwigluQuantizeOp, kSwigluHalveOp);
  }

  std::optional<Run> rope_store_at(std::size_t first) const {
    constexpr Slot kHeads[] = {Slot::kQuery, Slot::kKey, Slot::kValue};
    std::size_t at = first;
    GraphOp op{.kind = OpKind::kRopeStore,
               .op = kRopeStoreOp,
               .in = Slot::kQuery,
               .in2 = Slot::kKey,
               .in3 = Slot::kValue,
               .out = Slot::kCache};
    for (std::size_t i = 0; i < op.biases.size(); ++i) {
      if (is(at, OpKind::kAddBias, kHeads[i], kHeads[i])) op.biases[i] = ops_[at++].weight;
    }
    const bool normed_heads = first > 0 && ops_[first - 1].kind == OpKind::kRmsNorm;
    if (normed_heads || !compounds_.contains(op.op) ||
        !is(at, OpKind::kRope, Slot::kQuery, Slot::kQuery) ||
        !is(at + 1, OpKind::kRope, Slot::kKey, Slot::kKey) ||
        !is(at + 2, OpKind::kKvStore, Slot::kKey, Slot::kCache) || read_from(at + 3, Slot::kKey) ||
        read_from(at + 3, Slot::kValue)) {
      return std::nullopt;
    }
    op.layer = ops_[at].layer;
    op.n = ops_[at].n;
    op.k = ops_[at].k;
    return Run{std::move(op), at + 3 - first};
  }

  const std::vector<GraphOp>& ops_;
  const CompoundOps& compounds_;
};

}  // namespace

CompoundOps compounds_of(const ServiceSelection& service) {
  CompoundOps compounds;
  for (const char* op :
       {kNormQuantizeOp, kNormHalveOp, kSwigluQuantizeOp, kSwigluHalveOp, kRopeStoreOp}) {
    if (service.contains(op)) compounds.insert(op);
  }
  return compounds;
}

std::vector<GraphOp> fuse(const std::vector<GraphOp>& ops, const CompoundOps& compounds) {
  return Fuser(ops, compounds).result();
}

Graph fused(const Graph& graph, const CompoundOps& compounds) {
  return {.prefill = fuse(graph.prefill, compounds),
          .decode = fuse(graph.decode, compounds),
          .output = fuse(graph.output, compounds)};
}

}  // namespace assay
