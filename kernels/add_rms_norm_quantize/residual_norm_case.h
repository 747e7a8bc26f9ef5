// Cases of the ops that add a residual, norm it and bring it into a form: operands, fp64 values and
// error bounds, for either form.
//
// The residual must be exact (the f32 rounding of an fp64 sum). The normed row's error before
// rounding is rms_norm's budget (kernels/rms_norm/reference.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/formed_rows.h"

namespace assay {

enum class ResidualNormEdge { kNone, kBeyondF32 };

// `k`: row lengths on both sides of every change of path in the kernels.
inline std::vector<CaseSpec> residual_norm_cases(std::span<const int> lengths, std::uint64_t seed) {
  std::vector<CaseSpec> specs;
  const auto add = [&](DataKind kind, int t, int k, bool adds,
                       ResidualNormEdge edge = ResidualNormEdge::kNone) {
    std::string name = "t=" + std::to_string(t) + " k=" + std::to_string(k) +
                       (adds ? "" : " without r") +
                       (edge == ResidualNormEdge::kBeyondF32 ? " beyond f32" : "") + " " +
                       std::string(to_string(kind));
    specs.push_back({std::move(name),
                     kind,
                     {{"t", t}, {"k", k}, {"adds", adds}, {"edge", static_cast<int>(edge)}},
                     seed++,
                     false});
  };
  for (const int k : lengths) {
    add(DataKind::kMild, 1, k, true);
    add(DataKind::kMild, k > 4096 ? 2 : 11, k, k % 64 == 0);
  }
  for (const DataKind kind : {DataKind::kOutlier, DataKind::kGiant, DataKind::kExact}) {
    add(kind, 1, 1536, true);
    add(kind, 33, 96, true);
  }
  add(DataKind::kZero, 3, 128, true);
  add(DataKind::kMild, 1, 3584, false);
  add(DataKind::kMild, 130, 512, true);
  add(DataKind::kMild, 3, 160, true, ResidualNormEdge::kBeyondF32);
  add(DataKind::kMild, 1, 2560, false, ResidualNormEdge::kBeyondF32);
  return specs;
}

inline CaseCost residual_norm_cost(const CaseSpec& spec) {
  const double elements = static_cast<double>(spec.dim("t")) * spec.dim("k");
  return {elements * (spec.dim("adds") != 0 ? 13 : 5), 6 * elements};
}

// Output: QuantizedOutput or HalvedOutput; Args: the op's.
template <typename Args, typename Output>
class ResidualNormCase : public BoundCase {
 public:
  explicit ResidualNormCase(const CaseSpec& spec)
      : t_(spec.dim("t")),
        k_(spec.dim("k")),
        adds_(spec.dim("adds") != 0),
        x_(static_cast<std::size_t>(t_) * static_cast<std::size_t>(k_)),
        r_(x_.size()),
        w_(static_cast<std::size_t>(k_)),
        normed_(x_.size() * sizeof(float)),
        out_(x_.size() * sizeof(float), t_, k_) {
    CaseRandom random(spec.seed);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] = random.draw(spec.kind, i);
      r_[i] = random.draw(spec.kind, i + 7);
    }
    for (std::size_t i = 0; i < w_.size(); ++i) {  // a few channels of 16, as real norms have
      w_[i] = i % 61 == 3 ? 16.0f : 1 + random.normal() / 4;
    }
    if (spec.dim("edge") == static_cast<int>(ResidualNormEdge::kBeyondF32)) {
      for (std::size_t i = 7; i < w_.size(); i += 61) w_[i] = 3e38f;
    }
    poison();
  }
  void poison() override {
    out_.poison();
    normed_.poison();
    std::copy(x_.begin(), x_.end(), x_place());
  }
  void launch(LaunchFunction function, Launch& launch) override {
    const Args args{.x = x_place(),
                    .r = adds_ ? r_.data() : nullptr,
                    .w = w_.data(),
                    .normed = normed_.as<float>(),
                    .out = out_.rows(),
                    .t = t_,
                    .k = k_,
                    .eps = kEps,
                    .nonfinite = out_.counter()};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return out_.bytes(); }
  std::vector<double> values() const override {
    const auto* x = reinterpret_cast<const float*>(out_.front());
    std::vector<double> values(x, x + x_.size());
    out_.append_values(values);
    return values;
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    value.clear();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double sum = static_cast<double>(x_[i]) + (adds_ ? static_cast<double>(r_[i]) : 0.0);
      value.push_back(static_cast<float>(sum));
    }
    budget.assign(value.size(), 0.0);
    const UnroundedRows exact = normed_rows(value);
    Output::append_expected(exact, k_, value, budget);
  }
  bool guards_intact() const override { return out_.intact() && normed_.intact(); }

 private:
  static constexpr float kEps = 1e-6f;

  float* x_place() { return reinterpret_cast<float*>(out_.front()); }

  // The norm of rows (t, k) of exact f32 values.
  UnroundedRows normed_rows(const std::vector<double>& x) const {
    const auto k = static_cast<std::size_t>(k_);
    const double relative = 0x1p-24 * (std::sqrt(k_ / 8.0 + 3) / 2 + 4);
    UnroundedRows rows;
    for (std::size_t at = 0; at < x.size(); at += k) {
      double squares = 0;
      for (std::size_t i = at; i < at + k; ++i) squares += x[i] * x[i];
      const double inverse = 1 / std::sqrt(squares / k_ + static_cast<double>(kEps));
      for (std::size_t i = 0; i < k; ++i) {
        rows.value.push_back(x[at + i] * inverse * static_cast<double>(w_[i]));
        rows.error.push_back(relative * std::fabs(rows.value.back()) + 16 * 0x1p-149);
      }
    }
    return rows;
  }

  int t_;
  int k_;
  bool adds_;
  std::vector<float> x_;  // (t, k)
  std::vector<float> r_;  // (t, k)
  std::vector<float> w_;  // (k)
  GuardedBuffer normed_;  // (t, k), scratch
  Output out_;            // x (t, k), the rows, the counter
};

}  // namespace assay
