// rope_store against fp64 on the f32 operands that the kernel receives: q within rope's budget, K
// within that and the rounding to f16 (0.65 of a spacing), V exactly, the counter exactly, and not
// a bit changed anywhere else in the cache.
//
// A sum with a bias is the f32 rounding of the fp64 sum, exactly. Rows of the tables outside the
// positions in use are NaN.
#include "kernels/rope_store/rope_store.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/core/half.h"
#include "kernels/formed_rows.h"
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr std::uint16_t kPoison = 0xffff;
constexpr int kSpare = 2;  // table and cache rows past the last position

struct Shape {
  int t, first, heads, kv_heads, d;
  int pad = 0;          // cache places between heads
  bool planes = false;  // a head's positions are neighbours
  int biases = 7;       // bits: of q, k, v
  bool interleaved = false;
  bool large = false;  // some keys and values beyond f16
};

CaseSpec spec_of(DataKind kind, const Shape& s, std::uint64_t seed) {
  std::string name = std::string(s.interleaved ? "interleaved " : "") + "t=" + std::to_string(s.t) +
                     " first=" + std::to_string(s.first) + " heads=" + std::to_string(s.heads) +
                     "/" + std::to_string(s.kv_heads) + " d=" + std::to_string(s.d) +
                     " biases=" + std::to_string(s.biases) + (s.pad != 0 ? " padded" : "") +
                     (s.planes ? " planes" : "") + (s.large ? " overflow" : "") + " " +
                     std::string(to_string(kind));
  return {std::move(name),
          kind,
          {{"t", s.t},
           {"first", s.first},
           {"heads", s.heads},
           {"kv_heads", s.kv_heads},
           {"d", s.d},
           {"pad", s.pad},
           {"planes", s.planes},
           {"biases", s.biases},
           {"interleaved", s.interleaved},
           {"large", s.large}},
          seed,
          false};
}

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 14000;
  const auto add = [&](DataKind kind, const Shape& s) {
    specs.push_back(spec_of(kind, s, seed++));
  };
  for (const int d : {2, 8, 24, 40, 64, 128}) {
    add(DataKind::kMild, {.t = 1, .first = d, .heads = 6, .kv_heads = 2, .d = d});
    add(DataKind::kMild, {.t = 5, .first = 0, .heads = 3, .kv_heads = 1, .d = d, .biases = 0});
    add(DataKind::kMild,
        {.t = 3, .first = d, .heads = 4, .kv_heads = 4, .d = d, .biases = 0, .interleaved = true});
  }
  for (int biases = 1; biases < 7; ++biases) {
    add(DataKind::kMild,
        {.t = 1, .first = 3, .heads = 4, .kv_heads = 2, .d = 64, .biases = biases});
  }
  add(DataKind::kMild, {.t = 1, .first = 500, .heads = 28, .kv_heads = 4, .d = 128});
  add(DataKind::kMild, {.t = 130, .first = 0, .heads = 8, .kv_heads = 2, .d = 64, .planes = true});
  add(DataKind::kMild, {.t = 9, .first = 4, .heads = 3, .kv_heads = 3, .d = 64, .pad = 3});
  add(DataKind::kMild,
      {.t = 1, .first = 9, .heads = 5, .kv_heads = 1, .d = 64, .pad = 8, .interleaved = true});
  add(DataKind::kOutlier,
      {.t = 9, .first = 31, .heads = 4, .kv_heads = 2, .d = 64, .planes = true});
  add(DataKind::kGiant, {.t = 9, .first = 1, .heads = 4, .kv_heads = 2, .d = 64, .large = true});
  add(DataKind::kGiant, {.t = 1, .first = 7, .heads = 2, .kv_heads = 2, .d = 128, .large = true});
  add(DataKind::kExact, {.t = 3, .first = 0, .heads = 4, .kv_heads = 2, .d = 64});
  add(DataKind::kZero, {.t = 3, .first = 0, .heads = 4, .kv_heads = 2, .d = 64, .biases = 0});
  return specs;
}

// Rows (t, heads, d) with their bias, as a kernel may overwrite them.
struct Projected {
  std::vector<float> x;     // (t, heads, d)
  std::vector<float> bias;  // (heads, d), or empty
  const float* bias_or_null() const { return bias.empty() ? nullptr : bias.data(); }
  // Element i with its bias, exactly as f32 has it.
  double sum(std::size_t i) const {
    if (bias.empty()) return x[i];
    return static_cast<float>(static_cast<double>(x[i]) +
                              static_cast<double>(bias[i % bias.size()]));
  }
};

class RopeStoreCase : public BoundCase {
 public:
  explicit RopeStoreCase(const CaseSpec& spec)
      : t_(spec.dim("t")),
        first_(spec.dim("first")),
        heads_(spec.dim("heads")),
        kv_heads_(spec.dim("kv_heads")),
        d_(spec.dim("d")),
        interleaved_(spec.dim("interleaved") != 0),
        position_stride_(spec.dim("planes") != 0 ? d_ + spec.dim("pad")
                                                 : kv_heads_ * (d_ + spec.dim("pad"))),
        head_stride_(spec.dim("planes") != 0 ? (first_ + t_ + kSpare) * position_stride_
                                             : d_ + spec.dim("pad")),
        plane_(
            static_cast<std::size_t>((first_ + t_ + kSpare) * kv_heads_ * (d_ + spec.dim("pad")))),
        cosine_(static_cast<std::size_t>((first_ + t_ + kSpare) * (d_ / 2)),
                std::numeric_limits<float>::quiet_NaN()),
        sine_(cosine_),
        k_place_(static_cast<std::size_t>(t_ * kv_heads_ * d_) * sizeof(float)),
        v_place_(k_place_.size()),
        cache_at_((static_cast<std::size_t>(t_ * heads_ * d_) * sizeof(float) + 15) / 16 * 16),
        out_(cache_at_ + (2 * plane_ * 2 + 7) / 8 * 8 + 8) {
    CaseRandom random(spec.seed);
    draw(random, spec, q_, heads_, 1);
    draw(random, spec, k_, kv_heads_, 2);
    draw(random, spec, v_, kv_heads_, 4);
    if (spec.dim("large") != 0) {
      for (std::size_t i = 7; i < k_.x.size(); i += 29) k_.x[i] *= 4096;
      for (std::size_t i = 9; i < v_.x.size(); i += 31) v_.x[i] = i % 2 == 0 ? 7e4f : -7e4f;
    }
    draw_tables(random, spec.kind == DataKind::kExact);
    poison();
  }
  void poison() override {
    out_.poison();
    k_place_.poison();
    v_place_.poison();
    *counter() = 0;
    std::copy(q_.x.begin(), q_.x.end(), out_.as<float>());
    std::copy(k_.x.begin(), k_.x.end(), k_place_.as<float>());
    std::copy(v_.x.begin(), v_.x.end(), v_place_.as<float>());
  }
  void launch(LaunchFunction function, Launch& launch) override {
    const RopeStoreArgs args{.q = out_.as<float>(),
                             .k = k_place_.as<float>(),
                             .v = v_place_.as<float>(),
                             .q_bias = q_.bias_or_null(),
                             .k_bias = k_.bias_or_null(),
                             .v_bias = v_.bias_or_null(),
                             .cosine = cosine_.data(),
                             .sine = sine_.data(),
                             .k_cache = cache(0),
                             .v_cache = cache(1),
                             .position_stride = position_stride_,
                             .head_stride = head_stride_,
                             .t = t_,
                             .heads = heads_,
                             .kv_heads = kv_heads_,
                             .head_dim = d_,
                             .first_position = first_,
                             .interleaved = interleaved_,
                             .nonfinite = counter()};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return {out_.data(), out_.size()}; }
  std::vector<double> values() const override {
    auto* self = const_cast<RopeStoreCase*>(this);
    std::vector<double> values(out_.as<float>(), out_.as<float>() + q_.x.size());
    std::vector<std::uint16_t> rest(self->cache(0), self->cache(0) + 2 * plane_);
    for (std::size_t which = 0; which < 2; ++which) {
      for (std::size_t i = 0; i < k_.x.size(); ++i) {
        std::uint16_t& place = rest[which * plane_ + cache_place(i)];
        values.push_back(half_to_float(place));
        place = kPoison;
      }
    }
    values.push_back(static_cast<double>(*self->counter()));
    values.push_back(static_cast<double>(
        std::count_if(rest.begin(), rest.end(), [](std::uint16_t p) { return p != kPoison; })));
    return values;
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    value.clear();
    budget.clear();
    rotate(q_, heads_, value, budget);
    std::vector<double> keys;
    std::vector<double> errors;
    rotate(k_, kv_heads_, keys, errors);
    double nonfinite = 0;
    const auto store = [&](double x, double error) {
      const bool fits = std::fabs(x) < 65520;  // rounds to a finite f16
      nonfinite += fits ? 0 : 1;
      value.push_back(fits ? x : std::copysign(std::numeric_limits<double>::infinity(), x));
      budget.push_back(fits ? 0.65 * half_spacing(std::fabs(x)) + error : 0);
    };
    for (std::size_t i = 0; i < keys.size(); ++i) store(keys[i], errors[i]);
    for (std::size_t i = 0; i < v_.x.size(); ++i) store(v_.sum(i), 0);
    value.push_back(nonfinite);
    value.push_back(0);  // places changed outside the stored rows
    budget.resize(value.size(), 0.0);
  }
  bool guards_intact() const override {
    return out_.intact() && k_place_.intact() && v_place_.intact();
  }

 private:
  void draw(CaseRandom& random, const CaseSpec& spec, Projected& of, int heads, int bit) {
    of.x.resize(static_cast<std::size_t>(t_ * heads * d_));
    for (std::size_t i = 0; i < of.x.size(); ++i) {
      of.x[i] = random.draw(spec.kind, i + static_cast<std::size_t>(bit));
      if (spec.kind == DataKind::kZero) of.x[i] *= 0x1p106f;  // f16 subnormals
    }
    if ((spec.dim("biases") & bit) == 0) return;
    of.bias.resize(static_cast<std::size_t>(heads * d_));
    for (float& b : of.bias) b = random.normal();
  }

  // On the unit circle within f32, from the random stream: no libm, so that every machine draws the
  // same bits. The first position of an exact case does not rotate.
  void draw_tables(CaseRandom& random, bool still_at_first) {
    const auto half = static_cast<std::size_t>(d_ / 2);
    for (std::size_t i = 0; i < half * static_cast<std::size_t>(t_); ++i) {
      const double m = random.uniform() * 2 - 1;  // tangent of half the angle
      const bool still = still_at_first && i < half;
      const std::size_t at = static_cast<std::size_t>(first_) * half + i;
      cosine_[at] = still ? 1.0f : static_cast<float>((1 - m * m) / (1 + m * m));
      sine_[at] = still ? 0.0f : static_cast<float>(2 * m / (1 + m * m));
    }
  }

  // Appends the rotated rows and rope's budgets, 3 u (|a c| + |b s|).
  void rotate(const Projected& of, int heads, std::vector<double>& value,
              std::vector<double>& budget) const {
    const std::size_t base = value.size();
    const auto d = static_cast<std::size_t>(d_);
    const std::size_t half = d / 2;
    value.resize(base + of.x.size());
    budget.resize(base + of.x.size());
    for (std::size_t at = 0; at < of.x.size(); at += d) {  // one head
      const std::size_t row =
          static_cast<std::size_t>(first_) + at / d / static_cast<std::size_t>(heads);
      for (std::size_t i = 0; i < half; ++i) {
        const std::size_t one = at + (interleaved_ ? 2 * i : i);
        const std::size_t two = interleaved_ ? one + 1 : one + half;
        const double c = cosine_[row * half + i];
        const double s = sine_[row * half + i];
        const double a = of.sum(one);
        const double b = of.sum(two);
        value[base + one] = a * c - b * s;
        value[base + two] = b * c + a * s;
        budget[base + one] = bound(a * c, b * s);
        budget[base + two] = bound(b * c, a * s);
      }
    }
  }
  static double bound(double first, double second) {
    if (first == 0 && second == 0) return 0;
    return 3 * 0x1p-24 * (std::fabs(first) + std::fabs(second)) + 2 * 0x1p-149;
  }

  std::uint16_t* cache(std::size_t which) {
    return reinterpret_cast<std::uint16_t*>(out_.data() + cache_at_) + which * plane_;
  }
  std::uint64_t* counter() {
    return reinterpret_cast<std::uint64_t*>(out_.data() + out_.size() - 8);
  }
  // Where element i of (t, kv_heads, d) lies in a cache.
  std::size_t cache_place(std::size_t i) const {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t position = first_ + at / d_ / kv_heads_;
    return static_cast<std::size_t>(position * position_stride_ +
                                    at / d_ % kv_heads_ * head_stride_ + at % d_);
  }

  int t_;
  int first_;
  int heads_;
  int kv_heads_;
  int d_;
  bool interleaved_;
  std::int64_t position_stride_;
  std::int64_t head_stride_;
  std::size_t plane_;  // f16 places of one cache
  Projected q_, k_, v_;
  std::vector<float> cosine_;  // (first + t + spare, d / 2)
  std::vector<float> sine_;
  GuardedBuffer k_place_;  // (t, kv_heads, d), may be overwritten
  GuardedBuffer v_place_;
  std::size_t cache_at_;
  GuardedBuffer out_;  // q (t, heads, d), K cache, V cache, counter
};

CaseCost cost(const CaseSpec& spec) {
  const double head = static_cast<double>(spec.dim("t")) * spec.dim("d");
  const double q = head * spec.dim("heads");
  const double kv = 2 * head * spec.dim("kv_heads");
  return {q * 8 + kv * 6, 3 * q + 2 * kv};
}

}  // namespace

OpReference rope_store_reference() {
  return {"rope_store", cases,
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<RopeStoreCase>(spec);
          },
          cost};
}

}  // namespace assay
