// Cases of the ops that bring silu(gate) * up into a form: operands, fp64 values and error bounds,
// for either form.
//
// The product's error before rounding is swiglu's budget (kernels/swiglu/reference.cpp). Edges:
// rows whose largest magnitude stands at, above and below the range that halves without a scale,
// among rows within it, and products beyond f32.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/formed_rows.h"

namespace assay {

enum class SwigluEdge { kNone, kScaled, kBeyondF32 };

// `lengths`: row lengths on both sides of every change of path in the kernels.
inline std::vector<CaseSpec> formed_swiglu_cases(std::span<const int> lengths, std::uint64_t seed) {
  std::vector<CaseSpec> specs;
  const auto add = [&](DataKind kind, int t, int k, SwigluEdge edge = SwigluEdge::kNone) {
    constexpr const char* kNotes[] = {"", " scaled rows", " beyond f32"};
    std::string name = "t=" + std::to_string(t) + " k=" + std::to_string(k) +
                       kNotes[static_cast<int>(edge)] + " " + std::string(to_string(kind));
    specs.push_back({std::move(name),
                     kind,
                     {{"t", t}, {"k", k}, {"edge", static_cast<int>(edge)}},
                     seed++,
                     false});
  };
  for (const int k : lengths) {
    add(DataKind::kMild, 1, k);
    add(DataKind::kMild, 3, k);
  }
  add(DataKind::kOutlier, 5, 512);
  add(DataKind::kGiant, 7, 2080);
  add(DataKind::kExact, 3, 256);
  add(DataKind::kZero, 2, 64);
  add(DataKind::kMild, 130, 96);
  add(DataKind::kMild, 1, 18944);
  add(DataKind::kMild, 2, 13824);
  add(DataKind::kMild, 14, 64, SwigluEdge::kScaled);
  add(DataKind::kMild, 7, 4096, SwigluEdge::kScaled);
  add(DataKind::kMild, 3, 160, SwigluEdge::kBeyondF32);
  return specs;
}

inline CaseCost formed_swiglu_cost(const CaseSpec& spec) {
  const double elements = static_cast<double>(spec.dim("t")) * spec.dim("k");
  return {elements * 9, 20 * elements};
}

// Output: QuantizedOutput or HalvedOutput; Args: the op's.
template <typename Args, typename Output>
class FormedSwigluCase : public BoundCase {
 public:
  explicit FormedSwigluCase(const CaseSpec& spec)
      : t_(spec.dim("t")),
        k_(spec.dim("k")),
        gate_(static_cast<std::size_t>(t_) * static_cast<std::size_t>(k_)),
        up_(gate_.size()),
        gate_place_(gate_.size() * sizeof(float)),
        out_(0, t_, k_) {
    CaseRandom random(spec.seed);
    for (std::size_t i = 0; i < gate_.size(); ++i) {
      gate_[i] = random.draw(spec.kind, i);
      up_[i] = random.draw(spec.kind, i + 11);
    }
    shape_edge(static_cast<SwigluEdge>(spec.dim("edge")));
    poison();
  }
  void poison() override {
    out_.poison();
    gate_place_.poison();
    std::copy(gate_.begin(), gate_.end(), gate_place_.template as<float>());
  }
  void launch(LaunchFunction function, Launch& launch) override {
    const Args args{.gate = gate_place_.template as<float>(),
                    .up = up_.data(),
                    .out = out_.rows(),
                    .t = t_,
                    .k = k_,
                    .nonfinite = out_.counter()};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return out_.bytes(); }
  std::vector<double> values() const override {
    std::vector<double> values;
    out_.append_values(values);
    return values;
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    value.clear();
    budget.clear();
    UnroundedRows exact;
    for (std::size_t i = 0; i < gate_.size(); ++i) {
      const double gate = gate_[i];
      exact.value.push_back(gate / (1 + std::exp(-gate)) * static_cast<double>(up_[i]));
      const double edge = std::fabs(up_[i]) * (gate < -87 ? 0x1p-119 : 0x1p-149);
      exact.error.push_back(6 * 0x1p-24 * std::fabs(exact.value.back()) + edge + 2 * 0x1p-149);
    }
    Output::append_expected(exact, k_, value, budget);
  }
  bool guards_intact() const override { return out_.intact() && gate_place_.intact(); }

 private:
  // silu(128) is 128 in f32, so one element per row sets the row's largest magnitude exactly.
  void shape_edge(SwigluEdge edge) {
    const float tops[] = {256.0f,   std::nextafter(256.0f, 1e9f),   1e6f,
                          0x1p-15f, std::nextafter(0x1p-15f, 0.0f), 0x1p-40f};
    for (std::size_t i = 0; i < gate_.size(); ++i) {
      const std::size_t row = i / static_cast<std::size_t>(k_);
      const bool first = i % static_cast<std::size_t>(k_) == 5;
      if (edge == SwigluEdge::kScaled && row % 7 != 6) {  // the seventh row is as drawn
        up_[i] = first ? tops[row % 7] : up_[i] / 8 * tops[row % 7];
        if (first) gate_[i] = 128;
      }
      if (edge == SwigluEdge::kBeyondF32 && i % 37 == 5) {
        gate_[i] = 1e30f;
        up_[i] = i % 2 == 0 ? 1e30f : -1e30f;
      }
    }
  }

  int t_;
  int k_;
  std::vector<float> gate_;   // (t, k)
  std::vector<float> up_;     // (t, k)
  GuardedBuffer gate_place_;  // (t, k), may be overwritten
  Output out_;                // the rows, the counter
};

}  // namespace assay
