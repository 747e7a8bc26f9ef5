// Every op that the CPU has, every variant that this processor can run, every case.
//
// Per launch: the output starts as NaN between guards; afterwards the guards stand, the requested
// variant's counter has risen by one and no other's has, errors are within budget, and the bytes
// are those of the op's first variant with the same arithmetic at every thread count. Per op: the
// worst error of all cases is neither far below its budget (which would hide faults) nor near it.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "engine/core/cpu.h"
#include "kernels/reference.h"
#include "kernels/registry.h"

namespace assay {
namespace {

constexpr std::array kThreads = {1, 2, 3, 8};

std::vector<const RegisteredVariant*> runnable(std::string_view op) {
  std::vector<const RegisteredVariant*> found;
  for (const RegisteredVariant& variant : cpu_registry()) {
    const auto name = parse_variant_id(variant.info->id);
    if (name && name->op == op && offers(cpu_level(), variant.info->needs))
      found.push_back(&variant);
  }
  return found;
}

std::vector<std::uint64_t> launch_counts() {
  std::vector<std::uint64_t> counts;
  for (const RegisteredVariant& variant : cpu_registry()) counts.push_back(*variant.launches);
  return counts;
}

// The case's output after one launch that was checked for guards and counters.
std::vector<std::byte> checked_launch(BoundCase& bound, const RegisteredVariant& variant,
                                      ThreadPool& pool) {
  bound.poison();
  const std::vector<std::uint64_t> before = launch_counts();
  Launch launch{pool};
  bound.launch(variant.launch, launch);
  const std::vector<std::uint64_t> after = launch_counts();
  for (std::size_t i = 0; i < before.size(); ++i) {
    const RegisteredVariant& other = cpu_registry()[i];
    EXPECT_EQ(after[i] - before[i], &other == &variant ? 1u : 0u)
        << "launches of " << other.info->id;
  }
  EXPECT_TRUE(bound.guards_intact());
  const std::span<const std::byte> output = bound.output();
  return {output.begin(), output.end()};
}

class Conformance : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    for (const int threads : kThreads) pools_[threads] = std::make_unique<ThreadPool>(threads);
  }
  static void TearDownTestSuite() { pools_.clear(); }
  static inline std::map<int, std::unique_ptr<ThreadPool>> pools_;
};

void expect_not_trivial(const CaseSpec& spec, const std::vector<double>& value) {
  if (spec.kind == DataKind::kZero) return;
  bool nonzero = false;
  for (const double v : value) nonzero = nonzero || v != 0;
  EXPECT_TRUE(nonzero) << "every expected value is zero";
}

TEST_P(Conformance, EveryVariantOnEveryCase) {
  const OpReference& reference = *find_reference(GetParam());
  const auto variants = runnable(GetParam());
  ASSERT_FALSE(variants.empty());
  EXPECT_EQ(variants.front()->info->needs, CpuLevel::kPortable);
  double worst = 0;
  bool any_budget = false;
  for (const CaseSpec& spec : reference.cases()) {
    SCOPED_TRACE(spec.name);
    const auto bound = reference.bind(spec);
    std::vector<double> value;
    std::vector<double> budget;
    bound->expected(value, budget);
    expect_not_trivial(spec, value);
    for (const double b : budget) any_budget = any_budget || b != 0;
    std::map<std::string, std::vector<std::byte>> first_by_arithmetic;
    for (const RegisteredVariant* variant : variants) {
      std::vector<std::byte>& first = first_by_arithmetic[arithmetic_of(reference, *variant->info)];
      for (const int threads : kThreads) {
        SCOPED_TRACE(std::string(variant->info->id) + " on " + std::to_string(threads) +
                     " threads");
        const auto bytes = checked_launch(*bound, *variant, *pools_[threads]);
        if (first.empty()) {
          first = bytes;
          std::size_t at = 0;
          const double ratio = worst_error_ratio(bound->values(), value, budget, &at);
          EXPECT_LE(ratio, 1.0) << "value " << at << " is " << bound->values()[at] << ", expected "
                                << value[at] << " within " << budget[at];
          worst = std::max(worst, ratio);
        }
        ASSERT_EQ(bytes.size(), first.size());
        ASSERT_EQ(std::memcmp(bytes.data(), first.data(), bytes.size()), 0)
            << "differs from the first variant of this arithmetic on one thread";
      }
    }
  }
  RecordProperty("worst_error_ratio", std::to_string(worst));
  std::printf("%s: worst |error| / budget %.3f\n", GetParam().c_str(), worst);
  if (any_budget) {
    EXPECT_GE(worst, 0.05) << "the budget is too wide to see a fault";
    EXPECT_LE(worst, 0.8) << "the budget is too tight for a correct kernel";
  }
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const OpReference& reference : all_references()) {
    if (find_op(reference.op)->variants.front().needs.backend != BackendKind::kCpu) continue;
    names.emplace_back(reference.op);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Ops, Conformance, testing::ValuesIn(op_names()),
                         [](const auto& op) { return op.param; });

}  // namespace
}  // namespace assay
