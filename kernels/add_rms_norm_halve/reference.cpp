// add_rms_norm_halve against fp64: the residual exactly, the halved norm as kernels/formed_rows.h
// says.
#include "kernels/add_rms_norm_halve/add_rms_norm_halve.h"
#include "kernels/add_rms_norm_quantize/residual_norm_case.h"
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr int kLengths[] = {8,    24,   64,   136,  256,  264,  1024, 1032, 2040,
                            2048, 2056, 3584, 4096, 4104, 5120, 8192, 8216};

}  // namespace

OpReference add_rms_norm_halve_reference() {
  return {"add_rms_norm_halve", [] { return residual_norm_cases(kLengths, 11000); },
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<ResidualNormCase<AddRmsNormHalveArgs, HalvedOutput>>(spec);
          },
          residual_norm_cost};
}

}  // namespace assay
