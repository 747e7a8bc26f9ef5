// halve_activations must be exact: every budget is 0, on halves, scales and the counter.
//
// The expected values come from frexp and fp64 division, not from the kernel's integer exponents.
// Besides drawn data there are edges: amax at both ends of the range that needs no scale, 1e5,
// subnormal rows, NaN and infinities.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "engine/core/half.h"
#include "kernels/halve_activations/halve_activations.h"
#include "kernels/ops.h"

namespace assay {
namespace {

enum Edge {
  kNone = 0,
  kAmax1e5,
  kAtTop,
  kAboveTop,
  kAtBottom,
  kBelowBottom,
  kSubnormal,
  kNonfinite
};

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 9000;
  const auto add = [&](DataKind kind, int t, int k, int edge, std::string_view note, bool bench) {
    std::string name = "t=" + std::to_string(t) + " k=" + std::to_string(k) + " " +
                       std::string(note.empty() ? to_string(kind) : note);
    specs.push_back({std::move(name), kind, {{"t", t}, {"k", k}, {"edge", edge}}, seed++, bench});
  };
  add(DataKind::kMild, 1, 32, kNone, "", false);
  add(DataKind::kMild, 7, 576, kNone, "", false);
  add(DataKind::kMild, 33, 1024, kNone, "", true);
  add(DataKind::kOutlier, 5, 512, kNone, "", false);
  add(DataKind::kGiant, 7, 96, kNone, "", false);
  add(DataKind::kExact, 3, 256, kNone, "", false);
  add(DataKind::kZero, 2, 64, kNone, "", false);
  add(DataKind::kMild, 3, 64, kAmax1e5, "amax 1e5", false);
  add(DataKind::kMild, 1, 64, kAtTop, "amax 2^15", false);
  add(DataKind::kMild, 1, 64, kAboveTop, "amax just above 2^15", false);
  add(DataKind::kMild, 1, 64, kAtBottom, "amax 2^-8", false);
  add(DataKind::kMild, 1, 64, kBelowBottom, "amax just below 2^-8", false);
  add(DataKind::kMild, 1, 64, kSubnormal, "subnormal", false);
  add(DataKind::kMild, 3, 160, kNonfinite, "NaN and infinities", false);
  return specs;
}

float amax_of_edge(int edge) {
  switch (edge) {
    case kAmax1e5:
      return 1e5f;
    case kAtTop:
      return 0x1p15f;
    case kAboveTop:
      return std::nextafter(0x1p15f, 1e9f);
    case kAtBottom:
      return 0x1p-8f;
    case kBelowBottom:
      return std::nextafter(0x1p-8f, 0.0f);
    case kSubnormal:
      return 0x1.8p-130f;
    default:
      return 0;
  }
}

void shape_edge(int edge, std::vector<float>& x) {
  const float amax = amax_of_edge(edge);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (amax != 0) x[i] = i % 32 == 5 ? -amax : x[i] / 8 * amax;
    if (edge != kNonfinite) continue;
    if (i % 11 == 3) x[i] = std::numeric_limits<float>::quiet_NaN();
    if (i % 37 == 5) x[i] = std::numeric_limits<float>::infinity();
  }
}

// Power of two by which a row is divided, by frexp: amax = m 2^e with m in [1/2, 1).
double exact_scale(const float* x, int k) {
  double amax = 0;
  for (int i = 0; i < k; ++i) {
    if (std::isfinite(x[i])) amax = std::max(amax, std::fabs(static_cast<double>(x[i])));
  }
  if (amax == 0 || (amax >= 0x1p-8 && amax <= 0x1p15)) return 1;
  int e = 0;
  std::frexp(amax, &e);
  if (amax > 0x1p15) return std::ldexp(1.0, e - 15);
  return std::max(std::ldexp(1.0, e - 1), 0x1p-126);
}

class HalveCase : public BoundCase {
 public:
  explicit HalveCase(const CaseSpec& spec)
      : t_(spec.dim("t")),
        k_(spec.dim("k")),
        count_(static_cast<std::size_t>(t_) * static_cast<std::size_t>(k_)),
        scales_at_((count_ * 2 + 7) / 8 * 8),
        counter_at_((scales_at_ + static_cast<std::size_t>(t_) * 4 + 7) / 8 * 8),
        x_(count_),
        output_(counter_at_ + 8) {
    CaseRandom random(spec.seed);
    for (std::size_t i = 0; i < count_; ++i) x_[i] = random.draw(spec.kind, i);
    shape_edge(spec.dim("edge"), x_);
    poison();
  }

  void poison() override {
    output_.poison();
    std::memset(output_.data() + counter_at_, 0, 8);  // the kernel adds to it
  }
  void launch(LaunchFunction function, Launch& launch) override {
    const HalveActivationsArgs args{
        .x = x_.data(), .out = {halves(), scales()}, .t = t_, .k = k_, .nonfinite = counter()};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return {output_.data(), output_.size()}; }
  std::vector<double> values() const override {
    auto* self = const_cast<HalveCase*>(this);
    std::vector<double> values;
    for (std::size_t i = 0; i < count_; ++i) values.push_back(half_to_float(self->halves()[i]));
    values.insert(values.end(), self->scales(), self->scales() + t_);
    values.push_back(static_cast<double>(*self->counter()));
    return values;
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    value.clear();
    std::vector<double> scales;
    std::size_t nonfinite = 0;
    for (int row = 0; row < t_; ++row) {
      const float* x = x_.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(k_);
      scales.push_back(exact_scale(x, k_));
      for (int i = 0; i < k_; ++i) {
        const bool good = std::isfinite(x[i]);
        nonfinite += good ? 0 : 1;
        const auto quotient = static_cast<float>(x[i] / scales.back());
        value.push_back(good ? half_to_float(float_to_half(quotient)) : 0.0);
      }
    }
    value.insert(value.end(), scales.begin(), scales.end());
    value.push_back(static_cast<double>(nonfinite));
    budget.assign(value.size(), 0.0);
  }
  bool guards_intact() const override { return output_.intact(); }

 private:
  std::uint16_t* halves() { return output_.as<std::uint16_t>(); }
  float* scales() { return reinterpret_cast<float*>(output_.data() + scales_at_); }
  std::uint64_t* counter() {
    return reinterpret_cast<std::uint64_t*>(output_.data() + counter_at_);
  }

  int t_;
  int k_;
  std::size_t count_;  // t * k
  std::size_t scales_at_;
  std::size_t counter_at_;
  std::vector<float> x_;  // (t, k)
  GuardedBuffer output_;  // h (t, k), scale (t), counter
};

CaseCost cost(const CaseSpec& spec) {
  const double elements = static_cast<double>(spec.dim("t")) * spec.dim("k");
  return {elements * (4 + 2) + spec.dim("t") * 4.0, elements * 2};
}

}  // namespace

OpReference halve_activations_reference() {
  return {"halve_activations", cases,
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<HalveCase>(spec);
          },
          cost};
}

}  // namespace assay
