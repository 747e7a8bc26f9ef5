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
#define ASSAY_SPIN(cycles)                                                                     \
  planted("add.cuda.planted_spin[cycles=" #cycles "]", "add_cuda_planted_spin_cycles" #cycles, \
          "kernels/planted/cuda_planted_spin.cu",                                              \
          "planted: right, and late by " #cycles " clock cycles")
    ASSAY_SPIN(0),
    ASSAY_SPIN(925),
    ASSAY_SPIN(1850),
    ASSAY_SPIN(3700),
    ASSAY_SPIN(5800),
    ASSAY_SPIN(7400),
    ASSAY_SPIN(18500),
    ASSAY_SPIN(11600),
    ASSAY_SPIN(23200),
    ASSAY_SPIN(46400),
    ASSAY_SPIN(92800),
    ASSAY_SPIN(116000),
    ASSAY_SPIN(232000),
#undef ASSAY_SPIN
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
