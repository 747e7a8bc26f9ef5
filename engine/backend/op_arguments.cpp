// Grouped by what the ops share (linear layers, attention and its cache, ops on rows), so that each
// switch stays short; a generic argument pack was rejected, since the structs are the contract with
// the kernels and designated initialisers let the compiler see a missing field.
#include "engine/backend/op_arguments.h"

#include <cmath>

#include "kernels/add/add.h"
#include "kernels/add_rms_norm_halve/add_rms_norm_halve.h"
#include "kernels/add_rms_norm_quantize/add_rms_norm_quantize.h"
#include "kernels/argmax/argmax.h"
#include "kernels/attention_decode/attention_decode.h"
#include "kernels/attention_prefill/attention_prefill.h"
#include "kernels/embed/embed.h"
#include "kernels/kv_store/kv_store.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matvec/matvec.h"
#include "kernels/quantize_activations/quantize_activations.h"
#include "kernels/rms_norm/rms_norm.h"
#include "kernels/rope/rope.h"
#include "kernels/rope_store/rope_store.h"
#include "kernels/swiglu/swiglu.h"
#include "kernels/swiglu_halve/swiglu_halve.h"
#include "kernels/swiglu_quantize/swiglu_quantize.h"

namespace assay {
namespace {

using LaunchWith = std::function<void(const void*)>;

// The parts that the functions below share.
struct Site {
  const HyperParameters& hyper;
  const PassMemory& memory;
  const GraphOp& op;
  const PlacedWeight& weight;
  const std::array<const float*, 3>& biases;
  const Pass& pass;
  const LaunchWith& launch;

  float* floats(Slot slot) const { return memory.slots[static_cast<std::size_t>(slot)]; }
  // Row 0 of the op's input: the residual stream may start at a later row (logits of a prompt row).
  float* input() const {
    const std::int64_t row = op.in == Slot::kHidden ? pass.source_row : 0;
    return floats(op.in) + row * hyper.embedding;
  }
  // Row 0 of the op's second input; null where it has none.
  const float* second_input() const { return op.in2 == Slot::kNone ? nullptr : floats(op.in2); }
  const float* weight_floats() const { return static_cast<const float*>(weight.data); }
};

void launch_embed(const Site& at) {
  const EmbedArgs args{.table = at.weight.data,
                       .dtype = at.op.weight->dtype,
                       .tokens = at.memory.tokens,
                       .out = at.floats(at.op.out),
                       .t = at.pass.t,
                       .k = at.op.k,
                       .layout = at.weight.layout,
                       .vocab = at.op.weight->rows};
  at.launch(&args);
}

void launch_linear(const Site& at) {
  const bool quantized = at.op.in == Slot::kQuantized;
  const bool halved = at.op.in == Slot::kHalved;
  const float* x = quantized || halved ? nullptr : at.input();
  const QuantizedRows xq = quantized ? at.memory.quantized : QuantizedRows{};
  if (at.op.op.starts_with("matvec")) {
    const MatvecArgs args{.weights = at.weight.data,
                          .x = x,
                          .xq = xq,
                          .y = at.floats(at.op.out),
                          .n = at.op.n,
                          .k = at.op.k,
                          .layout = at.weight.layout};
    return at.launch(&args);
  }
  const MatmulArgs args{.weights = at.weight.data,
                        .x = x,
                        .xq = xq,
                        .y = at.floats(at.op.out),
                        .t = at.pass.t,
                        .n = at.op.n,
                        .k = at.op.k,
                        .xh = halved ? at.memory.halved : HalfRows{},
                        .layout = at.weight.layout};
  at.launch(&args);
}

void launch_activations(const Site& at) {
  if (at.op.kind == OpKind::kQuantize) {
    const QuantizeActivationsArgs args{.x = at.input(),
                                       .out = at.memory.quantized,
                                       .t = at.pass.t,
                                       .k = at.op.k,
                                       .nonfinite = at.memory.nonfinite};
    return at.launch(&args);
  }
  const HalveActivationsArgs args{.x = at.input(),
                                  .out = at.memory.halved,
                                  .t = at.pass.t,
                                  .k = at.op.k,
                                  .nonfinite = at.memory.nonfinite};
  at.launch(&args);
}

void launch_positions(const Site& at) {
  const PassMemory& memory = at.memory;
  if (at.op.kind == OpKind::kRope) {
    const RopeArgs args{.x = at.floats(at.op.out),
                        .cosine = memory.cosine,
                        .sine = memory.sine,
                        .t = at.pass.t,
                        .heads = at.op.n,
                        .head_dim = at.op.k,
                        .first_position = at.pass.first,
                        .interleaved = at.hyper.rope_interleaved};
    return at.launch(&args);
  }
  const KvStoreArgs args{.k = at.floats(at.op.in),
                         .v = at.floats(at.op.in2),
                         .k_cache = memory.k_cache + at.op.layer * memory.layer_stride,
                         .v_cache = memory.v_cache + at.op.layer * memory.layer_stride,
                         .position_stride = memory.position_stride,
                         .head_stride = memory.head_stride,
                         .t = at.pass.t,
                         .kv_heads = at.op.n,
                         .head_dim = at.op.k,
                         .first_position = at.pass.first,
                         .nonfinite = memory.nonfinite};
  at.launch(&args);
}

void launch_attention(const Site& at) {
  const PassMemory& memory = at.memory;
  const float scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(at.hyper.head_dim)));
  const std::uint16_t* k_cache = memory.k_cache + at.op.layer * memory.layer_stride;
  const std::uint16_t* v_cache = memory.v_cache + at.op.layer * memory.layer_stride;
  if (at.op.kind == OpKind::kAttentionDecode) {
    const AttentionDecodeArgs args{.q = at.floats(at.op.in),
                                   .k_cache = k_cache,
                                   .v_cache = v_cache,
                                   .position_stride = memory.position_stride,
                                   .head_stride = memory.head_stride,
                                   .out = at.floats(at.op.out),
                                   .nkv = at.pass.first + 1,
                                   .heads = at.op.n,
                                   .kv_heads = at.hyper.kv_heads,
                                   .head_dim = at.op.k,
                                   .scale = scale};
    return at.launch(&args);
  }
  const AttentionPrefillArgs args{.q = at.floats(at.op.in),
                                  .k_cache = k_cache,
                                  .v_cache = v_cache,
                                  .position_stride = memory.position_stride,
                                  .head_stride = memory.head_stride,
                                  .out = at.floats(at.op.out),
                                  .t = at.pass.t,
                                  .past = at.pass.first,
                                  .heads = at.op.n,
                                  .kv_heads = at.hyper.kv_heads,
                                  .head_dim = at.op.k,
                                  .scale = scale};
  at.launch(&args);
}

void launch_row_op(const Site& at) {
  float* out = at.floats(at.op.out);
  if (at.op.kind == OpKind::kRmsNorm) {
    const RmsNormArgs args{.x = at.input(),
                           .w = at.weight_floats(),
                           .y = out,
                           .t = at.pass.t * (at.op.n / at.op.k),  // rows, or heads of rows
                           .k = at.op.k,
                           .eps = at.hyper.rms_eps};
    return at.launch(&args);
  }
  if (at.op.kind == OpKind::kSwiglu) {
    const SwigluArgs args{.gate = at.floats(at.op.in),
                          .up = at.floats(at.op.in2),
                          .out = out,
                          .count = static_cast<std::int64_t>(at.pass.t) * at.op.k};
    return at.launch(&args);
  }
  const bool broadcast = at.op.kind == OpKind::kAddBias;
  const AddArgs args{.a = at.floats(at.op.in),
                     .b = broadcast ? at.weight_floats() : at.floats(at.op.in2),
                     .out = out,
                     .t = at.pass.t,
                     .k = at.op.k,
                     .broadcast = broadcast};
  at.launch(&args);
}

void launch_argmax(const Site& at) {
  const ArgmaxArgs args{.x = at.floats(at.op.in),
                        .index = &at.memory.top->index,
                        .value = &at.memory.top->value,
                        .second = &at.memory.top->second,
                        .k = at.op.k};
  at.launch(&args);
}

void launch_norm_and_form(const Site& at) {
  if (at.op.kind == OpKind::kNormQuantize) {
    const AddRmsNormQuantizeArgs args{.x = at.input(),
                                      .r = at.second_input(),
                                      .w = at.weight_floats(),
                                      .normed = at.floats(Slot::kNormed),
                                      .out = at.memory.quantized,
                                      .t = at.pass.t,
                                      .k = at.op.k,
                                      .eps = at.hyper.rms_eps,
                                      .nonfinite = at.memory.nonfinite};
    return at.launch(&args);
  }
  const AddRmsNormHalveArgs args{.x = at.input(),
                                 .r = at.second_input(),
                                 .w = at.weight_floats(),
                                 .normed = at.floats(Slot::kNormed),
                                 .out = at.memory.halved,
                                 .t = at.pass.t,
                                 .k = at.op.k,
                                 .eps = at.hyper.rms_eps,
                                 .nonfinite = at.memory.nonfinite};
  at.launch(&args);
}

void launch_swiglu_and_form(const Site& at) {
  if (at.op.kind == OpKind::kSwigluQuantize) {
    const SwigluQuantizeArgs args{.gate = at.input(),
                                  .up = at.second_input(),
                                  .out = at.memory.quantized,
                                  .t = at.pass.t,
                                  .k = at.op.k,
                                  .nonfinite = at.memory.nonfinite};
    return at.launch(&args);
  }
  const SwigluHalveArgs args{.gate = at.input(),
                             .up = at.second_input(),
                             .out = at.memory.halved,
                             .t = at.pass.t,
                             .k = at.op.k,
                             .nonfinite = at.memory.nonfinite};
  at.launch(&args);
}

void launch_rope_store(const Site& at) {
  const PassMemory& memory = at.memory;
  const RopeStoreArgs args{.q = at.floats(at.op.in),
                           .k = at.floats(at.op.in2),
                           .v = at.floats(at.op.in3),
                           .q_bias = at.biases[0],
                           .k_bias = at.biases[1],
                           .v_bias = at.biases[2],
                           .cosine = memory.cosine,
                           .sine = memory.sine,
                           .k_cache = memory.k_cache + at.op.layer * memory.layer_stride,
                           .v_cache = memory.v_cache + at.op.layer * memory.layer_stride,
                           .position_stride = memory.position_stride,
                           .head_stride = memory.head_stride,
                           .t = at.pass.t,
                           .heads = at.op.n,
                           .kv_heads = at.hyper.kv_heads,
                           .head_dim = at.op.k,
                           .first_position = at.pass.first,
                           .interleaved = at.hyper.rope_interleaved,
                           .nonfinite = memory.nonfinite};
  at.launch(&args);
}

}  // namespace

void with_arguments(const HyperParameters& hyper, const PassMemory& memory, const GraphOp& op,
                    const OpWeights& weights, const Pass& pass,
                    const std::function<void(const void*)>& launch) {
  const Site site{hyper, memory, op, weights.weight, weights.biases, pass, launch};
  switch (op.kind) {
    case OpKind::kEmbed:
      return launch_embed(site);
    case OpKind::kQuantize:
    case OpKind::kHalve:
      return launch_activations(site);
    case OpKind::kMatmul:
      return launch_linear(site);
    case OpKind::kRope:
    case OpKind::kKvStore:
      return launch_positions(site);
    case OpKind::kAttentionPrefill:
    case OpKind::kAttentionDecode:
      return launch_attention(site);
    case OpKind::kRmsNorm:
    case OpKind::kAddBias:
    case OpKind::kAddRows:
    case OpKind::kSwiglu:
      return launch_row_op(site);
    case OpKind::kArgmax:
      return launch_argmax(site);
    case OpKind::kNormQuantize:
    case OpKind::kNormHalve:
      return launch_norm_and_form(site);
    case OpKind::kSwigluQuantize:
    case OpKind::kSwigluHalve:
      return launch_swiglu_and_form(site);
    case OpKind::kRopeStore:
      return launch_rope_store(site);
  }
}

}  // namespace assay
