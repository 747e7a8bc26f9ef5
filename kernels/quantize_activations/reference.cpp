// quantize_activations must be exact: every budget is 0, on codes, scales, sums and the counter.
//
// Besides drawn data there are edges: amax 1e5, amax just below and exactly 2^-119, NaN and
// infinities among the inputs, and quotients that end in one half.
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/ops.h"
#include "kernels/quantize_activations/reference_quantize.h"

namespace assay {
namespace {

enum Edge { kNone = 0, kAmax1e5, kBelowLimit, kAtLimit, kNonfinite, kTies };

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 100;
  const auto add = [&](DataKind kind, int t, int k, int edge, std::string_view note, bool bench) {
    std::string name = "t=" + std::to_string(t) + " k=" + std::to_string(k) + " " +
                       std::string(note.empty() ? to_string(kind) : note);
    specs.push_back({std::move(name), kind, {{"t", t}, {"k", k}, {"edge", edge}}, seed++, bench});
  };
  add(DataKind::kMild, 1, 512, kNone, "", true);
  add(DataKind::kMild, 33, 1024, kNone, "", true);
  add(DataKind::kOutlier, 5, 512, kNone, "", false);
  add(DataKind::kGiant, 7, 96, kNone, "", false);
  add(DataKind::kExact, 1, 32, kNone, "", false);
  add(DataKind::kExact, 3, 256, kNone, "", false);
  add(DataKind::kZero, 2, 64, kNone, "", false);
  add(DataKind::kMild, 3, 64, kAmax1e5, "amax 1e5", false);
  add(DataKind::kZero, 1, 64, kBelowLimit, "amax below 2^-119", false);
  add(DataKind::kMild, 1, 64, kAtLimit, "amax 2^-119", false);
  add(DataKind::kMild, 3, 160, kNonfinite, "NaN and infinities", false);
  add(DataKind::kMild, 2, 256, kTies, "ties", false);
  return specs;
}

void shape_edge(int edge, std::vector<float>& x) {
  const float below = std::nextafter(0x1p-119f, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool first = i % 32 == i / 32 % 32;  // one place per block, another in each block
    const float fraction = x[i] / 8;           // magnitude below 1
    switch (edge) {
      case kAmax1e5:
        x[i] = first ? -1e5f : fraction * 1e5f;
        break;
      case kBelowLimit:
        x[i] = first ? below : fraction * below;
        break;
      case kAtLimit:
        x[i] = first ? -0x1p-119f : fraction * 0x1p-119f;
        break;
      case kNonfinite:
        if (i % 11 == 3) x[i] = std::numeric_limits<float>::quiet_NaN();
        if (i % 37 == 5) x[i] = std::numeric_limits<float>::infinity();
        if (i % 41 == 6) x[i] = -std::numeric_limits<float>::infinity();
        break;
      case kTies:  // d is exactly 0.25; the others are odd multiples of 0.125
        x[i] = first ? 127 * 0.25f : (std::floor(x[i] * 20) + 0.5f) * 0.25f;
        break;
      default:
        break;
    }
  }
}

class QuantizeCase : public BoundCase {
 public:
  explicit QuantizeCase(const CaseSpec& spec)
      : t_(spec.dim("t")),
        k_(spec.dim("k")),
        count_(static_cast<std::size_t>(t_) * static_cast<std::size_t>(k_)),
        counter_at_((count_ + count_ / 32 * 6 + 7) / 8 * 8),
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
    const QuantizeActivationsArgs args{.x = x_.data(),
                                       .out = {codes(), scales(), sums()},
                                       .t = t_,
                                       .k = k_,
                                       .nonfinite = counter()};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return {output_.data(), output_.size()}; }
  std::vector<double> values() const override {
    auto* self = const_cast<QuantizeCase*>(this);
    std::vector<double> values(self->codes(), self->codes() + count_);
    values.insert(values.end(), self->scales(), self->scales() + count_ / 32);
    values.insert(values.end(), self->sums(), self->sums() + count_ / 32);
    values.push_back(static_cast<double>(*self->counter()));
    return values;
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    const QuantizedStorage exact = reference_quantize(x_);
    value.assign(exact.q.begin(), exact.q.end());
    value.insert(value.end(), exact.d.begin(), exact.d.end());
    value.insert(value.end(), exact.sum.begin(), exact.sum.end());
    value.push_back(static_cast<double>(exact.nonfinite));
    budget.assign(value.size(), 0.0);
  }
  bool guards_intact() const override { return output_.intact(); }

 private:
  std::int8_t* codes() { return output_.as<std::int8_t>(); }
  float* scales() { return reinterpret_cast<float*>(output_.data() + count_); }
  std::int16_t* sums() {
    return reinterpret_cast<std::int16_t*>(output_.data() + count_ + count_ / 32 * 4);
  }
  std::uint64_t* counter() {
    return reinterpret_cast<std::uint64_t*>(output_.data() + counter_at_);
  }

  int t_;
  int k_;
  std::size_t count_;       // t * k
  std::size_t counter_at_;  // byte offset of the non-finite counter
  std::vector<float> x_;    // (t, k)
  GuardedBuffer output_;    // q (t, k), d (t, k / 32), sum (t, k / 32), counter
};

CaseCost cost(const CaseSpec& spec) {
  const double elements = static_cast<double>(spec.dim("t")) * spec.dim("k");
  return {elements * (4 + 1) + elements / 32 * 6, elements * 2};
}

}  // namespace

OpReference quantize_activations_reference() {
  return {"quantize_activations", cases,
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<QuantizeCase>(spec);
          },
          cost};
}

}  // namespace assay
