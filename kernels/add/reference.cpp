// add must be exact: the f32 rounding of the fp64 sum (53 bits suffice for that to be the IEEE f32
// sum). Residuals in place and apart, biases, and lengths around a register's eight.
#include <algorithm>
#include <string>

#include "kernels/add/add.h"
#include "kernels/ops.h"

namespace assay {
namespace {

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 8000;
  const auto add = [&](DataKind kind, int t, int k, bool bias, bool in_place, bool bench) {
    std::string name = "t=" + std::to_string(t) + " k=" + std::to_string(k) +
                       (bias ? " bias" : "") + (in_place ? " in place" : "") + " " +
                       std::string(to_string(kind));
    specs.push_back({std::move(name),
                     kind,
                     {{"t", t}, {"k", k}, {"bias", bias}, {"in_place", in_place}},
                     seed++,
                     bench});
  };
  for (const int k : {1, 7, 8, 9, 15, 16, 40, 513}) {
    add(DataKind::kMild, 1, k, false, k % 2 == 1, false);
    add(DataKind::kMild, 3, k, true, k % 2 == 0, false);
  }
  add(DataKind::kOutlier, 33, 64, false, true, false);
  add(DataKind::kGiant, 33, 64, true, false, false);
  add(DataKind::kExact, 5, 24, false, false, false);
  add(DataKind::kZero, 5, 24, true, true, false);
  add(DataKind::kMild, 1, 1536, false, true, true);
  add(DataKind::kMild, 128, 512, false, true, true);
  add(DataKind::kMild, 128, 512, true, true, true);
  return specs;
}

class AddCase : public BoundCase {
 public:
  explicit AddCase(const CaseSpec& spec)
      : t_(spec.dim("t")),
        k_(spec.dim("k")),
        bias_(spec.dim("bias") != 0),
        in_place_(spec.dim("in_place") != 0),
        a_(static_cast<std::size_t>(t_) * static_cast<std::size_t>(k_)),
        b_(bias_ ? static_cast<std::size_t>(k_) : a_.size()),
        out_(a_.size() * sizeof(float)) {
    CaseRandom random(spec.seed);
    for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = random.draw(spec.kind, i);
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = random.draw(spec.kind, i + 5);
    poison();
  }
  void poison() override {
    out_.poison();
    if (in_place_) std::copy(a_.begin(), a_.end(), out_.as<float>());
  }
  void launch(LaunchFunction function, Launch& launch) override {
    const AddArgs args{.a = in_place_ ? out_.as<float>() : a_.data(),
                       .b = b_.data(),
                       .out = out_.as<float>(),
                       .t = t_,
                       .k = k_,
                       .broadcast = bias_};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return {out_.data(), out_.size()}; }
  std::vector<double> values() const override {
    return {out_.as<float>(), out_.as<float>() + a_.size()};
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    value.resize(a_.size());
    budget.assign(a_.size(), 0.0);
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const double sum = static_cast<double>(a_[i]) + static_cast<double>(b_[i % b_.size()]);
      value[i] = static_cast<float>(sum);
    }
  }
  bool guards_intact() const override { return out_.intact(); }

 private:
  int t_;
  int k_;
  bool bias_;
  bool in_place_;
  std::vector<float> a_;  // (t, k)
  std::vector<float> b_;  // (t, k) or (k)
  GuardedBuffer out_;     // (t, k)
};

CaseCost cost(const CaseSpec& spec) {
  const double elements = static_cast<double>(spec.dim("t")) * spec.dim("k");
  const double second = spec.dim("bias") != 0 ? spec.dim("k") : elements;
  return {(2 * elements + second) * 4, elements};
}

}  // namespace

OpReference add_reference() {
  return {"add", cases,
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<AddCase>(spec);
          },
          cost};
}

}  // namespace assay
