// The vendor's GEMM library (cuBLASLt), found when the program runs.
//
// The library is no dependency of the build's result: dlopen looks for it, and where it is absent
// the variants that need it say so. One plan per (n, k) fixes the algorithm: the heuristic's first
// answer for 512 rows that splits no sum over K and reduces nothing afterwards, never one chosen by
// timing. The same plan serves every number of rows, so that a row's bits do not depend on it; rows
// are padded to cuda_padded_rows (kernels/cuda_launch.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace assay {

// y = x W^T of row-major matrices, f16 x f16 -> f32, sums in f32.
struct CublasGemm {
  const void* weights;  // (n, k) f16
  const void* x;        // (rows, k) f16
  float* y;             // (rows, n)
  int rows;             // of x and y in memory, padding included
  int n;
  int k;
  void* workspace;  // 256-byte aligned
  std::size_t workspace_bytes;
  void* stream;  // cudaStream_t
};

class CublasLt {
 public:
  // For the current device. Null where no library can be loaded, or where the environment hides it
  // (ASSAY_CUBLASLT=off, to see a machine without it); Error(kEnvironment) where one is there but
  // lacks a function or refuses to start.
  static std::unique_ptr<CublasLt> open();
  // Whether open() would find a library; nothing is started.
  static bool there();
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  // Makes the plan of (n, k), if there is none yet. Error(kEnvironment) where no algorithm fits.
  void prepare(int n, int k);
  // Enqueues; prepares (n, k) where that was not done. Waits for nothing and allocates nothing on
  // the device. Error(kInternal) where it fails, or an earlier kernel of this process did.
  void multiply(const CublasGemm& gemm);
  // The library's version and each plan's algorithm, one line each, by rising (n, k).
  std::string describe() const;

 private:
  struct State;
  explicit CublasLt(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Error(kEnvironment): the variant of `op` that needs the library cannot serve without it.
[[noreturn]] void refuse_without_cublaslt(const std::string& op);

}  // namespace assay
