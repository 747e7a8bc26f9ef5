// One case of matvec or matmul, for any weight type: operands, fp64 values, budgets.
//
// The values are those of the operands that a kernel receives: weights by their exact formula,
// activations quantised where the weight type wants that. Method of the budget: README.md here.
#pragma once

#include <memory>
#include <vector>

#include "kernels/halve_activations/halve_activations.h"
#include "kernels/quantize_activations/reference_quantize.h"
#include "kernels/reference.h"

namespace assay {

class LinearCase : public BoundCase {
 public:
  // dims n, k, and t for matmul (absent: the case is a matvec).
  LinearCase(DType dtype, const CaseSpec& spec);

  void poison() override { y_.poison(); }
  void launch(LaunchFunction function, Launch& launch) override;
  std::span<const std::byte> output() const override { return {y_.data(), y_.size()}; }
  std::vector<double> values() const override;
  void expected(std::vector<double>& value, std::vector<double>& budget) const override;
  bool guards_intact() const override { return y_.intact(); }

  // For tests: the weights, which they may damage, and one token row as a case of its own.
  std::span<std::byte> weights() { return {weights_.data(), weights_.size()}; }
  void launch_row(LaunchFunction function, Launch& launch, int token, bool matvec, float* y);

 private:
  QuantizedRows quantized_row(int token);
  HalfRows halved_row(int token);
  void halve();

  DType dtype_;
  bool matvec_;
  int n_;
  int k_;
  int t_;
  ActivationForm reads_;               // what `expected` speaks of
  GuardedBuffer weights_;              // (n, k)
  std::vector<float> x_;               // (t, k)
  QuantizedStorage xq_;                // of x
  std::vector<std::uint16_t> halves_;  // of x, (t, k)
  std::vector<float> half_scales_;     // (t)
  GuardedBuffer y_;                    // (t, n)
};

// The cases of matvec_<dtype> and of matmul_<dtype>.
std::vector<CaseSpec> matvec_cases(DType dtype);
std::vector<CaseSpec> matmul_cases(DType dtype);

CaseCost linear_cost(DType dtype, const CaseSpec& spec);

template <DType kDType>
std::unique_ptr<BoundCase> bind_linear(const CaseSpec& spec) {
  return std::make_unique<LinearCase>(kDType, spec);
}
template <DType kDType>
CaseCost cost_linear(const CaseSpec& spec) {
  return linear_cost(kDType, spec);
}

}  // namespace assay
