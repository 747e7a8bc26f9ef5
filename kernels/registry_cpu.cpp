// Pairs every listed variant with its code, where this program has the code.
//
// The infos give the order and the text, the linked lists give the addresses; the launch symbol
// joins the two. A linked symbol without an info, or one listed twice, is a fault of the lists.
#include "kernels/registry.h"

#include <map>
#include <vector>

#include "engine/core/error.h"
#include "kernels/linked_variants.h"

namespace assay {
namespace {

std::vector<RegisteredVariant> join() {
  std::map<std::string_view, const LinkedVariant*> linked;
  for (const std::span<const LinkedVariant> list : {portable_variants(), machine_variants()}) {
    for (const LinkedVariant& variant : list) {
      if (!linked.emplace(variant.symbol, &variant).second) {
        throw Error(ErrorKind::kInternal, "variant registry: launch symbol " +
                                              std::string(variant.symbol) +
                                              " is listed twice; remove one line");
      }
    }
  }
  std::vector<RegisteredVariant> registered;
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) {
      const auto found = linked.find(info.symbol);
      if (found == linked.end()) continue;  // known, not built here
      registered.push_back({&info, found->second->launch, found->second->launches});
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

std::span<const RegisteredVariant> cpu_registry() {
  static const std::vector<RegisteredVariant> registered = join();
  return registered;
}

const RegisteredVariant* find_cpu_variant(std::string_view id) {
  for (const RegisteredVariant& variant : cpu_registry()) {
    if (variant.info->id == id) return &variant;
  }
  return nullptr;
}

}  // namespace assay
