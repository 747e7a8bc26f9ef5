// The operands of each op's argument struct: which pointers, how many bytes, read or written.
//
// visit_operands(args, visitor) calls, for every operand that is there,
//   visitor.in(pointer, bytes)                what the kernel reads
//   visitor.out(pointer, bytes)               what it writes, or reads and writes
//   visitor.padded_in/out(pointer, bytes, room) the same, with room for more bytes behind it
//   visitor.weights(pointer, bytes)           what it reads in the layout of args.layout
// with references to the struct's own pointers, so that a visitor can replace them. Operands of
// zero bytes and null pointers are passed over.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/dtype.h"
#include "kernels/add/add.h"
#include "kernels/add_rms_norm_halve/add_rms_norm_halve.h"
#include "kernels/add_rms_norm_quantize/add_rms_norm_quantize.h"
#include "kernels/argmax/argmax.h"
#include "kernels/attention_decode/attention_decode.h"
#include "kernels/attention_prefill/attention_prefill.h"
#include "kernels/cuda_launch.h"
#include "kernels/embed/embed.h"
#include "kernels/halve_activations/halve_activations.h"
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

namespace operands {

inline std::size_t count(std::int64_t a, std::int64_t b = 1, std::int64_t c = 1) {
  return static_cast<std::size_t>(a * b * c);
}
// Elements of a cache up to position `positions - 1`, whatever the order of its dimensions.
template <typename Args>
std::size_t cache_bytes(const Args& args, std::int64_t positions) {
  return 2 * static_cast<std::size_t>((positions - 1) * args.position_stride +
                                      (args.kv_heads - 1) * args.head_stride + args.head_dim);
}
template <typename Visitor>
void visit_quantized(QuantizedRows& rows, std::size_t elements, Visitor& visitor, bool out) {
  if (rows.q == nullptr) return;
  const auto visit = [&](auto& pointer, std::size_t bytes) {
    if (out) {
      visitor.out(pointer, bytes);
    } else {
      visitor.in(pointer, bytes);
    }
  };
  visit(rows.q, elements);
  visit(rows.d, elements / 32 * 4);
  visit(rows.sum, elements / 32 * 2);
}

template <typename Visitor>
void visit_halved(HalfRows& rows, std::int64_t t, std::int64_t k, Visitor& visitor) {
  visitor.out(rows.h, count(t, k, 2));
  visitor.out(rows.scale, count(t, 4));
}
// The residual stream, which is only read where nothing is added, and what else both forms of its
// norm share.
template <typename Args, typename Visitor>
void visit_residual_norm(Args& args, Visitor& visitor) {
  const std::size_t rows = count(args.t, args.k, 4);
  if (args.r != nullptr) {
    visitor.out(args.x, rows);
    visitor.in(args.r, rows);
  } else {
    visitor.in(args.x, rows);
  }
  visitor.in(args.w, count(args.k, 4));
  visitor.out(args.normed, rows);
  visitor.out(args.nonfinite, sizeof(std::uint64_t));
}
template <typename Args, typename Visitor>
void visit_gate_up(Args& args, Visitor& visitor) {
  visitor.out(args.gate, count(args.t, args.k, 4));
  visitor.in(args.up, count(args.t, args.k, 4));
  visitor.out(args.nonfinite, sizeof(std::uint64_t));
}

}  // namespace operands

template <typename Visitor>
void visit_operands(AddArgs& args, Visitor& visitor) {
  const std::size_t row = operands::count(args.k, 4);
  const std::size_t all = row * operands::count(args.t);
  visitor.in(args.a, all);
  visitor.in(args.b, args.broadcast ? row : all);
  visitor.out(args.out, all);
}

template <typename Visitor>
void visit_operands(SwigluArgs& args, Visitor& visitor) {
  const std::size_t bytes = operands::count(args.count, 4);
  visitor.in(args.gate, bytes);
  visitor.in(args.up, bytes);
  visitor.out(args.out, bytes);
}

template <typename Visitor>
void visit_operands(RmsNormArgs& args, Visitor& visitor) {
  const std::size_t row = operands::count(args.k, 4);
  visitor.in(args.x, row * operands::count(args.t));
  visitor.in(args.w, row);
  visitor.out(args.y, row * operands::count(args.t));
}

template <typename Visitor>
void visit_operands(RopeArgs& args, Visitor& visitor) {
  const std::size_t table = operands::count(args.first_position + args.t, args.head_dim / 2, 4);
  visitor.in(args.cosine, table);
  visitor.in(args.sine, table);
  visitor.out(args.x, operands::count(args.t, args.heads, args.head_dim) * 4);
}

template <typename Visitor>
void visit_operands(KvStoreArgs& args, Visitor& visitor) {
  const std::size_t rows = operands::count(args.t, args.kv_heads, args.head_dim) * 4;
  const std::size_t cache = operands::cache_bytes(args, args.first_position + args.t);
  visitor.in(args.k, rows);
  visitor.in(args.v, rows);
  visitor.out(args.k_cache, cache);
  visitor.out(args.v_cache, cache);
  visitor.out(args.nonfinite, sizeof(std::uint64_t));
}

template <typename Visitor>
void visit_operands(AttentionDecodeArgs& args, Visitor& visitor) {
  const std::size_t row = operands::count(args.heads, args.head_dim, 4);
  const std::size_t cache = operands::cache_bytes(args, args.nkv);
  visitor.in(args.q, row);
  visitor.in(args.k_cache, cache);
  visitor.in(args.v_cache, cache);
  visitor.out(args.out, row);
}

template <typename Visitor>
void visit_operands(AttentionPrefillArgs& args, Visitor& visitor) {
  const std::size_t rows = operands::count(args.t, args.heads, args.head_dim) * 4;
  const std::size_t cache = operands::cache_bytes(args, args.past + args.t);
  visitor.in(args.q, rows);
  visitor.in(args.k_cache, cache);
  visitor.in(args.v_cache, cache);
  visitor.out(args.out, rows);
}

template <typename Visitor>
void visit_operands(QuantizeActivationsArgs& args, Visitor& visitor) {
  visitor.in(args.x, operands::count(args.t, args.k, 4));
  operands::visit_quantized(args.out, operands::count(args.t, args.k), visitor, true);
  visitor.out(args.nonfinite, sizeof(std::uint64_t));
}

template <typename Visitor>
void visit_operands(HalveActivationsArgs& args, Visitor& visitor) {
  visitor.in(args.x, operands::count(args.t, args.k, 4));
  operands::visit_halved(args.out, args.t, args.k, visitor);
  visitor.out(args.nonfinite, sizeof(std::uint64_t));
}

template <typename Visitor>
void visit_operands(EmbedArgs& args, Visitor& visitor) {
  const std::size_t row = row_bytes(args.dtype, static_cast<std::size_t>(args.k));
  visitor.weights(args.table, row * operands::count(args.vocab));
  visitor.in(args.tokens, operands::count(args.t, 4));
  visitor.out(args.out, operands::count(args.t, args.k, 4));
}

template <typename Visitor>
void visit_operands(ArgmaxArgs& args, Visitor& visitor) {
  visitor.in(args.x, operands::count(args.k, 4));
  visitor.out(args.index, sizeof(std::int32_t));
  visitor.out(args.value, sizeof(float));
  visitor.out(args.second, sizeof(float));
}

template <typename Visitor>
void visit_operands(AddRmsNormQuantizeArgs& args, Visitor& visitor) {
  operands::visit_residual_norm(args, visitor);
  operands::visit_quantized(args.out, operands::count(args.t, args.k), visitor, true);
}

template <typename Visitor>
void visit_operands(AddRmsNormHalveArgs& args, Visitor& visitor) {
  operands::visit_residual_norm(args, visitor);
  operands::visit_halved(args.out, args.t, args.k, visitor);
}

template <typename Visitor>
void visit_operands(SwigluQuantizeArgs& args, Visitor& visitor) {
  operands::visit_gate_up(args, visitor);
  operands::visit_quantized(args.out, operands::count(args.t, args.k), visitor, true);
}

template <typename Visitor>
void visit_operands(SwigluHalveArgs& args, Visitor& visitor) {
  operands::visit_gate_up(args, visitor);
  operands::visit_halved(args.out, args.t, args.k, visitor);
}

template <typename Visitor>
void visit_operands(RopeStoreArgs& args, Visitor& visitor) {
  const std::size_t q_head = operands::count(args.heads, args.head_dim, 4);
  const std::size_t kv_head = operands::count(args.kv_heads, args.head_dim, 4);
  const std::size_t rows = operands::count(args.t);
  const std::size_t table = operands::count(args.first_position + args.t, args.head_dim / 2, 4);
  const std::size_t cache = operands::cache_bytes(args, args.first_position + args.t);
  visitor.out(args.q, rows * q_head);
  visitor.out(args.k, rows * kv_head);
  visitor.out(args.v, rows * kv_head);
  visitor.in(args.q_bias, q_head);
  visitor.in(args.k_bias, kv_head);
  visitor.in(args.v_bias, kv_head);
  visitor.in(args.cosine, table);
  visitor.in(args.sine, table);
  visitor.out(args.k_cache, cache);
  visitor.out(args.v_cache, cache);
  visitor.out(args.nonfinite, sizeof(std::uint64_t));
}

// `weight_bytes`: of the whole matrix, which only the op's name tells.
template <typename Visitor>
void visit_operands(MatvecArgs& args, std::size_t weight_bytes, Visitor& visitor) {
  visitor.weights(args.weights, weight_bytes);
  visitor.in(args.x, operands::count(args.k, 4));
  operands::visit_quantized(args.xq, operands::count(args.k), visitor, false);
  visitor.out(args.y, operands::count(args.n, 4));
}

template <typename Visitor>
void visit_operands(MatmulArgs& args, std::size_t weight_bytes, Visitor& visitor) {
  const std::int64_t room = cuda_padded_rows(args.t);
  visitor.weights(args.weights, weight_bytes);
  visitor.in(args.x, operands::count(args.t, args.k, 4));
  operands::visit_quantized(args.xq, operands::count(args.t, args.k), visitor, false);
  visitor.padded_in(args.xh.h, operands::count(args.t, args.k, 2),
                    operands::count(room, args.k, 2));
  visitor.in(args.xh.scale, operands::count(args.t, 4));
  visitor.padded_out(args.y, operands::count(args.t, args.n, 4), operands::count(room, args.n, 4));
}

}  // namespace assay
