// The tensor-core instructions that the mma mechanisms share: f16 operands, f32 accumulators.
//
// Lane l of a warp has g = l / 4 and c = l % 4. Of mma_m16n8k16, D (16, 8) += A (16, 16) B (16, 8):
//   a[0] A[g][2c, 2c+1]  a[1] A[g+8][2c, 2c+1]  a[2] A[g][2c+8, 2c+9]  a[3] A[g+8][2c+8, 2c+9]
//   b0   B[2c, 2c+1][g]  b1   B[2c+8, 2c+9][g]
//   d[0], d[1] D[g][2c, 2c+1]   d[2], d[3] D[g+8][2c, 2c+1]
// load_matrices reads four 8 x 8 matrices of halves whose rows are 16 contiguous bytes: lane l
// gives the address of row l % 8 of matrix l / 8, and gets of matrix i the elements [g][2c, 2c+1]
// in r[i]; the transposed form gets [2c, 2c+1][g].
#pragma once

#include <cstdint>

namespace assay::cuda {

__device__ __forceinline__ void load_matrices(std::uint32_t (&r)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

__device__ __forceinline__ void load_matrices_transposed(std::uint32_t (&r)[4],
                                                         std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

__device__ __forceinline__ void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4],
                                             std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace assay::cuda
