// References of matmul, one per weight type; all by LinearCase.
#include "kernels/matvec/linear_case.h"
#include "kernels/ops.h"

namespace assay {

OpReference matmul_f32_reference() {
  return {"matmul_f32", [] { return matmul_cases(DType::kF32); }, bind_linear<DType::kF32>};
}
OpReference matmul_f16_reference() {
  return {"matmul_f16", [] { return matmul_cases(DType::kF16); }, bind_linear<DType::kF16>};
}
OpReference matmul_q8_0_reference() {
  return {"matmul_q8_0", [] { return matmul_cases(DType::kQ8_0); }, bind_linear<DType::kQ8_0>};
}
OpReference matmul_q4k_reference() {
  return {"matmul_q4k", [] { return matmul_cases(DType::kQ4K); }, bind_linear<DType::kQ4K>};
}
OpReference matmul_q6k_reference() {
  return {"matmul_q6k", [] { return matmul_cases(DType::kQ6K); }, bind_linear<DType::kQ6K>};
}

}  // namespace assay
