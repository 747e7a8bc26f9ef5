// swiglu_halve against fp64, as kernels/formed_rows.h says.
#include "kernels/ops.h"
#include "kernels/swiglu_halve/swiglu_halve.h"
#include "kernels/swiglu_quantize/formed_swiglu_case.h"

namespace assay {
namespace {

constexpr int kLengths[] = {4, 8, 68, 512, 2044, 2048, 2052, 4100};

}  // namespace

OpReference swiglu_halve_reference() {
  return {"swiglu_halve", [] { return formed_swiglu_cases(kLengths, 13000); },
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<FormedSwigluCase<SwigluHalveArgs, HalvedOutput>>(spec);
          },
          formed_swiglu_cost};
}

}  // namespace assay
