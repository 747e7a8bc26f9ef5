// argmax must be exact: index, value and runner-up.
//
// Besides drawn data: ties (the lowest index wins, the runner-up equals the winner), NaN among the
// values, all values -inf but one, and a winner in the first, a middle and the last place.
#include <cmath>
#include <limits>
#include <string>

#include "kernels/argmax/argmax.h"
#include "kernels/ops.h"

namespace assay {
namespace {

enum Shape { kDrawn = 0, kTies, kNaN, kMostlyInfinite, kFirst, kLast };
constexpr const char* kShapeName[] = {"", " ties", " NaN", " -inf", " first", " last"};

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 9000;
  const auto add = [&](DataKind kind, int k, int shape, bool bench) {
    std::string name =
        "k=" + std::to_string(k) + kShapeName[shape] + " " + std::string(to_string(kind));
    specs.push_back({std::move(name), kind, {{"k", k}, {"shape", shape}}, seed++, bench});
  };
  for (const int k : {1, 2, 7, 8, 9, 16, 17, 23, 1000}) {
    add(DataKind::kMild, k, kDrawn, false);
    add(DataKind::kMild, k, kFirst, false);
    add(DataKind::kMild, k, kLast, false);
    if (k > 1) {
      add(DataKind::kMild, k, kTies, false);
      add(DataKind::kMild, k, kNaN, false);
      add(DataKind::kMild, k, kMostlyInfinite, false);
    }
  }
  add(DataKind::kOutlier, 999, kDrawn, false);
  add(DataKind::kGiant, 999, kNaN, false);
  add(DataKind::kExact, 999, kDrawn, false);  // powers of two: many ties
  add(DataKind::kZero, 100, kDrawn, false);
  add(DataKind::kMild, 4096, kDrawn, true);
  add(DataKind::kMild, 151936, kDrawn, true);
  return specs;
}

class ArgmaxCase : public BoundCase {
 public:
  explicit ArgmaxCase(const CaseSpec& spec)
      : x_(static_cast<std::size_t>(spec.dim("k"))), out_(sizeof(Result)) {
    CaseRandom random(spec.seed);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = random.draw(spec.kind, i);
    const float infinity = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      switch (spec.dim("shape")) {
        case kTies:
          x_[i] = random.next() % 3 == 0 ? 2.0f : 1.0f;
          break;
        case kNaN:
          if (i % 3 == 0) x_[i] = std::numeric_limits<float>::quiet_NaN();
          break;
        case kMostlyInfinite:
          x_[i] = i == x_.size() / 2 ? -3.0f : -infinity;
          break;
        default:
          break;
      }
    }
    if (spec.dim("shape") == kFirst) x_.front() = 100;
    if (spec.dim("shape") == kLast) x_.back() = 100;
    poison();
  }
  void poison() override { out_.poison(); }
  void launch(LaunchFunction function, Launch& launch) override {
    auto* result = out_.as<Result>();
    const ArgmaxArgs args{.x = x_.data(),
                          .index = &result->index,
                          .value = &result->value,
                          .second = &result->second,
                          .k = static_cast<int>(x_.size())};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return {out_.data(), out_.size()}; }
  std::vector<double> values() const override {
    const auto* result = out_.as<Result>();
    return {static_cast<double>(result->index), result->value, result->second};
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    std::size_t winner = x_.size();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (!std::isnan(x_[i]) && (winner == x_.size() || x_[i] > x_[winner])) winner = i;
    }
    double second = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (i != winner && !std::isnan(x_[i]) && x_[i] > second) second = x_[i];
    }
    value = {static_cast<double>(winner), x_[winner], second};
    budget.assign(3, 0.0);
  }
  bool guards_intact() const override { return out_.intact(); }

 private:
  struct Result {
    std::int32_t index;
    float value;
    float second;
  };
  std::vector<float> x_;  // (k)
  GuardedBuffer out_;
};

CaseCost cost(const CaseSpec& spec) {
  return {spec.dim("k") * 4.0, 0};
}

}  // namespace

OpReference argmax_reference() {
  return {"argmax", cases,
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<ArgmaxCase>(spec);
          },
          cost};
}

}  // namespace assay
