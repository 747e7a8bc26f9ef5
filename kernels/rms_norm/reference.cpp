// rms_norm against fp64. Budget, with u = 2^-24 and n = k / 8 + 3 additions on the longest way:
// the sum of squares is off by about u sqrt(n) of itself (rounding to nearest has no drift, so the
// root and not n even though all terms have one sign), of which the square root passes on half;
// division by k, addition of eps, square root, reciprocal and two products round once each.
// B = (u sqrt(n) / 2 + 4 u) |y|, plus the smallest f32 for results that are subnormal.
#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/ops.h"
#include "kernels/rms_norm/rms_norm.h"

namespace assay {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kDenormal = 0x1p-149;
constexpr float kEps = 1e-6f;

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 2000;
  const auto add = [&](DataKind kind, int t, int k, bool in_place, bool bench) {
    std::string name = "t=" + std::to_string(t) + " k=" + std::to_string(k) +
                       (in_place ? " in place" : "") + " " + std::string(to_string(kind));
    specs.push_back(
        {std::move(name), kind, {{"t", t}, {"k", k}, {"in_place", in_place}}, seed++, bench});
  };
  for (const int k : {8, 16, 24, 32, 40, 64, 128, 264}) {
    add(DataKind::kMild, 1, k, false, false);
    add(DataKind::kMild, 5, k, true, false);
  }
  for (const DataKind kind : {DataKind::kOutlier, DataKind::kGiant, DataKind::kExact}) {
    add(kind, 1, 1536, false, false);
    add(kind, 33, 120, true, false);
  }
  add(DataKind::kZero, 3, 128, false, false);
  add(DataKind::kMild, 1, 1536, false, true);
  add(DataKind::kMild, 128, 512, false, true);
  return specs;
}

class RmsNormCase : public BoundCase {
 public:
  explicit RmsNormCase(const CaseSpec& spec)
      : t_(spec.dim("t")),
        k_(spec.dim("k")),
        in_place_(spec.dim("in_place") != 0),
        x_(static_cast<std::size_t>(t_) * static_cast<std::size_t>(k_)),
        w_(static_cast<std::size_t>(k_)),
        y_(x_.size() * sizeof(float)) {
    CaseRandom random(spec.seed);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = random.draw(spec.kind, i);
    for (std::size_t i = 0; i < w_.size(); ++i) {  // a few channels of 16, as real norms have
      w_[i] = i % 61 == 3 ? 16.0f : 1 + random.normal() / 4;
    }
    poison();
  }
  void poison() override {
    y_.poison();
    if (in_place_) std::copy(x_.begin(), x_.end(), y_.as<float>());
  }
  void launch(LaunchFunction function, Launch& launch) override {
    const RmsNormArgs args{.x = in_place_ ? y_.as<float>() : x_.data(),
                           .w = w_.data(),
                           .y = y_.as<float>(),
                           .t = t_,
                           .k = k_,
                           .eps = kEps};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return {y_.data(), y_.size()}; }
  std::vector<double> values() const override {
    return {y_.as<float>(), y_.as<float>() + x_.size()};
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    const std::size_t k = w_.size();
    const double relative = kUnit * (std::sqrt(static_cast<double>(k) / 8 + 3) / 2 + 4);
    value.resize(x_.size());
    budget.resize(x_.size());
    for (std::size_t row = 0; row < x_.size(); row += k) {
      double squares = 0;
      for (std::size_t i = 0; i < k; ++i) {
        squares += static_cast<double>(x_[row + i]) * static_cast<double>(x_[row + i]);
      }
      const double inverse = 1 / std::sqrt(squares / static_cast<double>(k) + kEps);
      for (std::size_t i = 0; i < k; ++i) {
        value[row + i] = x_[row + i] * inverse * w_[i];
        budget[row + i] =
            x_[row + i] == 0 ? 0 : relative * std::fabs(value[row + i]) + 16 * kDenormal;
      }
    }
  }
  bool guards_intact() const override { return y_.intact(); }

 private:
  int t_;
  int k_;
  bool in_place_;
  std::vector<float> x_;  // (t, k)
  std::vector<float> w_;  // (k)
  GuardedBuffer y_;       // (t, k)
};

CaseCost cost(const CaseSpec& spec) {
  const double elements = static_cast<double>(spec.dim("t")) * spec.dim("k");
  return {(2 * elements + spec.dim("k")) * 4, 4 * elements};
}

}  // namespace

OpReference rms_norm_reference() {
  return {"rms_norm", cases,
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<RmsNormCase>(spec);
          },
          cost};
}

}  // namespace assay
