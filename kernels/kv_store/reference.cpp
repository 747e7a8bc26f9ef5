// kv_store must be exact: the f16 nearest to each value (ties to even), the count of stored values
// that are not finite, and not a bit changed anywhere else in the cache.
//
// The nearest f16 is found in fp64 from the spacing of f16 at that magnitude, not by the kernels'
// conversion. The last two values compared are the counter and the number of f16 places outside
// the stored rows that no longer hold the poison.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "engine/core/half.h"
#include "kernels/kv_store/kv_store.h"
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr std::uint16_t kPoison = 0xffff;

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 5000;
  const auto add = [&](DataKind kind, int t, int first, int heads, int d, int pad, int planes,
                       int large, bool bench) {
    std::string name = "t=" + std::to_string(t) + " first=" + std::to_string(first) +
                       " heads=" + std::to_string(heads) + " d=" + std::to_string(d) +
                       (pad != 0 ? " padded" : "") + (planes != 0 ? " planes" : "") +
                       (large != 0 ? " overflow" : "") + " " + std::string(to_string(kind));
    specs.push_back({std::move(name),
                     kind,
                     {{"t", t},
                      {"first", first},
                      {"heads", heads},
                      {"d", d},
                      {"pad", pad},
                      {"planes", planes},
                      {"large", large}},
                     seed++,
                     bench});
  };
  add(DataKind::kMild, 1, 0, 2, 64, 0, 0, 0, false);
  add(DataKind::kMild, 1, 9, 1, 128, 8, 0, 0, false);
  add(DataKind::kMild, 5, 3, 3, 40, 4, 1, 0, false);
  add(DataKind::kMild, 33, 0, 2, 12, 3, 0, 0, false);
  add(DataKind::kOutlier, 9, 31, 2, 64, 0, 1, 0, false);
  add(DataKind::kGiant, 9, 1, 2, 64, 0, 0, 1, false);
  add(DataKind::kGiant, 33, 1, 2, 44, 8, 1, 1, false);
  add(DataKind::kExact, 3, 0, 2, 64, 0, 0, 0, false);
  add(DataKind::kZero, 3, 0, 2, 64, 0, 0, 0, false);
  add(DataKind::kMild, 1, 500, 2, 128, 0, 0, 0, true);
  add(DataKind::kMild, 128, 0, 2, 128, 0, 0, 0, true);
  return specs;
}

// The f16 value nearest to x, as a number.
double nearest_half(double x) {
  const double magnitude = std::fabs(x);
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude in [2^(exponent - 1), 2^exponent)
  const double spacing = std::ldexp(1.0, std::max(exponent - 11, -24));
  double rounded = std::nearbyint(magnitude / spacing) * spacing;
  if (rounded > 65504) rounded = std::numeric_limits<double>::infinity();
  return std::copysign(rounded, x);
}

class KvStoreCase : public BoundCase {
 public:
  explicit KvStoreCase(const CaseSpec& spec)
      : t_(spec.dim("t")),
        first_(spec.dim("first")),
        heads_(spec.dim("heads")),
        d_(spec.dim("d")),
        position_stride_(spec.dim("planes") != 0 ? d_ + spec.dim("pad")
                                                 : heads_ * (d_ + spec.dim("pad"))),
        head_stride_(spec.dim("planes") != 0 ? (first_ + t_ + 2) * position_stride_
                                             : d_ + spec.dim("pad")),
        plane_(static_cast<std::size_t>((first_ + t_ + 2) * heads_ * (d_ + spec.dim("pad")))),
        k_(static_cast<std::size_t>(t_ * heads_ * d_)),
        v_(k_.size()),
        out_(2 * plane_ * 2 + 16) {
    CaseRandom random(spec.seed);
    for (std::size_t i = 0; i < k_.size(); ++i) {
      k_[i] = random.draw(spec.kind, i);
      v_[i] = random.draw(spec.kind, i + 3);
      if (spec.kind == DataKind::kZero) {  // f16 subnormals and values that round to zero
        k_[i] *= 0x1p104f;
        v_[i] *= 0x1p108f;
      }
      if (spec.dim("large") != 0 && i % 29 == 7) k_[i] *= 4096;  // some beyond 65,504
      if (spec.dim("large") != 0 && i % 31 == 9) v_[i] = i % 2 == 0 ? 65519.996f : -65520.0f;
    }
    poison();
  }
  void poison() override {
    out_.poison();
    *counter() = 0;
  }
  void launch(LaunchFunction function, Launch& launch) override {
    const KvStoreArgs args{.k = k_.data(),
                           .v = v_.data(),
                           .k_cache = cache(0),
                           .v_cache = cache(1),
                           .position_stride = position_stride_,
                           .head_stride = head_stride_,
                           .t = t_,
                           .kv_heads = heads_,
                           .head_dim = d_,
                           .first_position = first_,
                           .nonfinite = counter()};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return {out_.data(), out_.size()}; }
  std::vector<double> values() const override {
    auto* self = const_cast<KvStoreCase*>(this);
    std::vector<double> values;
    std::vector<std::uint16_t> rest(self->cache(0), self->cache(0) + 2 * plane_);
    for (std::size_t which = 0; which < 2; ++which) {
      for (std::size_t i = 0; i < k_.size(); ++i) {
        std::uint16_t& place = rest[which * plane_ + cache_at(i)];
        values.push_back(half_to_float(place));
        place = kPoison;
      }
    }
    values.push_back(static_cast<double>(*self->counter()));
    double changed = 0;
    for (const std::uint16_t place : rest) changed += place != kPoison;
    values.push_back(changed);
    return values;
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    value.clear();
    double nonfinite = 0;
    for (const std::vector<float>* from : {&k_, &v_}) {
      for (const float x : *from) {
        value.push_back(nearest_half(x));
        nonfinite += std::isfinite(value.back()) ? 0 : 1;
      }
    }
    value.push_back(nonfinite);
    value.push_back(0);
    budget.assign(value.size(), 0.0);
  }
  bool guards_intact() const override { return out_.intact(); }

 private:
  std::uint16_t* cache(std::size_t which) { return out_.as<std::uint16_t>() + which * plane_; }
  std::uint64_t* counter() {  // the last 8-byte place
    return reinterpret_cast<std::uint64_t*>(out_.data() + out_.size() / 8 * 8 - 8);
  }
  // Where element i of (t, heads, d) lies in a cache.
  std::size_t cache_at(std::size_t i) const {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t position = first_ + at / d_ / heads_;
    return static_cast<std::size_t>(position * position_stride_ + at / d_ % heads_ * head_stride_ +
                                    at % d_);
  }

  int t_;
  int first_;
  int heads_;
  int d_;
  std::int64_t position_stride_;
  std::int64_t head_stride_;
  std::size_t plane_;     // f16 places of one cache
  std::vector<float> k_;  // (t, heads, d)
  std::vector<float> v_;
  GuardedBuffer out_;  // K cache, V cache, counter
};

CaseCost cost(const CaseSpec& spec) {
  const double elements = 2.0 * spec.dim("t") * spec.dim("heads") * spec.dim("d");
  return {elements * (4 + 2), 0};
}

}  // namespace

OpReference kv_store_reference() {
  return {"kv_store", cases,
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<KvStoreCase>(spec);
          },
          cost};
}

}  // namespace assay
