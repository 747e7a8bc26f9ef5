// Every CUDA variant that this GPU can run, on every case of its op.
//
// The operands of the CPU's cases go to the device (cuda_stage.h), so that references and budgets
// are the same. Per launch: the output starts as NaN between canaries; afterwards the canaries
// stand, inputs are untouched, the variant's counter has risen by one, errors are within budget,
// and a second launch gives the same bits. Variants of one arithmetic give equal bits; element-wise
// ops whose definition is one sequence of IEEE operations give the CPU's (compound ops: those of
// their parts on the CPU, one after the other).
//
// Without a GPU the program says so and exits with 77, which CTest shows as skipped.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "kernels/compound_parts.h"
#include "kernels/cuda_stage.h"
#include "kernels/reference.h"
#include "kernels/registry.h"
#include "kernels/registry_cuda.h"

namespace assay {
namespace {

// Ops whose results are defined bit for bit, on every backend.
const std::set<std::string_view> kSameBitsAsCpu = {
    "add",        "argmax", "embed",        "halve_activations", "kv_store", "quantize_activations",
    "rope_store", "rope",   "swiglu_halve", "swiglu_quantize",   "swiglu"};

// Whether a variant's order of additions is the engine's to say; the vendor's GEMM has its own.
bool has_our_order(const VariantName& name) {
  return name.mechanism != "cublaslt";
}

// Ops of one row whose position a decode step reads from the device.
bool takes_position(const CaseSpec& spec, std::string_view op) {
  if (op == "attention_decode") return true;
  return (op == "rope" || op == "kv_store" || op == "rope_store") && spec.dim("t") == 1;
}

std::vector<const CudaVariant*> runnable() {
  const DeviceLevel device = cuda_device(cuda_capability());
  std::vector<const CudaVariant*> found;
  for (const CudaVariant& variant : cuda_registry()) {
    if (offers(device, variant.info->needs)) found.push_back(&variant);
  }
  return found;
}

std::string op_of(const CudaVariant& variant) {
  return parse_variant_id(variant.info->id)->op;
}

// What the first variant of an op and arithmetic gave, by case.
struct FirstOutput {
  std::string_view variant;
  std::vector<std::byte> bytes;
};

bool equal(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

class CudaConformance : public testing::TestWithParam<const CudaVariant*> {
 protected:
  static inline ThreadPool pool_{8};
  // By op, arithmetic, form of the activations and case.
  static inline std::map<std::string, FirstOutput> first_outputs_;

  void expect_bits_of_the_first(const CudaVariant& variant, const OpReference& reference,
                                const CaseSpec& spec, const std::vector<std::byte>& bytes) {
    if (!has_our_order(*parse_variant_id(variant.info->id))) return;
    const std::string key = std::string(reference.op) + " " +
                            arithmetic_of(reference, *variant.info) +
                            (spec.reads == ActivationForm::kHalf ? "half " : "") + spec.name;
    const auto [first, added] = first_outputs_.emplace(key, FirstOutput{variant.info->id, bytes});
    EXPECT_TRUE(added || equal(first->second.bytes, bytes))
        << "differs from the bits of " << first->second.variant;
  }

  std::vector<std::byte> checked_launch(BoundCase& bound, const CudaVariant& variant,
                                        CudaStage& stage) {
    bound.poison();
    const std::uint64_t before = *variant.launches;
    Launch launch{pool_, &stage};
    bound.launch(stage.function(), launch);
    EXPECT_EQ(*variant.launches - before, 1u);
    EXPECT_TRUE(stage.canaries_intact()) << "wrote outside an output";
    EXPECT_TRUE(bound.guards_intact());
    const std::span<const std::byte> output = bound.output();
    return {output.begin(), output.end()};
  }

  std::vector<std::byte> cpu_output(BoundCase& bound, const std::string& op) {
    bound.poison();
    Launch launch{pool_};
    const LaunchFunction parts = cpu_parts_of(op);
    bound.launch(
        parts != nullptr ? parts : find_cpu_variant(find_op(op)->variants.front().id)->launch,
        launch);
    const std::span<const std::byte> output = bound.output();
    return {output.begin(), output.end()};
  }
};

TEST_P(CudaConformance, OnEveryCase) {
  const CudaVariant& variant = *GetParam();
  const std::string op = op_of(variant);
  const OpReference& reference = *find_reference(op);
  CudaStage stage(variant);
  double worst = 0;
  bool any_budget = false;
  for (CaseSpec spec : reference.cases()) {
    SCOPED_TRACE(spec.name);
    spec.reads = variant.info->reads;
    const auto bound = reference.bind(spec);
    std::vector<double> value;
    std::vector<double> budget;
    bound->expected(value, budget);
    for (const double b : budget) any_budget = any_budget || b != 0;
    stage.set_position_on_device(false);
    const std::vector<std::byte> first = checked_launch(*bound, variant, stage);
    std::size_t at = 0;
    const double ratio = worst_error_ratio(bound->values(), value, budget, &at);
    EXPECT_LE(ratio, 1.0) << "value " << at << " is " << bound->values()[at] << ", expected "
                          << value[at] << " within " << budget[at];
    worst = std::max(worst, ratio);
    EXPECT_TRUE(equal(first, checked_launch(*bound, variant, stage))) << "another launch differs";
    expect_bits_of_the_first(variant, reference, spec, first);
    if (takes_position(spec, op)) {
      stage.set_position_on_device(true);
      EXPECT_TRUE(equal(first, checked_launch(*bound, variant, stage)))
          << "differs when the position is read from the device";
    }
    if (kSameBitsAsCpu.contains(op)) {
      EXPECT_TRUE(equal(first, cpu_output(*bound, op))) << "differs from the CPU's bits";
    }
  }
  std::printf("%s: %llu launches, worst |error| / budget %.3f\n",
              std::string(variant.info->id).c_str(),
              static_cast<unsigned long long>(*variant.launches), worst);
  if (any_budget) {
    EXPECT_GE(worst, 0.02) << "the budget is too wide to see a fault";
    EXPECT_LE(worst, 0.8) << "the budget is too tight for a correct kernel";
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, CudaConformance, testing::ValuesIn(runnable()),
                         [](const auto& variant) {
                           return std::string(variant.param->info->symbol);
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CudaConformance);

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  std::string why;
  if (assay::cuda_capability(&why) == 0) {
    std::printf("skipped: %s\n", why.c_str());
    return 77;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
