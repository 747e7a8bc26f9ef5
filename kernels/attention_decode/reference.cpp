// Cases of attention_decode; values and budgets are those of attention_case.h.
//
// Lengths: 1..40 each, both sides of every multiple of a tile length, and longer ones. Groups,
// head_dim, strides and layouts of the cache vary over the lengths.
#include <array>

#include "kernels/attention_decode/attention_case.h"
#include "kernels/ops.h"

namespace assay {
namespace {

struct Shape {
  int group;
  int kv_heads;
  int d;
  int pad;
  int planes;
};

constexpr std::array kShapes = {Shape{2, 2, 64, 0, 0},  Shape{1, 3, 128, 8, 0},
                                Shape{4, 1, 40, 0, 1},  Shape{5, 2, 64, 24, 1},
                                Shape{7, 1, 128, 0, 0}, Shape{8, 2, 40, 16, 0}};
constexpr std::array kKinds = {DataKind::kMild, DataKind::kOutlier, DataKind::kGiant};
constexpr std::array kLong = {63, 64, 65, 96, 97, 127, 128, 129, 192, 511, 1000};

CaseSpec decode_case(DataKind kind, int nkv, const Shape& s, std::uint64_t seed, bool bench) {
  const int heads = s.group * s.kv_heads;
  std::string name = "nkv=" + std::to_string(nkv) + " heads=" + std::to_string(heads) + "/" +
                     std::to_string(s.kv_heads) + " d=" + std::to_string(s.d) +
                     (s.pad != 0 ? " padded" : "") + (s.planes != 0 ? " planes" : "") + " " +
                     std::string(to_string(kind));
  return {std::move(name),
          kind,
          {{"nkv", nkv},
           {"heads", heads},
           {"group", s.group},
           {"d", s.d},
           {"pad", s.pad},
           {"planes", s.planes}},
          seed,
          bench};
}

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 3000;
  for (int nkv = 1; nkv <= 40; ++nkv) {
    const auto n = static_cast<std::size_t>(nkv);
    specs.push_back(
        decode_case(kKinds[n % kKinds.size()], nkv, kShapes[n % kShapes.size()], seed++, false));
  }
  for (std::size_t n = 0; n < kLong.size(); ++n) {
    specs.push_back(decode_case(kKinds[n % kKinds.size()], kLong[n],
                                kShapes[(n + 1) % kShapes.size()], seed++, false));
  }
  for (const DataKind kind : {DataKind::kExact, DataKind::kZero}) {
    for (const int nkv : {1, 7, 33, 65}) {
      specs.push_back(decode_case(kind, nkv, kShapes[specs.size() % 2], seed++, false));
    }
  }
  const Shape model{2, 2, 128, 0, 0};
  specs.push_back(decode_case(DataKind::kMild, 128, model, seed++, true));
  specs.push_back(decode_case(DataKind::kMild, 1000, model, seed++, true));
  return specs;
}

}  // namespace

OpReference attention_decode_reference() {
  return {"attention_decode", cases, bind_attention, attention_cost, kAttentionArithmetic};
}

}  // namespace assay
