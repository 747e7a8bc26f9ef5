#include "kernels/compound_parts.h"

#include <map>

#include "kernels/add/add.h"
#include "kernels/add_rms_norm_halve/add_rms_norm_halve.h"
#include "kernels/add_rms_norm_quantize/add_rms_norm_quantize.h"
#include "kernels/kv_store/kv_store.h"
#include "kernels/registry.h"
#include "kernels/rms_norm/rms_norm.h"
#include "kernels/rope/rope.h"
#include "kernels/rope_store/rope_store.h"
#include "kernels/swiglu/swiglu.h"
#include "kernels/swiglu_halve/swiglu_halve.h"
#include "kernels/swiglu_quantize/swiglu_quantize.h"

namespace assay {
namespace {

template <typename Args>
void run(const char* id, const Args& args, Launch& launch) {
  find_cpu_variant(id)->launch(&args, launch);
}

template <typename Args>
void quantize(const float* x, const Args& args, Launch& launch) {
  const QuantizeActivationsArgs part{
      .x = x, .out = args.out, .t = args.t, .k = args.k, .nonfinite = args.nonfinite};
  run("quantize_activations.cpu.portable", part, launch);
}

template <typename Args>
void halve(const float* x, const Args& args, Launch& launch) {
  const HalveActivationsArgs part{
      .x = x, .out = args.out, .t = args.t, .k = args.k, .nonfinite = args.nonfinite};
  run("halve_activations.cpu.portable", part, launch);
}

template <typename Args>
void add_and_norm(const Args& args, Launch& launch) {
  if (args.r != nullptr) {
    const AddArgs sum{
        .a = args.x, .b = args.r, .out = args.x, .t = args.t, .k = args.k, .broadcast = false};
    run("add.cpu.portable", sum, launch);
  }
  const RmsNormArgs norm{
      .x = args.x, .w = args.w, .y = args.normed, .t = args.t, .k = args.k, .eps = args.eps};
  run("rms_norm.cpu.portable", norm, launch);
}

void add_rms_norm_quantize(const void* raw, Launch& launch) {
  const auto& args = *static_cast<const AddRmsNormQuantizeArgs*>(raw);
  add_and_norm(args, launch);
  quantize(args.normed, args, launch);
}

void add_rms_norm_halve(const void* raw, Launch& launch) {
  const auto& args = *static_cast<const AddRmsNormHalveArgs*>(raw);
  add_and_norm(args, launch);
  halve(args.normed, args, launch);
}

template <typename Args>
void gate_up(const Args& args, Launch& launch) {
  const SwigluArgs product{.gate = args.gate,
                           .up = args.up,
                           .out = args.gate,
                           .count = static_cast<std::int64_t>(args.t) * args.k};
  run("swiglu.cpu.portable", product, launch);
}

void swiglu_quantize(const void* raw, Launch& launch) {
  const auto& args = *static_cast<const SwigluQuantizeArgs*>(raw);
  gate_up(args, launch);
  quantize(args.gate, args, launch);
}

void swiglu_halve(const void* raw, Launch& launch) {
  const auto& args = *static_cast<const SwigluHalveArgs*>(raw);
  gate_up(args, launch);
  halve(args.gate, args, launch);
}

void bias_and_turn(const RopeStoreArgs& args, float* x, const float* bias, int heads, bool turns,
                   Launch& launch) {
  if (bias != nullptr) {
    const AddArgs sum{
        .a = x, .b = bias, .out = x, .t = args.t, .k = heads * args.head_dim, .broadcast = true};
    run("add.cpu.portable", sum, launch);
  }
  if (!turns) return;
  const RopeArgs turn{.x = x,
                      .cosine = args.cosine,
                      .sine = args.sine,
                      .t = args.t,
                      .heads = heads,
                      .head_dim = args.head_dim,
                      .first_position = args.first_position,
                      .interleaved = args.interleaved};
  run("rope.cpu.portable", turn, launch);
}

void rope_store(const void* raw, Launch& launch) {
  const auto& args = *static_cast<const RopeStoreArgs*>(raw);
  bias_and_turn(args, args.q, args.q_bias, args.heads, true, launch);
  bias_and_turn(args, args.k, args.k_bias, args.kv_heads, true, launch);
  bias_and_turn(args, args.v, args.v_bias, args.kv_heads, false, launch);
  const KvStoreArgs store{.k = args.k,
                          .v = args.v,
                          .k_cache = args.k_cache,
                          .v_cache = args.v_cache,
                          .position_stride = args.position_stride,
                          .head_stride = args.head_stride,
                          .t = args.t,
                          .kv_heads = args.kv_heads,
                          .head_dim = args.head_dim,
                          .first_position = args.first_position,
                          .nonfinite = args.nonfinite};
  run("kv_store.cpu.portable", store, launch);
}

}  // namespace

LaunchFunction cpu_parts_of(std::string_view op) {
  static const std::map<std::string_view, LaunchFunction> parts = {
      {"add_rms_norm_quantize", add_rms_norm_quantize},
      {"add_rms_norm_halve", add_rms_norm_halve},
      {"swiglu_quantize", swiglu_quantize},
      {"swiglu_halve", swiglu_halve},
      {"rope_store", rope_store}};
  const auto found = parts.find(op);
  return found == parts.end() ? nullptr : found->second;
}

}  // namespace assay
