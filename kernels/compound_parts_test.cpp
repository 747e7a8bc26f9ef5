// The references of compound ops on a machine without a GPU: the parts on the CPU are within their
// budgets, and small, believable mistakes of a fused kernel are not.
#include "kernels/compound_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "kernels/add_rms_norm_halve/add_rms_norm_halve.h"
#include "kernels/add_rms_norm_quantize/add_rms_norm_quantize.h"
#include "kernels/reference.h"
#include "kernels/rope_store/rope_store.h"
#include "kernels/swiglu_halve/swiglu_halve.h"
#include "kernels/swiglu_quantize/swiglu_quantize.h"

namespace assay {
namespace {

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
    bound->launch(kernel, launch);
    EXPECT_TRUE(bound->guards_intact()) << spec.name;
    std::size_t at = 0;
    const double ratio = worst_error_ratio(bound->values(), value, budget, &at);
    if (ratio > worst) {
      std::printf("%s, %s: %.3g at %zu of %zu, %.9g for %.9g\n", std::string(op).c_str(),
                  spec.name.c_str(), ratio, at, value.size(), bound->values()[at], value[at]);
    }
    worst = std::max(worst, ratio);
  }
  return worst;
}

class CompoundParts : public testing::TestWithParam<const char*> {};

TEST_P(CompoundParts, AreWithinTheBudgetOfTheCompound) {
  const double worst = worst_ratio(GetParam(), cpu_parts_of(GetParam()));
  EXPECT_LE(worst, 0.8);
  EXPECT_GE(worst, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Ops, CompoundParts,
                         testing::Values("add_rms_norm_quantize", "add_rms_norm_halve",
                                         "swiglu_quantize", "swiglu_halve", "rope_store"),
                         [](const auto& op) { return std::string(op.param); });

TEST(CompoundPartsOf, OtherOpsHaveNone) {
  EXPECT_EQ(cpu_parts_of("rms_norm"), nullptr);
}

// The parts on changed arguments.
template <typename Args, typename Change>
void changed(const char* op, const void* raw, Launch& launch, const Change& change) {
  Args args = *static_cast<const Args*>(raw);
  change(args);
  cpu_parts_of(op)(&args, launch);
}

void residual_forgotten(const void* raw, Launch& launch) {
  changed<AddRmsNormQuantizeArgs>("add_rms_norm_quantize", raw, launch,
                                  [](auto& args) { args.r = nullptr; });
}

// The norm is right, but the sum is not written back.
void residual_not_kept(const void* raw, Launch& launch) {
  const auto& args = *static_cast<const AddRmsNormHalveArgs*>(raw);
  const std::vector<float> before(args.x, args.x + static_cast<std::ptrdiff_t>(args.t) * args.k);
  cpu_parts_of("add_rms_norm_halve")(raw, launch);
  std::copy(before.begin(), before.end(), args.x);
}

void last_block_not_quantized(const void* raw, Launch& launch) {
  const auto& args = *static_cast<const SwigluQuantizeArgs*>(raw);
  cpu_parts_of("swiglu_quantize")(raw, launch);
  std::fill_n(args.out.q + static_cast<std::ptrdiff_t>(args.t) * args.k - 4, 4, std::int8_t{0});
}

void scale_always_one(const void* raw, Launch& launch) {
  const auto& args = *static_cast<const SwigluHalveArgs*>(raw);
  cpu_parts_of("swiglu_halve")(raw, launch);
  std::fill_n(args.out.scale, args.t, 1.0f);
}

void counted_twice(const void* raw, Launch& launch) {
  const auto& args = *static_cast<const SwigluHalveArgs*>(raw);
  cpu_parts_of("swiglu_halve")(raw, launch);
  *args.nonfinite *= 2;
}

void key_bias_forgotten(const void* raw, Launch& launch) {
  changed<RopeStoreArgs>("rope_store", raw, launch, [](auto& args) { args.k_bias = nullptr; });
}

void values_of_another_bias(const void* raw, Launch& launch) {
  changed<RopeStoreArgs>("rope_store", raw, launch,
                         [](auto& args) { std::swap(args.k_bias, args.v_bias); });
}

void turned_one_position_late(const void* raw, Launch& launch) {
  changed<RopeStoreArgs>("rope_store", raw, launch, [](auto& args) {
    args.cosine += args.head_dim / 2;
    args.sine += args.head_dim / 2;
  });
}

void keys_and_values_exchanged(const void* raw, Launch& launch) {
  changed<RopeStoreArgs>("rope_store", raw, launch,
                         [](auto& args) { std::swap(args.k_cache, args.v_cache); });
}

struct Fault {
  const char* name;
  const char* op;
  LaunchFunction kernel;
};

class CompoundFault : public testing::TestWithParam<Fault> {};

TEST_P(CompoundFault, LeavesTheBudget) {
  EXPECT_GT(worst_ratio(GetParam().op, GetParam().kernel), 1.0);
}

INSTANTIATE_TEST_SUITE_P(
    Ops, CompoundFault,
    testing::Values(Fault{"residual_forgotten", "add_rms_norm_quantize", residual_forgotten},
                    Fault{"residual_not_kept", "add_rms_norm_halve", residual_not_kept},
                    Fault{"last_block_not_quantized", "swiglu_quantize", last_block_not_quantized},
                    Fault{"scale_always_one", "swiglu_halve", scale_always_one},
                    Fault{"counted_twice", "swiglu_halve", counted_twice},
                    Fault{"key_bias_forgotten", "rope_store", key_bias_forgotten},
                    Fault{"values_of_another_bias", "rope_store", values_of_another_bias},
                    Fault{"turned_one_position_late", "rope_store", turned_one_position_late},
                    Fault{"keys_and_values_exchanged", "rope_store", keys_and_values_exchanged}),
    [](const auto& fault) { return std::string(fault.param.name); });

}  // namespace
}  // namespace assay
