// Faults that the references must see: each is a small, believable mistake in a kernel, and the
// worst error over the op's cases must leave the budget; the kernel without it stays inside.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/attention_decode/attention_decode.h"
#include "kernels/attention_prefill/attention_prefill.h"
#include "kernels/kv_store/kv_store.h"
#include "kernels/reference.h"
#include "kernels/registry.h"
#include "kernels/rms_norm/rms_norm.h"
#include "kernels/rope/rope.h"
#include "kernels/swiglu/swiglu.h"

namespace assay {
namespace {

float to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u);
}

void run(const char* id, const void* args, Launch& launch) {
  find_cpu_variant(id)->launch(args, launch);
}

// Worst |error| / budget of a kernel over the cases of an op.
double worst_ratio(std::string_view op, LaunchFunction kernel) {
  const OpReference& reference = *find_reference(op);
  ThreadPool pool(1);
  Launch launch{pool};
  double worst = 0;
  for (const CaseSpec& spec : reference.cases()) {
    const auto bound = reference.bind(spec);
    std::vector<double> value;
    std::vector<double> budget;
    bound->expected(value, budget);
    bound->poison();
    bound->launch(kernel, launch);
    worst = std::max(worst, worst_error_ratio(bound->values(), value, budget));
  }
  return worst;
}

void decode_bf16_scale(const void* raw, Launch& launch) {
  AttentionDecodeArgs args = *static_cast<const AttentionDecodeArgs*>(raw);
  args.scale = to_bf16(args.scale);
  run("attention_decode.cpu.portable[tkv=32]", &args, launch);
}

void prefill_bf16_scale(const void* raw, Launch& launch) {
  AttentionPrefillArgs args = *static_cast<const AttentionPrefillArgs*>(raw);
  args.scale = to_bf16(args.scale);
  run("attention_prefill.cpu.portable[tkv=32]", &args, launch);
}

void decode_short_by_one(const void* raw, Launch& launch) {
  AttentionDecodeArgs args = *static_cast<const AttentionDecodeArgs*>(raw);
  args.nkv = std::max(1, args.nkv - 1);
  run("attention_decode.cpu.portable[tkv=32]", &args, launch);
}

void prefill_sees_one_more(const void* raw, Launch& launch) {
  AttentionPrefillArgs args = *static_cast<const AttentionPrefillArgs*>(raw);
  args.past += 1;
  run("attention_prefill.cpu.portable[tkv=32]", &args, launch);
}

// Query head h reads kv head h % kv_heads.
void decode_wrong_head_map(const void* raw, Launch& launch) {
  const auto& args = *static_cast<const AttentionDecodeArgs*>(raw);
  for (int h = 0; h < args.heads; ++h) {
    AttentionDecodeArgs one = args;
    one.q += h * args.head_dim;
    one.out += h * args.head_dim;
    one.k_cache += h % args.kv_heads * args.head_stride;
    one.v_cache += h % args.kv_heads * args.head_stride;
    one.heads = 1;
    one.kv_heads = 1;
    run("attention_decode.cpu.portable[tkv=32]", &one, launch);
  }
}

void norm_eps_forgotten(const void* raw, Launch& launch) {
  RmsNormArgs args = *static_cast<const RmsNormArgs*>(raw);
  args.eps = 0;
  run("rms_norm.cpu.portable", &args, launch);
}

// Drops the last eight elements of the sum of squares, as a wrong tail would.
void norm_short_tail(const void* raw, Launch&) {
  const auto& args = *static_cast<const RmsNormArgs*>(raw);
  for (int t = 0; t < args.t; ++t) {
    double squares = 0;
    for (int i = 0; i + 8 < args.k; ++i) squares += std::pow(args.x[t * args.k + i], 2.0);
    const double inverse = 1 / std::sqrt(squares / args.k + args.eps);
    for (int i = 0; i < args.k; ++i) {
      args.y[t * args.k + i] = static_cast<float>(args.x[t * args.k + i] * inverse * args.w[i]);
    }
  }
}

void rope_one_position_late(const void* raw, Launch& launch) {
  RopeArgs args = *static_cast<const RopeArgs*>(raw);
  args.cosine += args.head_dim / 2;
  args.sine += args.head_dim / 2;
  run("rope.cpu.portable", &args, launch);
}

// An exponential good to 22 bits instead of 24.
void swiglu_coarse(const void* raw, Launch&) {
  const auto& args = *static_cast<const SwigluArgs*>(raw);
  for (std::int64_t i = 0; i < args.count; ++i) {
    const double e = std::exp(-static_cast<double>(args.gate[i])) * (1 + 0x1p-21);
    args.out[i] = static_cast<float>(args.gate[i] / (1 + e) * args.up[i]);
  }
}

void store_truncating(const void* raw, Launch& launch) {
  KvStoreArgs args = *static_cast<const KvStoreArgs*>(raw);
  const auto count = static_cast<std::size_t>(args.t * args.kv_heads * args.head_dim);
  std::vector<float> k(args.k, args.k + count);
  for (float& x : k) {  // towards zero at f16's eleven bits
    x = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffe000u);
  }
  args.k = k.data();
  run("kv_store.cpu.portable", &args, launch);
}

struct Fault {
  const char* name;
  const char* op;
  LaunchFunction kernel;
};

class PlantedFault : public testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, LeavesTheBudget) {
  const double ratio = worst_ratio(GetParam().op, GetParam().kernel);
  std::printf("%s: worst |error| / budget %.3g\n", GetParam().name, ratio);
  EXPECT_GT(ratio, 1.0);
}

INSTANTIATE_TEST_SUITE_P(
    Ops, PlantedFault,
    testing::Values(Fault{"decode_bf16_scale", "attention_decode", decode_bf16_scale},
                    Fault{"decode_short_by_one", "attention_decode", decode_short_by_one},
                    Fault{"decode_wrong_head_map", "attention_decode", decode_wrong_head_map},
                    Fault{"prefill_bf16_scale", "attention_prefill", prefill_bf16_scale},
                    Fault{"prefill_sees_one_more", "attention_prefill", prefill_sees_one_more},
                    Fault{"norm_eps_forgotten", "rms_norm", norm_eps_forgotten},
                    Fault{"norm_short_tail", "rms_norm", norm_short_tail},
                    Fault{"rope_one_position_late", "rope", rope_one_position_late},
                    Fault{"swiglu_coarse", "swiglu", swiglu_coarse},
                    Fault{"store_truncating", "kv_store", store_truncating}),
    [](const auto& fault) { return std::string(fault.param.name); });

}  // namespace
}  // namespace assay
