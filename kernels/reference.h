// What an op declares about being right: cases, fp64 values, error budgets, bytes and flops.
//
// Each op implements OpReference once in kernels/<op>/reference.cpp. The conformance test, the
// parity gate (by the worker's request `kernel_cases`), and the benchmarks all read it.
//
// A case is drawn from its spec alone: the same spec gives the same operand bits in every process.
// Output buffers are poisoned with NaN (0xFF bytes) before each launch and have guard regions on
// both sides; inputs beyond the valid range (cache rows past nkv, pads of a stride) are NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/dtype.h"
#include "kernels/launch.h"
#include "kernels/variant.h"

namespace assay {

// How operands are drawn (engine.md: mild N(0,1); outlier N(0,1) + N(0,100) x Bernoulli(0.001);
// giant: sparse giants; exact: one-hot, constant, powers of two; zero: zero and denormal rows).
enum class DataKind { kMild, kOutlier, kGiant, kExact, kZero };
std::string_view to_string(DataKind kind);

struct CaseSpec {
  std::string name;  // "n=512 k=1024 mild"
  DataKind kind = DataKind::kMild;
  std::vector<std::pair<std::string, int>> dims;  // {"n", 512}, {"k", 1024}
  std::uint64_t seed = 1;
  bool bench = false;  // also a shape worth timing
  // Linear ops: the operands that expected values speak of; set by whoever runs the cases.
  ActivationForm reads = ActivationForm::kOfType;
  int dim(std::string_view key) const;  // 0 when absent
};

struct CaseCost {
  double bytes = 0;  // least bytes that must move
  double flops = 0;  // multiplications and additions
};

// One case with its operands in memory.
class BoundCase {
 public:
  virtual ~BoundCase() = default;
  virtual void poison() = 0;  // output to NaN bytes, guards rewritten
  virtual void launch(LaunchFunction function, Launch& launch) = 0;
  // The output as the kernel wrote it: raw bytes for memcmp between variants.
  virtual std::span<const std::byte> output() const = 0;
  // The output as numbers, (rows x cols) flattened, for comparison with `expected`.
  virtual std::vector<double> values() const = 0;
  // fp64 result on the operands that the kernel really receives, and the permitted |error| of each
  // value (0 means: must be equal).
  virtual void expected(std::vector<double>& value, std::vector<double>& budget) const = 0;
  virtual bool guards_intact() const = 0;
};

struct OpReference {
  std::string_view op;  // "matvec_q6k"
  std::vector<CaseSpec> (*cases)();
  std::unique_ptr<BoundCase> (*bind)(const CaseSpec& spec);
  CaseCost (*cost)(const CaseSpec& spec);  // from the dims alone: at any shape, nothing is drawn
  // Variant parameters that are part of the arithmetic, like a tile length over which sums
  // associate: variants that differ in one may give other bits, all others give the same.
  std::span<const std::string_view> arithmetic = {};
};

// Every op's reference (kernels/all_references.cpp), in the order of all_ops().
std::span<const OpReference> all_references();
const OpReference* find_reference(std::string_view op);
// The parameters of a variant that decide its bits, as text: "tkv=32 ", or "".
std::string arithmetic_of(const OpReference& reference, const VariantInfo& variant);

// Largest |value - expected| / budget; infinite when a value is NaN, or differs where the budget
// is 0. `at` receives the flat index.
double worst_error_ratio(std::span<const double> value, std::span<const double> expected,
                         std::span<const double> budget, std::size_t* at = nullptr);

// A float buffer between two guard regions of 64 bytes, 64-byte aligned, poisoned with NaN.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t bytes);
  void poison();
  bool intact() const;
  std::byte* data() { return storage_.data() + offset_; }
  const std::byte* data() const { return storage_.data() + offset_; }
  std::size_t size() const { return bytes_; }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data());
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data());
  }

 private:
  std::size_t bytes_;
  std::size_t offset_;
  std::vector<std::byte> storage_;
};

// Deterministic draws (SplitMix64; normals by sums that need no libm, so that every machine
// agrees).
class CaseRandom {
 public:
  explicit CaseRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform();                              // [0, 1)
  float normal();                                // about N(0, 1)
  float draw(DataKind kind, std::size_t index);  // one value of that kind
  // `k`-element row of valid blocks of a type, random codes and sensible scales.
  void fill_weights(DType dtype, int rows, int k, std::byte* out);

 private:
  std::uint64_t state_;
};

}  // namespace assay
