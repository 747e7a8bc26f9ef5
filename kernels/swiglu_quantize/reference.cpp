// swiglu_quantize against fp64, as kernels/formed_rows.h says.
#include "kernels/ops.h"
#include "kernels/swiglu_quantize/formed_swiglu_case.h"
#include "kernels/swiglu_quantize/swiglu_quantize.h"

namespace assay {
namespace {

constexpr int kLengths[] = {32, 64, 96, 480, 512, 544, 4096};

}  // namespace

OpReference swiglu_quantize_reference() {
  return {"swiglu_quantize", [] { return formed_swiglu_cases(kLengths, 12000); },
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<FormedSwigluCase<SwigluQuantizeArgs, QuantizedOutput>>(spec);
          },
          formed_swiglu_cost};
}

}  // namespace assay
