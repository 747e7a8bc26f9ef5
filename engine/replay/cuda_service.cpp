#include "engine/replay/cuda_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "kernels/registry_cuda.h"

namespace assay::replay {
namespace {

constexpr std::array<std::string_view, 2> kInService{"attention_decode.cuda.packed[splits=64]",
                                                     "attention_prefill.cuda.mma[tq=64,tkv=64]"};

bool preferred(std::string_view id, bool fused_ops) {
  if (std::find(kInService.begin(), kInService.end(), id) != kInService.end()) return true;
  return fused_ops && parse_variant_id(id)->mechanism == "fused";
}

}  // namespace

ServiceSelection cuda_service(bool fused_ops) {
  ServiceSelection service;
  for (const CudaVariant& variant : cuda_registry()) {
    const std::string id(variant.info->id);
    std::vector<ServiceRow>& rows = service[id.substr(0, id.find('.'))];
    if (rows.empty() || preferred(id, fused_ops)) rows = {{.key = "", .variant = id}};
  }
  return service;
}

std::string splits_variant(int splits) {
  return fmt::format("attention_decode.cuda.packed[splits={}]", splits);
}

ServiceSelection with_splits(ServiceSelection service, int splits) {
  service["attention_decode"] = {{.key = "", .variant = splits_variant(splits)}};
  return service;
}

ServiceSelection with_splits_by_length(ServiceSelection service) {
  service["attention_decode"] = {
      {.key = "nkv", .low = 1, .high = kFirstEdge, .variant = splits_variant(32)},
      {.key = "nkv", .low = kFirstEdge + 1, .high = kSecondEdge, .variant = splits_variant(64)},
      {.key = "nkv",
       .low = kSecondEdge + 1,
       .high = std::numeric_limits<int>::max(),
       .variant = splits_variant(128)}};
  return service;
}

ServiceSelection with_matvec_rows(ServiceSelection service, int rows) {
  for (auto& [op, served] : service) {
    if (!op.starts_with("matvec_")) continue;
    served = {{.key = "", .variant = fmt::format("{}.cuda.warp[rows={}]", op, rows)}};
  }
  return service;
}

}  // namespace assay::replay
