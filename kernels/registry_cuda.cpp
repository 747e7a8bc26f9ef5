// Pairs the infos of CUDA variants with their launch functions.
#include "kernels/registry_cuda.h"

#include <map>
#include <vector>

#include "engine/core/error.h"
#include "kernels/linked_cuda_variants.h"

namespace assay {
namespace {

std::vector<CudaVariant> join() {
  std::map<std::string_view, LinkedCudaVariant> linked;
  for (const LinkedCudaVariant& variant : linked_cuda_variants()) {
    linked.emplace(variant.symbol, variant);
  }
  std::vector<CudaVariant> registered;
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) {
      const auto found = linked.find(info.symbol);
      if (found == linked.end()) continue;
      registered.push_back({&info, found->second.launch, found->second.launches});
      linked.erase(found);
    }
  }
  if (!linked.empty()) {
    throw Error(ErrorKind::kInternal, "variant registry: launch symbol " +
                                          std::string(linked.begin()->first) +
                                          " has no VariantInfo; list it in its op's variants.cpp");
  }
  return registered;
}

}  // namespace

std::span<const CudaVariant> cuda_registry() {
  static const std::vector<CudaVariant> registered = join();
  return registered;
}

const CudaVariant* find_cuda_variant(std::string_view id) {
  for (const CudaVariant& variant : cuda_registry()) {
    if (variant.info->id == id) return &variant;
  }
  return nullptr;
}

bool has_cuda_code() {
  return true;
}

}  // namespace assay
