// All ops with their variants, and the planted ones of add; in place of kernels/all_variants.cpp.
#include <array>
#include <vector>

#include "kernels/ops.h"

namespace assay {
namespace {

constexpr std::string_view kSource = "kernels/planted/cuda_planted.cu";
constexpr std::string_view kSharedSource = "kernels/planted/cuda_planted_shared.cu";

constexpr VariantInfo planted(std::string_view id, std::string_view symbol, std::string_view source,
                              std::string_view summary) {
  return {id, symbol, source, CudaLevel::kSm80, {}, summary};
}

constexpr std::array kPlanted = {
    planted("add.cuda.planted[fault=none]", "add_cuda_planted_faultnone", kSource,
            "control of the planted faults"),
    planted("add.cuda.planted[fault=tail]", "add_cuda_planted_faulttail", kSource,
            "planted: leaves out the end of a row"),
    planted("add.cuda.planted[fault=fallback]", "add_cuda_planted_faultfallback", kSource,
            "planted: calls the launcher in service"),
    planted("add.cuda.planted[fault=address]", "add_cuda_planted_faultaddress", kSource,
            "planted: writes where there is no memory"),
    planted("add.cuda.planted[fault=endless]", "add_cuda_planted_faultendless", kSource,
            "planted: never ends"),
    planted("add.cuda.planted_shared[fault=none]", "add_cuda_planted_shared_faultnone",
            kSharedSource, "control: 64 KiB of shared memory"),
    planted("add.cuda.planted_shared[fault=opt_in]", "add_cuda_planted_shared_faultopt_in",
            kSharedSource, "planted: 512 KiB of shared memory"),
};

OpVariants with_planted(const OpVariants& op) {
  if (op.op.op != "add") return op;
  static const std::vector<VariantInfo> all = [&] {
    std::vector<VariantInfo> infos(op.variants.begin(), op.variants.end());
    infos.insert(infos.end(), kPlanted.begin(), kPlanted.end());
    return infos;
  }();
  return {op.op, all};
}

}  // namespace

std::span<const OpVariants> all_ops() {
  static const std::vector<OpVariants> ops = {
#define ASSAY_OP(name) with_planted(name##_variants()),
#include "kernels/ops.inc"
#undef ASSAY_OP
  };
  return ops;
}

}  // namespace assay
