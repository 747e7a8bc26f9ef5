#include "kernels/selection.h"

#include "kernels/variant.h"

namespace assay {
namespace {

// The first variant of the op with this mechanism on CUDA; null where it has none.
const VariantInfo* cuda_variant_of(std::string_view op, std::string_view mechanism) {
  for (const VariantInfo& info : find_op(op)->variants) {
    const std::optional<VariantName> name = parse_variant_id(info.id);
    if (name->backend == "cuda" && name->mechanism == mechanism) return &info;
  }
  return nullptr;
}

}  // namespace

const ServiceRow* select_row(std::span<const ServiceRow> rows, const Problem& problem) {
  for (const ServiceRow& row : rows) {
    if (row.key.empty()) return &row;
    const int value = row.key == "nkv" ? problem.nkv : problem.t;
    if (value >= row.low && value <= row.high) return &row;
  }
  return nullptr;
}

ServiceSelection with_own_gemm(ServiceSelection service) {
  for (auto& [op, rows] : service) {
    for (ServiceRow& row : rows) {
      const std::optional<VariantName> name = parse_variant_id(row.variant);
      if (!name || name->backend != "cuda" || name->mechanism != "cublaslt") continue;
      row.variant = cuda_variant_of(op, "mma")->id;
    }
  }
  return service;
}

}  // namespace assay
