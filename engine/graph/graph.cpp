#include "engine/graph/graph.h"

#include <fmt/format.h>
#include <algorithm>

#include "engine/core/error.h"

namespace assay {
namespace {

enum class Path { kPrefill, kDecode };

// Appends the ops of one list, in the order in which they run.
class ListBuilder {
 public:
  ListBuilder(const Model& model, const ActivationForms& forms, Path path,
              std::vector<GraphOp>& ops)
      : model_(model), hyper_(model.hyper), forms_(forms), path_(path), ops_(ops) {}

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

  std::string linear_op(const Weight& weight) const {
    return fmt::format("{}_{}", path_ == Path::kPrefill ? "matmul" : "matvec",
                       traits(weight.dtype).suffix);
  }

  // The slot from which a linear layer reads an input that lies in `in`.
  Slot form_of(const Weight& weight, Slot in) const {
    const auto form = forms_.find(linear_op(weight));
    if (form != forms_.end() && form->second == ActivationForm::kHalf) return Slot::kHalved;
    return is_float(weight.dtype) ? in : Slot::kQuantized;
  }

  // Linear layers that share an input, brought once into each form that any of them reads.
  void linear(Slot in, std::initializer_list<Target> targets) {
    const int k = targets.begin()->weight->k;
    const auto bring = [&](Slot form, OpKind kind, const char* op) {
      const bool wanted = std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
        return form_of(*target.weight, in) == form;
      });
      if (wanted) push({.kind = kind, .op = op, .in = in, .out = form, .n = k, .k = k});
    };
    bring(Slot::kQuantized, OpKind::kQuantize, "quantize_activations");
    bring(Slot::kHalved, OpKind::kHalve, "halve_activations");
    for (const Target& target : targets) {
      const Weight& weight = *target.weight;
      push({.kind = OpKind::kMatmul,
            .op = linear_op(weight),
            .in = form_of(weight, in),
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
  const ActivationForms& forms_;
  Path path_;
  std::vector<GraphOp>& ops_;
  int layer_ = -1;
};

}  // namespace

ActivationForms forms_of(const ServiceSelection& service) {
  ActivationForms forms;
  for (const auto& [op, rows] : service) {
    for (const ServiceRow& row : rows) {
      const VariantInfo* info = find_variant(row.variant);
      if (info == nullptr) continue;  // the backend refuses it, with its place
      const auto [known, added] = forms.emplace(op, info->reads);
      if (added || known->second == info->reads) continue;
      throw Error(ErrorKind::kUsage,
                  fmt::format("service map: {}: {} reads its activations in another form than the "
                              "row before it; rows of one op must agree",
                              op, row.variant));
    }
  }
  return forms;
}

Graph build_graph(const Model& model, const ActivationForms& forms) {
  Graph graph;
  ListBuilder prefill(model, forms, Path::kPrefill, graph.prefill);
  ListBuilder decode(model, forms, Path::kDecode, graph.decode);
  prefill.embed();
  decode.embed();
  for (int layer = 0; layer < model.hyper.layers; ++layer) {
    prefill.layer(layer);
    decode.layer(layer);
  }
  ListBuilder(model, forms, Path::kDecode, graph.output).output();
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

std::vector<const Weight*> weights_of(const GraphOp& op) {
  std::vector<const Weight*> weights;
  const auto keep = [&](const Weight* weight) {
    if (weight != nullptr && weight->there()) weights.push_back(weight);
  };
  keep(op.weight);
  for (const Weight* bias : op.biases) keep(bias);
  return weights;
}

std::string_view to_string(Slot slot) {
  constexpr std::string_view kNames[] = {
      "none",  "tokens", "hidden",   "normed",    "quantized", "halved", "query",  "key",
      "value", "cache",  "attended", "projected", "gate",      "up",     "logits", "top"};
  return kNames[static_cast<int>(slot)];
}

std::string to_string(const GraphOp& op) {
  std::string text = op.layer < 0 ? "- " : fmt::format("{} ", op.layer);
  text += fmt::format("{} {}", op.op, to_string(op.in));
  if (op.in2 != Slot::kNone) text += fmt::format(", {}", to_string(op.in2));
  if (op.in3 != Slot::kNone) text += fmt::format(", {}", to_string(op.in3));
  text += fmt::format(" -> {}", to_string(op.out));
  if (op.weight != nullptr) text += fmt::format(" {}", op.weight->name);
  for (const Weight* bias : op.biases) {
    if (bias != nullptr) text += fmt::format(" {}", bias->name);
  }
  return text + fmt::format(" ({}, {})", op.n, op.k);
}

}  // namespace assay
