// embed must be exact: the f32 rounding of each format's formula in fp64.
//
// Scale, code and offset are exact in f32 and their product in fp64, so one rounding to f32 is all
// that a kernel may do. Rows of tokens that are not asked for hold NaN.
#include <cstring>
#include <string>

#include "kernels/blocks.h"
#include "kernels/embed/embed.h"
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr int kVocab = 11;
constexpr int kUnused = 4;  // a token that no case asks for

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 1000;
  const auto add = [&](DataKind kind, DType dtype, int t, int k, bool bench) {
    std::string name = std::string(traits(dtype).name) + " t=" + std::to_string(t) +
                       " k=" + std::to_string(k) + " " + std::string(to_string(kind));
    specs.push_back({std::move(name),
                     kind,
                     {{"dtype", static_cast<int>(dtype)}, {"t", t}, {"k", k}},
                     seed++,
                     bench});
  };
  for (const DTypeTraits& type : all_dtypes()) {
    const DType dtype = type.dtype;
    const int block = type.block;
    for (const int t : {1, 3, 33}) add(DataKind::kMild, dtype, t, block == 1 ? 13 : block, false);
    add(DataKind::kMild, dtype, 5, 768, false);
    add(DataKind::kMild, dtype, 128, 512, true);
  }
  add(DataKind::kZero, DType::kF32, 2, 40, false);
  add(DataKind::kOutlier, DType::kF32, 2, 40, false);
  return specs;
}

double exact_element(DType dtype, const std::byte* row, int i) {
  const WeightParts parts = weight_parts(dtype, row, i);
  return parts.product - parts.offset;
}

class EmbedCase : public BoundCase {
 public:
  explicit EmbedCase(const CaseSpec& spec)
      : dtype_(static_cast<DType>(spec.dim("dtype"))),
        t_(spec.dim("t")),
        k_(spec.dim("k")),
        row_(row_bytes(dtype_, static_cast<std::size_t>(k_))),
        table_(row_ * kVocab),
        tokens_(static_cast<std::size_t>(t_)),
        out_(tokens_.size() * static_cast<std::size_t>(k_) * sizeof(float)) {
    CaseRandom random(spec.seed);
    random.fill_weights(dtype_, kVocab, k_, table_.data());
    if (dtype_ == DType::kF32 && spec.kind != DataKind::kMild) {
      for (std::size_t i = 0; i < table_.size() / sizeof(float); ++i) {
        table_.as<float>()[i] = random.draw(spec.kind, i);
      }
    }
    std::memset(table_.data() + row_ * kUnused, 0xff, row_);
    for (std::int32_t& token : tokens_) {
      token = static_cast<std::int32_t>(random.next() % kVocab);
      if (token == kUnused) token = kVocab - 1;
    }
  }
  void poison() override { out_.poison(); }
  void launch(LaunchFunction function, Launch& launch) override {
    const EmbedArgs args{.table = table_.data(),
                         .dtype = dtype_,
                         .tokens = tokens_.data(),
                         .out = out_.as<float>(),
                         .t = t_,
                         .k = k_,
                         .vocab = kVocab};
    function(&args, launch);
  }
  std::span<const std::byte> output() const override { return {out_.data(), out_.size()}; }
  std::vector<double> values() const override {
    return {out_.as<float>(), out_.as<float>() + out_.size() / sizeof(float)};
  }
  void expected(std::vector<double>& value, std::vector<double>& budget) const override {
    value.clear();
    for (const std::int32_t token : tokens_) {
      const std::byte* row = table_.data() + row_ * static_cast<std::size_t>(token);
      for (int i = 0; i < k_; ++i) {
        value.push_back(static_cast<float>(exact_element(dtype_, row, i)));
      }
    }
    budget.assign(value.size(), 0.0);
  }
  bool guards_intact() const override { return out_.intact() && table_.intact(); }

 private:
  DType dtype_;
  int t_;
  int k_;
  std::size_t row_;      // bytes
  GuardedBuffer table_;  // (vocab, k)
  std::vector<std::int32_t> tokens_;
  GuardedBuffer out_;  // (t, k)
};

CaseCost cost(const CaseSpec& spec) {
  const double row = static_cast<double>(
      row_bytes(static_cast<DType>(spec.dim("dtype")), static_cast<std::size_t>(spec.dim("k"))));
  return {spec.dim("t") * (row + spec.dim("k") * 4.0), 2.0 * spec.dim("t") * spec.dim("k")};
}

}  // namespace

OpReference embed_reference() {
  return {"embed", cases,
          [](const CaseSpec& spec) -> std::unique_ptr<BoundCase> {
            return std::make_unique<EmbedCase>(spec);
          },
          cost};
}

}  // namespace assay
