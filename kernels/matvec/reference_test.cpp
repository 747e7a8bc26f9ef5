// The budgets of matvec and matmul see a planted error: weights exact but for their block scale,
// which is rounded to bfloat16, in arithmetic that is otherwise fp64.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "kernels/blocks.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matvec/linear_case.h"
#include "kernels/matvec/matvec.h"

namespace assay {
namespace {

double to_bf16(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>((bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u);
}

// What a block's codes are multiplied with, by itself.
template <DType kDType>
double scale(const void* row, int i) {
  const auto of = [i](const auto* blocks, int elements) {
    return static_cast<double>(scale_of(blocks[i / elements], i % elements));
  };
  if constexpr (kDType == DType::kQ4_0) return of(static_cast<const BlockQ4_0*>(row), 32);
  if constexpr (kDType == DType::kQ4_1) return of(static_cast<const BlockQ4_1*>(row), 32);
  if constexpr (kDType == DType::kQ5_0) return of(static_cast<const BlockQ5_0*>(row), 32);
  if constexpr (kDType == DType::kQ5_1) return of(static_cast<const BlockQ5_1*>(row), 32);
  if constexpr (kDType == DType::kQ8_0) return of(static_cast<const BlockQ8_0*>(row), 32);
  if constexpr (kDType == DType::kQ4K) return of(static_cast<const BlockQ4K*>(row), 256);
  if constexpr (kDType == DType::kQ5K) return of(static_cast<const BlockQ5K*>(row), 256);
  if constexpr (kDType == DType::kQ6K) return of(static_cast<const BlockQ6K*>(row), 256);
}

template <DType kDType>
double weight(const void* row, int i, bool planted) {
  const WeightParts parts = weight_parts(kDType, row, i);
  const double exact = scale<kDType>(row, i);
  const double code = exact == 0 ? 0 : parts.product / exact;
  return (planted ? to_bf16(exact) : exact) * code - parts.offset;
}

template <DType kDType, bool kPlanted>
void launch_matvec(const void* args, Launch&) {
  const auto& a = *static_cast<const MatvecArgs*>(args);
  const std::size_t bytes = row_bytes(kDType, static_cast<std::size_t>(a.k));
  for (int r = 0; r < a.n; ++r) {
    const void* row =
        static_cast<const std::byte*>(a.weights) + static_cast<std::size_t>(r) * bytes;
    double sum = 0;
    for (int i = 0; i < a.k; ++i) {
      sum += weight<kDType>(row, i, kPlanted) * a.xq.q[i] * static_cast<double>(a.xq.d[i / 32]);
    }
    a.y[r] = static_cast<float>(sum);
  }
}

template <DType kDType>
double error_ratio(bool planted, DataKind kind) {
  const CaseSpec spec{"n=64 k=512", kind, {{"n", 64}, {"k", 512}}, 77, false};
  LinearCase bound(kDType, spec);
  ThreadPool pool(1);
  Launch launch{pool};
  bound.launch(planted ? launch_matvec<kDType, true> : launch_matvec<kDType, false>, launch);
  std::vector<double> value;
  std::vector<double> budget;
  bound.expected(value, budget);
  return worst_error_ratio(bound.values(), value, budget);
}

template <DType kDType>
void expect_planted_error_is_red() {
  for (const DataKind kind : {DataKind::kMild, DataKind::kOutlier, DataKind::kGiant}) {
    SCOPED_TRACE(std::string(traits(kDType).name) + " " + std::string(to_string(kind)));
    EXPECT_LT(error_ratio<kDType>(false, kind), 0.8);
    EXPECT_GT(error_ratio<kDType>(true, kind), 10.0);
  }
}

TEST(LinearBudget, ScaleInBfloat16IsRed) {
  expect_planted_error_is_red<DType::kQ4_0>();
  expect_planted_error_is_red<DType::kQ4_1>();
  expect_planted_error_is_red<DType::kQ5_0>();
  expect_planted_error_is_red<DType::kQ5_1>();
  expect_planted_error_is_red<DType::kQ8_0>();
  expect_planted_error_is_red<DType::kQ4K>();
  expect_planted_error_is_red<DType::kQ5K>();
  expect_planted_error_is_red<DType::kQ6K>();
}

// One 32-block left out of one row of one token.
TEST(LinearBudget, DroppedBlockIsRed) {
  const CaseSpec spec{"n=3 k=512", DataKind::kMild, {{"n", 3}, {"k", 512}}, 5, false};
  LinearCase bound(DType::kQ6K, spec);
  ThreadPool pool(1);
  Launch launch{pool};
  const auto drop = [](const void* args, Launch& unused) {
    launch_matvec<DType::kQ6K, false>(args, unused);
    const auto& a = *static_cast<const MatvecArgs*>(args);
    const auto* row = static_cast<const BlockQ6K*>(a.weights) + a.k / 256;  // row 1
    double block = 0;
    for (int i = 480; i < 512; ++i) {
      block += weight<DType::kQ6K>(row, i, false) * a.xq.q[i] * static_cast<double>(a.xq.d[15]);
    }
    a.y[1] = static_cast<float>(a.y[1] - block);
  };
  bound.launch(drop, launch);
  std::vector<double> value;
  std::vector<double> budget;
  bound.expected(value, budget);
  std::size_t at = 99;
  EXPECT_GT(worst_error_ratio(bound.values(), value, budget, &at), 1000.0);
  EXPECT_EQ(at, 1u);
}

}  // namespace
}  // namespace assay
