// References of matvec, one per weight type; all by LinearCase.
#include "kernels/matvec/linear_case.h"
#include "kernels/ops.h"

namespace assay {

OpReference matvec_f32_reference() {
  return {"matvec_f32", [] { return matvec_cases(DType::kF32); }, bind_linear<DType::kF32>,
          cost_linear<DType::kF32>};
}
OpReference matvec_f16_reference() {
  return {"matvec_f16", [] { return matvec_cases(DType::kF16); }, bind_linear<DType::kF16>,
          cost_linear<DType::kF16>};
}
OpReference matvec_bf16_reference() {
  return {"matvec_bf16", [] { return matvec_cases(DType::kBF16); }, bind_linear<DType::kBF16>,
          cost_linear<DType::kBF16>};
}
OpReference matvec_q4_0_reference() {
  return {"matvec_q4_0", [] { return matvec_cases(DType::kQ4_0); }, bind_linear<DType::kQ4_0>,
          cost_linear<DType::kQ4_0>};
}
OpReference matvec_q4_1_reference() {
  return {"matvec_q4_1", [] { return matvec_cases(DType::kQ4_1); }, bind_linear<DType::kQ4_1>,
          cost_linear<DType::kQ4_1>};
}
OpReference matvec_q5_0_reference() {
  return {"matvec_q5_0", [] { return matvec_cases(DType::kQ5_0); }, bind_linear<DType::kQ5_0>,
          cost_linear<DType::kQ5_0>};
}
OpReference matvec_q5_1_reference() {
  return {"matvec_q5_1", [] { return matvec_cases(DType::kQ5_1); }, bind_linear<DType::kQ5_1>,
          cost_linear<DType::kQ5_1>};
}
OpReference matvec_q8_0_reference() {
  return {"matvec_q8_0", [] { return matvec_cases(DType::kQ8_0); }, bind_linear<DType::kQ8_0>,
          cost_linear<DType::kQ8_0>};
}
OpReference matvec_q4k_reference() {
  return {"matvec_q4k", [] { return matvec_cases(DType::kQ4K); }, bind_linear<DType::kQ4K>,
          cost_linear<DType::kQ4K>};
}
OpReference matvec_q5k_reference() {
  return {"matvec_q5k", [] { return matvec_cases(DType::kQ5K); }, bind_linear<DType::kQ5K>,
          cost_linear<DType::kQ5K>};
}
OpReference matvec_q6k_reference() {
  return {"matvec_q6k", [] { return matvec_cases(DType::kQ6K); }, bind_linear<DType::kQ6K>,
          cost_linear<DType::kQ6K>};
}

}  // namespace assay
