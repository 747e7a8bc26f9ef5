// A token row's bits do not depend on the batch: t = 33 equals 33 times t = 1, and equals matvec.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/core/cpu.h"
#include "kernels/matvec/linear_case.h"
#include "kernels/registry.h"

namespace assay {
namespace {

struct Param {
  DType dtype;
  DataKind kind;
};

class RowInvariance : public testing::TestWithParam<Param> {};

std::vector<const RegisteredVariant*> runnable(const std::string& op) {
  std::vector<const RegisteredVariant*> found;
  for (const RegisteredVariant& variant : cpu_registry()) {
    if (parse_variant_id(variant.info->id)->op == op && offers(cpu_level(), variant.info->needs)) {
      found.push_back(&variant);
    }
  }
  return found;
}

TEST_P(RowInvariance, BatchEqualsSingleRowsAndMatvec) {
  constexpr int kTokens = 33;
  constexpr int kRows = 37;
  const std::string suffix(traits(GetParam().dtype).suffix);
  const int k = traits(GetParam().dtype).block == 256 ? 768 : 352;
  const CaseSpec spec{"", GetParam().kind, {{"n", kRows}, {"k", k}, {"t", kTokens}}, 31, false};
  LinearCase bound(GetParam().dtype, spec);
  ThreadPool pool(2);
  Launch launch{pool};
  std::vector<float> row(kRows);
  for (const RegisteredVariant* variant : runnable("matmul_" + suffix)) {
    SCOPED_TRACE(variant->info->id);
    bound.poison();
    bound.launch(variant->launch, launch);
    const std::vector<std::byte> batch(bound.output().begin(), bound.output().end());
    for (int i = 0; i < kTokens; ++i) {
      const std::byte* in_batch = batch.data() + static_cast<std::size_t>(i) * kRows * 4;
      bound.launch_row(variant->launch, launch, i, false, row.data());
      ASSERT_EQ(std::memcmp(in_batch, row.data(), kRows * 4), 0) << "t = 1, token " << i;
    }
    for (const RegisteredVariant* single : runnable("matvec_" + suffix)) {
      for (int i = 0; i < kTokens; ++i) {
        const std::byte* in_batch = batch.data() + static_cast<std::size_t>(i) * kRows * 4;
        bound.launch_row(single->launch, launch, i, true, row.data());
        ASSERT_EQ(std::memcmp(in_batch, row.data(), kRows * 4), 0)
            << single->info->id << ", token " << i;
      }
    }
  }
}

std::vector<Param> all_params() {
  std::vector<Param> params;
  for (const DTypeTraits& type : all_dtypes()) {
    for (const DataKind kind : {DataKind::kMild, DataKind::kGiant, DataKind::kExact}) {
      params.push_back({type.dtype, kind});
    }
  }
  return params;
}

INSTANTIATE_TEST_SUITE_P(Types, RowInvariance, testing::ValuesIn(all_params()), [](const auto& of) {
  return std::string(traits(of.param.dtype).suffix) + "_" + std::string(to_string(of.param.kind));
});

}  // namespace
}  // namespace assay
