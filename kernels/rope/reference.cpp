// rope against fp64 on the f32 tables that the kernel receives. Budget, with u = 2^-24: the two
// products round once each and their sum once, so the error is at most 2 u (|a c| + |b s|);
// B = 3 u (|a c| + |b s|), plus the smallest f32 per product for subnormals.
//
// Rows of the tables outside the positions in use are NaN.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/ops.h"
#include "kernels/rope/rope.h"

namespace assay {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kDenormal = 0x1p-149;
constexpr int kSpare = 2;  // table rows past the last position

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 6000;
  const auto add = [&](DataKind kind, int t, int first, int heads, int d, bool bench,
                       bool interleaved = false) {
    std::string name = (interleaved ? "interleaved t=" : "t=") + std::to_string(t) +
                       " first=" + std::to_string(first) + " heads=" + std::to_string(heads) +
                       " d=" + std::to_string(d) + " " + std::string(to_string(kind));
    specs.push_back(
        {std::move(name),
         kind,
         {{"t", t}, {"first", first}, {"heads", heads}, {"d", d}, {"interleaved", interleaved}},
         seed++,
         bench});
  };
  for (const int d : {2, 8, 16, 24, 40, 64, 128}) {
    add(DataKind::kMild, 1, d, 3, d, false);
    add(DataKind::kMild, 5, 0, 1, d, false);
    add(DataKind::kMild, 3, d, 3, d, false, true);
  }
  add(DataKind::kOutlier, 33, 7, 4, 64, false);
  add(DataKind::kGiant, 9, 100, 7, 40, false);
  add(DataKind::kExact, 3, 0, 2, 64, false);
  add(DataKind::kZero, 3, 0, 2, 64, false);
  add(DataKind::kMild, 1, 500, 4, 128, true);
  add(DataKind::kMild, 128, 0, 4, 128, true);
  add(DataKind::kMild, 128, 0, 9, 64, true, true);
  return specs;
}

class RopeCase : public BoundCase {
 public:
  explicit RopeCase(const CaseSpec& spec)
      : t_(spec.dim("t")),
        first_(spec.dim("first")),
        heads_(spec.dim("heads")),
        d_(spec.dim("d")),
        interleaved_(spec.dim("interleaved") != 0),
        x_(static_cast<std::size_t>(t_ * heads_ * d_)),
        cosine_(static_cast<std::size_t>((first_ + t_ + kSpare) * (d_ / 2)),
                std::numeric_limits<float>::quiet_NaN()),
        sine_(cosine_),
        out_(x_.size() * sizeof(float)) {
    CaseRandom random(spec.seed);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = random.draw(spec.kind, i);
    // Tables from the random stream, on the unit circle within f32: no libm, so that every machine
    // draws the same bits. The first position of an exact case does not rotate.
    const auto half = static_cast<std::size_t>(d_ / 2);
    for (std::size_t i = 0; i < half * static_cast<std::size_t>(t_); ++i) {
      const double m = random.uniform() * 2 - 1;  // tangent of half the angle
      const bool still = spec.kind == DataKind::kExact && i < half;
      const std::size_t at = static_cast<std::size_t>(first_) * half + i;
      cosine_[at] = still ? 1.0f : static_cast<float>((1 - m * m) / (1 + m * m));
      sine_[at] = still ? 0.0f : static_cast<float>(2 * m / (1 + m * m));
      if (!still && random.next() % 2 == 0) cosine_[at] = -cosine_[at];
    }
    poison();
  }
  void poison() override {
    out_.poison();
    std::copy(x_.begin(), x_.end(), out_.as<float>());
  }
  void launch(LaunchFunction function, Launch& launch) override {
    const RopeArgs args{.x = out_.as<float>(),
                        .cosine = cosine_.data(),
                        .sine = sine_.data(),
                        .t = t_,
                        .heads = heads_,
                        .head_dim = d_,
                        .first_position = first_,
                        .interleaved = interleaved_};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return {out_.data(), out_.size()}; }
  std::vector<double> values() const override {
    return {out_.as<float>(), out_.as<float>() + x_.size()};
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    value.resize(x_.size());
    budget.resize(x_.size());
    const auto d = static_cast<std::size_t>(d_);
    const std::size_t half = d / 2;
    for (std::size_t at = 0; at < x_.size(); at += d) {  // one head
      const std::size_t row =
          static_cast<std::size_t>(first_) + at / d / static_cast<std::size_t>(heads_);
      for (std::size_t i = 0; i < half; ++i) {
        const std::size_t one = at + (interleaved_ ? 2 * i : i);
        const std::size_t two = interleaved_ ? one + 1 : one + half;
        const double a = x_[one];
        const double b = x_[two];
        const double c = cosine_[row * half + i];
        const double s = sine_[row * half + i];
        value[one] = a * c - b * s;
        value[two] = b * c + a * s;
        budget[one] = bound(a * c, b * s);
        budget[two] = bound(b * c, a * s);
      }
    }
  }
  bool guards_intact() const override { return out_.intact(); }

 private:
  static double bound(double first, double second) {
    if (first == 0 && second == 0) return 0;
    return 3 * kUnit * (std::fabs(first) + std::fabs(second)) + 2 * kDenormal;
  }

  int t_;
  int first_;
  int heads_;
  int d_;
  bool interleaved_;
  std::vector<float> x_;       // (t, heads, d)
  std::vector<float> cosine_;  // (first + t + spare, d / 2)
  std::vector<float> sine_;
  GuardedBuffer out_;  // (t, heads, d)
};

CaseCost cost(const CaseSpec& spec) {
  const double row = static_cast<double>(spec.dim("t")) * spec.dim("d");
  const double elements = row * spec.dim("heads");
  return {(2 * elements + row) * 4, 3 * elements};
}

}  // namespace

OpReference rope_reference() {
  return {"rope", cases,
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<RopeCase>(spec);
          },
          cost};
}

}  // namespace assay
