#include "engine/replay/cuda_service.h"

#include <gtest/gtest.h>

#include "kernels/registry_cuda.h"

namespace assay::replay {
namespace {

std::string always(const ServiceSelection& service, const std::string& op) {
  const std::vector<ServiceRow>& rows = service.at(op);
  return rows.size() == 1 && rows[0].key.empty() ? rows[0].variant : "";
}

TEST(CudaService, HasOneRowForEveryRegisteredOp) {
  const ServiceSelection service = cuda_service(false);
  for (const CudaVariant& variant : cuda_registry()) {
    const std::string op(variant.info->id.substr(0, variant.info->id.find('.')));
    EXPECT_TRUE(always(service, op).starts_with(op + ".cuda.")) << op;
  }
  EXPECT_EQ(always(service, "attention_decode"), "attention_decode.cuda.packed[splits=64]");
  EXPECT_EQ(always(service, "attention_prefill"), "attention_prefill.cuda.mma[tq=64,tkv=64]");
  EXPECT_EQ(always(service, "matmul_q4k"), "matmul_q4k.cuda.cublaslt");
}

TEST(CudaService, FusesCompoundOpsWhereAsked) {
  EXPECT_EQ(always(cuda_service(false), "rope_store"), "rope_store.cuda.separate");
  EXPECT_EQ(always(cuda_service(true), "rope_store"), "rope_store.cuda.fused");
  EXPECT_EQ(always(cuda_service(true), "add"), "add.cuda.vector");
}

TEST(CudaService, OtherSplitsAndRowsNameRegisteredVariants) {
  ServiceSelection service = with_matvec_rows(with_splits_by_length(cuda_service(false)), 2);
  EXPECT_EQ(always(service, "matvec_q6k"), "matvec_q6k.cuda.warp[rows=2]");
  EXPECT_EQ(always(with_splits(service, 128), "attention_decode"), splits_variant(128));
  EXPECT_EQ(select_row(service["attention_decode"], {.t = 1, .nkv = 1024})->variant,
            splits_variant(32));
  EXPECT_EQ(select_row(service["attention_decode"], {.t = 1, .nkv = 1025})->variant,
            splits_variant(64));
  EXPECT_EQ(select_row(service["attention_decode"], {.t = 1, .nkv = 2049})->variant,
            splits_variant(128));
  for (const auto& [op, rows] : service) {
    for (const ServiceRow& row : rows) EXPECT_NE(find_cuda_variant(row.variant), nullptr) << op;
  }
}

}  // namespace
}  // namespace assay::replay
