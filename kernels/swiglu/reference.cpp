// swiglu against fp64. Budget, with u = 2^-24: the exponential is off by up to 2 ulp (4 u) of
// itself, of which e / (1 + e) reaches the quotient; addition, division and product round once
// each: at most 7 u, and rarely all at their worst, so B = 6 u |out|. Added: |up| 2^-119 for gates
// below -87.3, where the kernels' exponential ends (x e^x is less than that), and the smallest f32.
#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/ops.h"
#include "kernels/swiglu/swiglu.h"

namespace assay {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kDenormal = 0x1p-149;

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 7000;
  const auto add = [&](DataKind kind, int count, bool in_place, bool bench) {
    std::string name = "count=" + std::to_string(count) + (in_place ? " in place" : "") + " " +
                       std::string(to_string(kind));
    specs.push_back(
        {std::move(name), kind, {{"count", count}, {"in_place", in_place}}, seed++, bench});
  };
  for (int count = 1; count <= 17; ++count) {
    add(DataKind::kMild, count, count % 2 == 0, false);
  }
  add(DataKind::kOutlier, 5000, false, false);
  add(DataKind::kGiant, 5003, true, false);
  add(DataKind::kExact, 1000, false, false);
  add(DataKind::kZero, 100, false, false);
  add(DataKind::kMild, 4096, true, false);
  add(DataKind::kMild, 4097, true, false);
  add(DataKind::kMild, 8192, false, true);
  add(DataKind::kMild, 128 * 1536, false, true);
  return specs;
}

class SwigluCase : public BoundCase {
 public:
  explicit SwigluCase(const CaseSpec& spec)
      : in_place_(spec.dim("in_place") != 0),
        gate_(static_cast<std::size_t>(spec.dim("count"))),
        up_(gate_.size()),
        out_(gate_.size() * sizeof(float)) {
    CaseRandom random(spec.seed);
    for (std::size_t i = 0; i < gate_.size(); ++i) {
      gate_[i] = random.draw(spec.kind, i);
      up_[i] = random.draw(spec.kind, i + 11);
    }
    poison();
  }
  void poison() override {
    out_.poison();
    if (in_place_) std::copy(gate_.begin(), gate_.end(), out_.as<float>());
  }
  void launch(LaunchFunction function, Launch& launch) override {
    const SwigluArgs args{.gate = in_place_ ? out_.as<float>() : gate_.data(),
                          .up = up_.data(),
                          .out = out_.as<float>(),
                          .count = static_cast<std::int64_t>(gate_.size())};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return {out_.data(), out_.size()}; }
  std::vector<double> values() const override {
    return {out_.as<float>(), out_.as<float>() + gate_.size()};
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    value.resize(gate_.size());
    budget.resize(gate_.size());
    for (std::size_t i = 0; i < gate_.size(); ++i) {
      const double gate = gate_[i];
      value[i] = gate / (1 + std::exp(-gate)) * up_[i];
      const double edge = std::fabs(up_[i]) * (gate < -87 ? 0x1p-119 : kDenormal);
      budget[i] = gate == 0 ? 0 : 6 * kUnit * std::fabs(value[i]) + edge + 2 * kDenormal;
    }
  }
  bool guards_intact() const override { return out_.intact(); }

 private:
  bool in_place_;
  std::vector<float> gate_;
  std::vector<float> up_;
  GuardedBuffer out_;
};

CaseCost cost(const CaseSpec& spec) {
  const double elements = spec.dim("count");
  return {3 * elements * 4, 20 * elements};
}

}  // namespace

OpReference swiglu_reference() {
  return {"swiglu", cases,
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<SwigluCase>(spec);
          },
          cost};
}

}  // namespace assay
