// add_rms_norm_quantize against fp64: the residual exactly, the quantised norm as
// kernels/formed_rows.h says.
#include "kernels/add_rms_norm_quantize/add_rms_norm_quantize.h"
#include "kernels/add_rms_norm_quantize/residual_norm_case.h"
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr int kLengths[] = {32,   64,   128,  224,  256,  288,  1024, 1056, 2016,
                            2048, 2080, 3584, 4096, 4128, 5120, 8192, 8256};

}  // namespace

OpReference add_rms_norm_quantize_reference() {
  return {
      "add_rms_norm_quantize", [] { return residual_norm_cases(kLengths, 10000); },
      [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
        return std::make_unique<ResidualNormCase<AddRmsNormQuantizeArgs, QuantizedOutput>>(spec);
      },
      residual_norm_cost};
}

}  // namespace assay
