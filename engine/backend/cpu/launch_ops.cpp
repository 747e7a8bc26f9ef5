// From a graph op and a pass to the op's argument struct: the one place where slots become
// pointers.
//
// Grouped by what the ops share (linear layers, attention and its cache, ops on rows), so that each
// switch stays short; a generic argument pack was rejected, since the structs are the contract with
// the kernels and designated initialisers let the compiler see a missing field.
#include <cmath>

#include "engine/backend/cpu/cpu_backend.h"
#include "kernels/add/add.h"
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
#include "kernels/swiglu/swiglu.h"

namespace assay {

// Row 0 of the op's input: the residual stream may start at a later row (logits of a prompt row).
const float* CpuBackend::input(const GraphOp& op, const Pass& pass) {
  const float* rows = activations_.floats(op.in);
  return op.in == Slot::kHidden
             ? rows + static_cast<std::int64_t>(pass.source_row) * model_.hyper.embedding
             : rows;
}

void CpuBackend::launch(const GraphOp& op, const Pass& pass, LaunchFunction function) {
  switch (op.kind) {
    case OpKind::kEmbed:
    case OpKind::kQuantize:
    case OpKind::kMatmul:
      return launch_linear(op, pass, function);
    case OpKind::kRope:
    case OpKind::kKvStore:
    case OpKind::kAttentionPrefill:
    case OpKind::kAttentionDecode:
      return launch_attention(op, pass, function);
    case OpKind::kRmsNorm:
    case OpKind::kAddBias:
    case OpKind::kAddRows:
    case OpKind::kSwiglu:
    case OpKind::kArgmax:
      return launch_row_op(op, pass, function);
  }
}

void CpuBackend::launch_linear(const GraphOp& op, const Pass& pass, LaunchFunction function) {
  if (op.kind == OpKind::kEmbed) {
    const EmbedArgs args{.table = op.weight->data,
                         .dtype = op.weight->dtype,
                         .tokens = activations_.tokens(),
                         .out = activations_.floats(op.out),
                         .t = pass.t,
                         .k = op.k};
    return function(&args, launch_);
  }
  if (op.kind == OpKind::kQuantize) {
    const QuantizeActivationsArgs args{.x = input(op, pass),
                                       .out = activations_.quantized(),
                                       .t = pass.t,
                                       .k = op.k,
                                       .nonfinite = &nonfinite_};
    return function(&args, launch_);
  }
  const bool quantized = op.in == Slot::kQuantized;
  const float* x = quantized ? nullptr : input(op, pass);
  const QuantizedRows xq = quantized ? activations_.quantized() : QuantizedRows{};
  if (op.op.starts_with("matvec")) {
    const MatvecArgs args{.weights = op.weight->data,
                          .x = x,
                          .xq = xq,
                          .y = activations_.floats(op.out),
                          .n = op.n,
                          .k = op.k};
    return function(&args, launch_);
  }
  const MatmulArgs args{.weights = op.weight->data,
                        .x = x,
                        .xq = xq,
                        .y = activations_.floats(op.out),
                        .t = pass.t,
                        .n = op.n,
                        .k = op.k};
  function(&args, launch_);
}

void CpuBackend::launch_attention(const GraphOp& op, const Pass& pass, LaunchFunction function) {
  const HyperParameters& hyper = model_.hyper;
  const float scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(hyper.head_dim)));
  if (op.kind == OpKind::kRope) {
    const RopeArgs args{.x = activations_.floats(op.out),
                        .cosine = rope_.cosine(),
                        .sine = rope_.sine(),
                        .t = pass.t,
                        .heads = op.n,
                        .head_dim = op.k,
                        .first_position = pass.first,
                        .interleaved = hyper.rope_interleaved};
    return function(&args, launch_);
  }
  if (op.kind == OpKind::kKvStore) {
    const KvStoreArgs args{.k = activations_.floats(op.in),
                           .v = activations_.floats(op.in2),
                           .k_cache = cache_.k(op.layer),
                           .v_cache = cache_.v(op.layer),
                           .position_stride = cache_.position_stride(),
                           .head_stride = cache_.head_stride(),
                           .t = pass.t,
                           .kv_heads = op.n,
                           .head_dim = op.k,
                           .first_position = pass.first,
                           .nonfinite = &nonfinite_};
    return function(&args, launch_);
  }
  if (op.kind == OpKind::kAttentionDecode) {
    const AttentionDecodeArgs args{.q = activations_.floats(op.in),
                                   .k_cache = cache_.k(op.layer),
                                   .v_cache = cache_.v(op.layer),
                                   .position_stride = cache_.position_stride(),
                                   .head_stride = cache_.head_stride(),
                                   .out = activations_.floats(op.out),
                                   .nkv = pass.first + 1,
                                   .heads = op.n,
                                   .kv_heads = hyper.kv_heads,
                                   .head_dim = op.k,
                                   .scale = scale};
    return function(&args, launch_);
  }
  const AttentionPrefillArgs args{.q = activations_.floats(op.in),
                                  .k_cache = cache_.k(op.layer),
                                  .v_cache = cache_.v(op.layer),
                                  .position_stride = cache_.position_stride(),
                                  .head_stride = cache_.head_stride(),
                                  .out = activations_.floats(op.out),
                                  .t = pass.t,
                                  .past = pass.first,
                                  .heads = op.n,
                                  .kv_heads = hyper.kv_heads,
                                  .head_dim = op.k,
                                  .scale = scale};
  function(&args, launch_);
}

void CpuBackend::launch_row_op(const GraphOp& op, const Pass& pass, LaunchFunction function) {
  float* out = activations_.floats(op.out);
  if (op.kind == OpKind::kRmsNorm) {
    const RmsNormArgs args{.x = input(op, pass),
                           .w = op.weight->floats(),
                           .y = out,
                           .t = pass.t * (op.n / op.k),  // rows, or heads of rows
                           .k = op.k,
                           .eps = model_.hyper.rms_eps};
    return function(&args, launch_);
  }
  if (op.kind == OpKind::kSwiglu) {
    const SwigluArgs args{.gate = activations_.floats(op.in),
                          .up = activations_.floats(op.in2),
                          .out = out,
                          .count = static_cast<std::int64_t>(pass.t) * op.k};
    return function(&args, launch_);
  }
  if (op.kind == OpKind::kArgmax) {
    const ArgmaxArgs args{.x = activations_.floats(op.in),
                          .index = &top_.index,
                          .value = &top_.value,
                          .second = &top_.second,
                          .k = op.k};
    return function(&args, launch_);
  }
  const bool broadcast = op.kind == OpKind::kAddBias;
  const AddArgs args{.a = activations_.floats(op.in),
                     .b = broadcast ? op.weight->floats() : activations_.floats(op.in2),
                     .out = out,
                     .t = pass.t,
                     .k = op.k,
                     .broadcast = broadcast};
  function(&args, launch_);
}

}  // namespace assay
