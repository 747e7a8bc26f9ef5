// Cases of attention_prefill; values and budgets are those of attention_decode/attention_case.h.
//
// Lengths on both sides of multiples of the tile lengths and of the row blocks, with and without a
// past that itself ends inside, at, or after a tile.
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
struct Length {
  int t;
  int past;
};

constexpr std::array kShapes = {Shape{2, 1, 64, 0, 0}, Shape{1, 2, 40, 8, 0},
                                Shape{4, 1, 64, 0, 1}, Shape{5, 1, 40, 24, 1},
                                Shape{7, 1, 64, 0, 0}, Shape{8, 1, 40, 16, 0}};
constexpr std::array kKinds = {DataKind::kMild, DataKind::kOutlier, DataKind::kGiant};
constexpr std::array kLengths = {
    Length{1, 0},   Length{2, 0},   Length{3, 0},    Length{5, 0},   Length{8, 0},
    Length{17, 0},  Length{31, 0},  Length{32, 0},   Length{33, 0},  Length{40, 0},
    Length{64, 0},  Length{65, 0},  Length{127, 0},  Length{129, 0}, Length{1, 1},
    Length{4, 31},  Length{5, 32},  Length{3, 33},   Length{1, 63},  Length{7, 95},
    Length{9, 100}, Length{2, 126}, Length{33, 127}, Length{3, 508}, Length{1, 999}};

CaseSpec prefill_case(DataKind kind, Length length, const Shape& s, std::uint64_t seed,
                      bool bench) {
  const int heads = s.group * s.kv_heads;
  std::string name = "t=" + std::to_string(length.t) + " past=" + std::to_string(length.past) +
                     " heads=" + std::to_string(heads) + "/" + std::to_string(s.kv_heads) +
                     " d=" + std::to_string(s.d) + (s.pad != 0 ? " padded" : "") +
                     (s.planes != 0 ? " planes" : "") + " " + std::string(to_string(kind));
  return {std::move(name),
          kind,
          {{"t", length.t},
           {"past", length.past},
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
  std::uint64_t seed = 4000;
  for (std::size_t n = 0; n < kLengths.size(); ++n) {
    specs.push_back(prefill_case(kKinds[n % kKinds.size()], kLengths[n],
                                 kShapes[n % kShapes.size()], seed++, false));
  }
  for (const DataKind kind : {DataKind::kExact, DataKind::kZero}) {
    for (const Length length : {Length{1, 0}, Length{9, 0}, Length{35, 30}}) {
      specs.push_back(prefill_case(kind, length, kShapes[specs.size() % 2], seed++, false));
    }
  }
  const Shape model{2, 2, 128, 0, 0};
  specs.push_back(prefill_case(DataKind::kGiant, {20, 50}, model, seed++, false));
  specs.push_back(prefill_case(DataKind::kMild, {128, 0}, model, seed++, true));
  return specs;
}

}  // namespace

OpReference attention_prefill_reference() {
  return {"attention_prefill", cases, bind_attention, attention_cost, kAttentionArithmetic};
}

}  // namespace assay
