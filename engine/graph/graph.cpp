#include "engine/graph/graph.h"

#include <fmt/format.h>
#include <algorithm>

namespace assay {
namespace {

enum class Path { kPrefill, kDecode };

bool reads_quantized(const Weight& weight) {
  return !is_float(weight.dtype);
}

// Appends the ops of one list, in the order in which they run.
class ListBuilder {
 public:
  ListBuilder(const Model& model, Path path, std::vector<GraphOp>& ops)
      : model_(model), hyper_(model.hyper), path_(path), ops_(ops) {}

  void embed() {
    ops_.push_back({.kind = OpKind::kEmbed,
                    .op = "embed",
                    .in = Slot::kTokens,
                    .out = Slot::kHidden,
                    .weight = &model_.token_embedding,
                    .n = hyper_.embedding,
                    .k = hyper_.embedding});
  }

  void layer(int index) {
    layer_ = index;
    const LayerWeights& w = model_.layers[static_cast<std::size_t>(index)];
    attention(w);
    feed_forward(w);
    layer_ = -1;
  }

  void output() {
    norm(model_.output_norm);
    linear(Slot::kNormed, {{&model_.output, Slot::kLogits}});
    ops_.push_back({.kind = OpKind::kArgmax,
                    .op = "argmax",
                    .in = Slot::kLogits,
                    .out = Slot::kTop,
                    .n = 1,
                    .k = hyper_.vocab});
  }

 private:
  struct Target {
    const Weight* weight;
    Slot out;
  };

  void attention(const LayerWeights& w) {
    norm(w.attn_norm);
    linear(Slot::kNormed, {{&w.q, Slot::kQuery}, {&w.k, Slot::kKey}, {&w.v, Slot::kValue}});
    bias(Slot::kQuery, w.q_bias);
    bias(Slot::kKey, w.k_bias);
    bias(Slot::kValue, w.v_bias);
    norm_heads(Slot::kQuery, hyper_.heads, w.q_norm);
    norm_heads(Slot::kKey, hyper_.kv_heads, w.k_norm);
    per_head(OpKind::kRope, "rope", hyper_.heads, Slot::kQuery, Slot::kNone, Slot::kQuery);
    per_head(OpKind::kRope, "rope", hyper_.kv_heads, Slot::kKey, Slot::kNone, Slot::kKey);
    per_head(OpKind::kKvStore, "kv_store", hyper_.kv_heads, Slot::kKey, Slot::kValue, Slot::kCache);
    if (path_ == Path::kPrefill) {
      per_head(OpKind::kAttentionPrefill, "attention_prefill", hyper_.heads, Slot::kQuery,
               Slot::kCache, Slot::kAttended);
    } else {
      per_head(OpKind::kAttentionDecode, "attention_decode", hyper_.heads, Slot::kQuery,
               Slot::kCache, Slot::kAttended);
    }
    linear(Slot::kAttended, {{&w.attn_output, Slot::kProjected}});
    add_projected();
  }

  void feed_forward(const LayerWeights& w) {
    norm(w.ffn_norm);
    linear(Slot::kNormed, {{&w.gate, Slot::kGate}, {&w.up, Slot::kUp}});
    push({.kind = OpKind::kSwiglu,
          .op = "swiglu",
          .in = Slot::kGate,
          .in2 = Slot::kUp,
          .out = Slot::kGate,
          .n = hyper_.feed_forward,
          .k = hyper_.feed_forward});
    linear(Slot::kGate, {{&w.down, Slot::kProjected}});
    add_projected();
  }

  void push(GraphOp op) {
    op.layer = layer_;
    ops_.push_back(std::move(op));
  }

  void norm(const Weight& weight) {
    push({.kind = OpKind::kRmsNorm,
          .op = "rms_norm",
          .in = Slot::kHidden,
          .out = Slot::kNormed,
          .weight = &weight,
          .n = weight.k,
          .k = weight.k});
  }

  // Linear layers that share an input, quantised once when any of them reads codes.
  void linear(Slot in, std::initializer_list<Target> targets) {
    const bool quantize = std::any_of(targets.begin(), targets.end(), [](const Target& target) {
      return reads_quantized(*target.weight);
    });
    if (quantize) {
      const int k = targets.begin()->weight->k;
      push({.kind = OpKind::kQuantize,
            .op = "quantize_activations",
            .in = in,
            .out = Slot::kQuantized,
            .n = k,
            .k = k});
    }
    for (const Target& target : targets) {
      const Weight& weight = *target.weight;
      push({.kind = OpKind::kMatmul,
            .op = fmt::format("{}_{}", path_ == Path::kPrefill ? "matmul" : "matvec",
                              traits(weight.dtype).suffix),
            .in = reads_quantized(weight) ? Slot::kQuantized : in,
            .out = target.out,
            .weight = &weight,
            .n = weight.rows,
            .k = weight.k});
    }
  }

  // Each head by itself, in place.
  void norm_heads(Slot slot, int heads, const Weight& weight) {
    if (!weight.there()) return;
    push({.kind = OpKind::kRmsNorm,
          .op = "rms_norm",
          .in = slot,
          .out = slot,
          .weight = &weight,
          .n = heads * weight.k,
          .k = weight.k});
  }

  void bias(Slot slot, const Weight& weight) {
    if (!weight.there()) return;
    push({.kind = OpKind::kAddBias,
          .op = "add",
          .in = slot,
          .out = slot,
          .weight = &weight,
          .n = weight.k,
          .k = weight.k});
  }

  void add_projected() {
    push({.kind = OpKind::kAddRows,
          .op = "add",
          .in = Slot::kHidden,
          .in2 = Slot::kProjected,
          .out = Slot::kHidden,
          .n = hyper_.embedding,
          .k = hyper_.embedding});
  }

  void per_head(OpKind kind, const char* op, int heads, Slot in, Slot in2, Slot out) {
    push({.kind = kind,
          .op = op,
          .in = in,
          .in2 = in2,
          .out = out,
          .n = heads,
          .k = hyper_.head_dim});
  }

  const Model& model_;
  const HyperParameters& hyper_;
  Path path_;
  std::vector<GraphOp>& ops_;
  int layer_ = -1;
};

}  // namespace

Graph build_graph(const Model& model) {
  Graph graph;
  ListBuilder prefill(model, Path::kPrefill, graph.prefill);
  ListBuilder decode(model, Path::kDecode, graph.decode);
  prefill.embed();
  decode.embed();
  for (int layer = 0; layer < model.hyper.layers; ++layer) {
    prefill.layer(layer);
    decode.layer(layer);
  }
  ListBuilder(model, Path::kDecode, graph.output).output();
  return graph;
}

std::vector<std::string> ops_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto* list : {&graph.prefill, &graph.decode, &graph.output}) {
    for (const GraphOp& op : *list) {
      if (std::find(names.begin(), names.end(), op.op) == names.end()) names.push_back(op.op);
    }
  }
  return names;
}

std::string_view to_string(Slot slot) {
  constexpr std::string_view kNames[] = {"none",      "tokens", "hidden", "normed", "quantized",
                                         "query",     "key",    "value",  "cache",  "attended",
                                         "projected", "gate",   "up",     "logits", "top"};
  return kNames[static_cast<int>(slot)];
}

std::string to_string(const GraphOp& op) {
  std::string text = op.layer < 0 ? "- " : fmt::format("{} ", op.layer);
  text += fmt::format("{} {}", op.op, to_string(op.in));
  if (op.in2 != Slot::kNone) text += fmt::format(", {}", to_string(op.in2));
  text += fmt::format(" -> {}", to_string(op.out));
  if (op.weight != nullptr) text += fmt::format(" {}", op.weight->name);
  return text + fmt::format(" ({}, {})", op.n, op.k);
}

}  // namespace assay
