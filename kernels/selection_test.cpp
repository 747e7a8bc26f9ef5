// Rows by problem, and what stands in for the vendor's GEMM where its library is absent.
#include "kernels/selection.h"

#include <gtest/gtest.h>

#include "kernels/variant.h"

namespace assay {
namespace {

TEST(Selection, TakesTheFirstRowWhoseRangeHoldsTheProblem) {
  const std::vector<ServiceRow> rows{{.key = "nkv", .low = 1, .high = 1024, .variant = "short"},
                                     {.key = "nkv", .low = 1025, .high = 4096, .variant = "long"}};
  EXPECT_EQ(select_row(rows, {.t = 1, .nkv = 1024})->variant, "short");
  EXPECT_EQ(select_row(rows, {.t = 1, .nkv = 1025})->variant, "long");
  EXPECT_EQ(select_row(rows, {.t = 1, .nkv = 4097}), nullptr);
}

TEST(Selection, OwnGemmReplacesTheVendorsAlone) {
  const ServiceSelection service = with_own_gemm(
      {{"matmul_q4k", {{.key = "", .variant = "matmul_q4k.cuda.cublaslt"}}},
       {"matmul_f16",
        {{.key = "t", .low = 1, .high = 64, .variant = "matmul_f16.cuda.mma[tile=128]"},
         {.key = "t", .low = 65, .variant = "matmul_f16.cuda.cublaslt"}}},
       {"add", {{.key = "", .variant = "add.cuda.vector"}}}});
  EXPECT_EQ(service.at("matmul_q4k").front().variant, "matmul_q4k.cuda.mma[tile=128]");
  EXPECT_EQ(service.at("matmul_f16").back().variant, "matmul_f16.cuda.mma[tile=128]");
  EXPECT_EQ(service.at("matmul_f16").back().low, 65);
  EXPECT_EQ(service.at("add").front().variant, "add.cuda.vector");
}

TEST(Selection, EveryVendorGemmHasOneOfOurOwn) {
  int vendors = 0;
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) {
      if (parse_variant_id(info.id)->mechanism != "cublaslt") continue;
      ++vendors;
      const ServiceSelection own =
          with_own_gemm({{std::string(op.op.op), {{.key = "", .variant = std::string(info.id)}}}});
      const std::string& served = own.at(std::string(op.op.op)).front().variant;
      EXPECT_EQ(parse_variant_id(served)->mechanism, "mma") << info.id;
    }
  }
  EXPECT_EQ(vendors, 11);
}

}  // namespace
}  // namespace assay
