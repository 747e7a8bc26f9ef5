// The tools that conformance stands on: error ratio, guards, draws.
#include "kernels/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/blocks.h"

namespace assay {
namespace {

const double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

double ratio(std::vector<double> value, std::vector<double> expected, std::vector<double> budget,
             std::size_t* at = nullptr) {
  return worst_error_ratio(value, expected, budget, at);
}

TEST(WorstErrorRatio, FindsTheLargest) {
  std::size_t at = 0;
  EXPECT_EQ(ratio({1, 2.5, 3}, {1, 2, 3.25}, {1, 1, 1}, &at), 0.5);
  EXPECT_EQ(at, 1u);
}

TEST(WorstErrorRatio, ZeroBudgetMeansEqual) {
  EXPECT_EQ(ratio({1, 2}, {1, 2}, {0, 0}), 0);
  EXPECT_EQ(ratio({1, std::nextafter(2.0, 3.0)}, {1, 2}, {0, 0}), kInfinity);
}

TEST(WorstErrorRatio, NotANumberIsInfinite) {
  EXPECT_EQ(ratio({kNaN}, {1}, {10}), kInfinity);
  EXPECT_EQ(ratio({kInfinity}, {1}, {10}), kInfinity);
  EXPECT_EQ(ratio({kInfinity}, {kInfinity}, {0}), 0);
  EXPECT_EQ(ratio({1}, {1, 2}, {1, 1}), kInfinity);
}

TEST(GuardedBuffer, IsAlignedPoisonedAndSeesWritesOnBothSides) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{4}, std::size_t{63}, std::size_t{256}}) {
    GuardedBuffer buffer(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(buffer.data()[i], std::byte{0xff});
    EXPECT_TRUE(buffer.intact());
    buffer.data()[size] = std::byte{0};
    EXPECT_FALSE(buffer.intact());
    buffer.poison();
    EXPECT_TRUE(buffer.intact());
    *(buffer.data() - 64) = std::byte{1};
    EXPECT_FALSE(buffer.intact());
  }
}

TEST(GuardedBuffer, PoisonIsNaN) {
  GuardedBuffer buffer(16);
  EXPECT_TRUE(std::isnan(buffer.as<float>()[3]));
  EXPECT_TRUE(std::isnan(half_to_float(buffer.as<std::uint16_t>()[7])));
}

TEST(CaseRandom, KnownSequence) {  // SplitMix64's published values for seed 1234567
  CaseRandom random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(CaseRandom, NormalHasMeanZeroAndVarianceOne) {
  CaseRandom random(9);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 100000; ++i) {
    const double v = random.normal();
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.02);
  EXPECT_NEAR(squares / 100000, 1, 0.02);
}

TEST(CaseRandom, KindsHaveTheirShapes) {
  CaseRandom random(3);
  int giants = 0;
  int denormals = 0;
  for (std::size_t i = 0; i < 970; ++i) {
    giants += std::fabs(random.draw(DataKind::kGiant, i)) >= 57 ? 1 : 0;
    int exponent = 0;
    EXPECT_EQ(std::fabs(std::frexp(random.draw(DataKind::kExact, i), &exponent)), 0.5);
    const float zero = random.draw(DataKind::kZero, i);
    EXPECT_LT(std::fabs(zero), 0x1p-126f);
    denormals += zero != 0 ? 1 : 0;
  }
  EXPECT_EQ(giants, 10);
  EXPECT_GT(denormals, 300);
}

TEST(CaseRandom, WeightsAreFiniteAndScaled) {
  for (const DTypeTraits& type : all_dtypes()) {
    const DType dtype = type.dtype;
    std::vector<std::byte> row(row_bytes(dtype, 512) * 16);
    CaseRandom(5).fill_weights(dtype, 16, 512, row.data());
    std::vector<float> w(512);
    double squares = 0;
    for (std::size_t r = 0; r < 16; ++r) {
      dequantize_row(dtype, row.data() + r * row_bytes(dtype, 512), 512, w.data());
      for (const float v : w) squares += static_cast<double>(v) * v;
    }
    const double deviation = std::sqrt(squares / (16 * 512)) * std::sqrt(512.0);
    EXPECT_GT(deviation, 0.3) << traits(dtype).name;
    EXPECT_LT(deviation, 3.0) << traits(dtype).name;
  }
}

TEST(CaseSpec, AbsentDimensionIsZero) {
  const CaseSpec spec{"n=3", DataKind::kMild, {{"n", 3}}, 1, false};
  EXPECT_EQ(spec.dim("n"), 3);
  EXPECT_EQ(spec.dim("t"), 0);
}

// By hand: weights once, activations once in their form, outputs once.
TEST(OpReference, CostIsThatOfTheShapeAndNothingIsDrawn) {
  const auto cost_of = [](std::string_view op, std::vector<std::pair<std::string, int>> dims,
                          ActivationForm reads = ActivationForm::kOfType) {
    const CaseSpec spec{.name = "x", .dims = std::move(dims), .reads = reads};
    return find_reference(op)->cost(spec);
  };
  const CaseCost matvec = cost_of("matvec_q4k", {{"n", 18944}, {"k", 3584}});
  EXPECT_EQ(matvec.bytes, 18944.0 * 14 * 144 + 3584 * 1.1875 + 18944 * 4.0);
  EXPECT_EQ(matvec.flops, 2.0 * 18944 * 3584);
  const CaseCost matmul =
      cost_of("matmul_f16", {{"n", 10}, {"k", 64}, {"t", 3}}, ActivationForm::kHalf);
  EXPECT_EQ(matmul.bytes, 10 * 64 * 2 + 3 * 64 * 2 + 3 * 10 * 4);
  EXPECT_EQ(matmul.flops, 2 * 10 * 64 * 3);
  const CaseCost decode =
      cost_of("attention_decode", {{"nkv", 100}, {"heads", 28}, {"group", 7}, {"d", 128}});
  EXPECT_EQ(decode.bytes, 2.0 * 100 * 4 * 128 * 2 + 2 * 28 * 128 * 4);
  EXPECT_EQ(decode.flops, 100.0 * 28 * 4 * 128);
}

TEST(OpReference, EveryCaseOfEveryOpCostsSomething) {
  for (const OpReference& reference : all_references()) {
    for (const CaseSpec& spec : reference.cases()) {
      const CaseCost cost = reference.cost(spec);
      EXPECT_GT(cost.bytes, 0) << reference.op << " " << spec.name;
      EXPECT_GE(cost.flops, 0) << reference.op << " " << spec.name;
    }
  }
}

}  // namespace
}  // namespace assay
