// References of matmul, one per weight type; all by LinearCase.
#include "kernels/matvec/linear_case.h"
#include "kernels/ops.h"

namespace assay {

OpReference matmul_f32_reference() {
  return {"matmul_f32", [] { return matmul_cases(DType::kF32); }, bind_linear<DType::kF32>,
          cost_linear<DType::kF32>};
}
OpReference matmul_f16_reference() {
  return {"matmul_f16", [] { return matmul_cases(DType::kF16); }, bind_linear<DType::kF16>,
          cost_linear<DType::kF16>};
}
OpReference matmul_bf16_reference() {
  return {"matmul_bf16", [] { return matmul_cases(DType::kBF16); }, bind_linear<DType::kBF16>,
          cost_linear<DType::kBF16>};
}
OpReference matmul_q4_0_reference() {
  return {"matmul_q4_0", [] { return matmul_cases(DType::kQ4_0); }, bind_linear<DType::kQ4_0>,
          cost_linear<DType::kQ4_0>};
}
OpReference matmul_q4_1_reference() {
  return {"matmul_q4_1", [] { return matmul_cases(DType::kQ4_1); }, bind_linear<DType::kQ4_1>,
          cost_linear<DType::kQ4_1>};
}
OpReference matmul_q5_0_reference() {
  return {"matmul_q5_0", [] { return matmul_cases(DType::kQ5_0); }, bind_linear<DType::kQ5_0>,
          cost_linear<DType::kQ5_0>};
}
OpReference matmul_q5_1_reference() {
  return {"matmul_q5_1", [] { return matmul_cases(DType::kQ5_1); }, bind_linear<DType::kQ5_1>,
          cost_linear<DType::kQ5_1>};
}
OpReference matmul_q8_0_reference() {
  return {"matmul_q8_0", [] { return matmul_cases(DType::kQ8_0); }, bind_linear<DType::kQ8_0>,
          cost_linear<DType::kQ8_0>};
}
OpReference matmul_q4k_reference() {
  return {"matmul_q4k", [] { return matmul_cases(DType::kQ4K); }, bind_linear<DType::kQ4K>,
          cost_linear<DType::kQ4K>};
}
OpReference matmul_q5k_reference() {
  return {"matmul_q5k", [] { return matmul_cases(DType::kQ5K); }, bind_linear<DType::kQ5K>,
          cost_linear<DType::kQ5K>};
}
OpReference matmul_q6k_reference() {
  return {"matmul_q6k", [] { return matmul_cases(DType::kQ6K); }, bind_linear<DType::kQ6K>,
          cost_linear<DType::kQ6K>};
}

}  // namespace assay
