// Costs of a whole graph, held against counts by hand.
#include "engine/worker/op_costs.h"

#include <gtest/gtest.h>

#include "engine/backend/cpu/service_of_level.h"
#include "engine/gguf/file.h"
#include "engine/model/tiny_model.h"

#include <cstdio>

namespace assay {
namespace {

// The tiny model: 2 layers, 256 wide, 2 heads of 128, 1 kv head, feed-forward 512, vocabulary 300.
class OpCosts : public testing::Test {
 protected:
  OpCosts()
      : path_(write_tiny_model()),
        file_(GgufFile::open(path_)),
        model_(read_model(file_)),
        graph_(build_graph(model_)),
        service_(service_of_level(CpuLevel::kPortable)) {}
  ~OpCosts() override { std::remove(path_.c_str()); }

  CaseCost of(const WorkShape& work, bool prompt, const std::string& variant) const {
    return costs_of(model_, graph_, service_, work, prompt).at(variant);
  }

  std::string path_;
  GgufFile file_;
  Model model_;
  Graph graph_;
  ServiceSelection service_;
};

constexpr const char* kDecode = "attention_decode.cpu.portable[tkv=32]";
constexpr const char* kPrefill = "attention_prefill.cpu.portable[tkv=32]";

TEST_F(OpCosts, StepsReadTheCacheAsFarAsTheyAre) {
  // Steps at positions 5 and 6 see 6 and 7: K and V of 128 halves each, Q and output of 256 floats.
  const CaseCost cost = of({.prompt = 5, .steps = 2}, false, kDecode);
  EXPECT_EQ(cost.bytes, 2 * (13 * 2 * 128 * 2 + 2 * (2 * 256 * 4)));
  EXPECT_EQ(cost.flops, 2.0 * 13 * 2 * 4 * 128);
}

TEST_F(OpCosts, APromptIsWhatItsChunksAre) {
  const CaseCost whole = of({.prompt = 6}, true, kPrefill);
  EXPECT_EQ(whole.flops, 2.0 * 21 * 2 * 4 * 128);  // 1 + 2 + ... + 6 pairs a head and layer
  EXPECT_EQ(of({.prompt = 6, .chunk = 2}, true, kPrefill).flops, whole.flops);
  EXPECT_GT(of({.prompt = 6, .chunk = 2}, true, kPrefill).bytes, whole.bytes);
}

TEST_F(OpCosts, OneRowOfLogitsUnlessAllAreWanted) {
  const double row = of({.prompt = 6}, true, "argmax.cpu.portable").bytes;
  EXPECT_EQ(row, 300 * 4);
  EXPECT_EQ(of({.prompt = 6, .all_rows = true}, true, "argmax.cpu.portable").bytes, 6 * row);
  EXPECT_EQ(of({.prompt = 6, .steps = 3}, false, "argmax.cpu.portable").bytes, 3 * row);
}

TEST_F(OpCosts, EveryOpOfTheGraphCostsSomething) {
  for (const auto* list : {&graph_.prefill, &graph_.decode, &graph_.output}) {
    for (const GraphOp& op : *list) {
      EXPECT_GT(cost_of(model_.hyper, op, {.t = 1, .first = 3}).bytes, 0) << to_string(op);
    }
  }
}

TEST_F(OpCosts, ARepeatedHeadNormCountsItsHeads) {
  GraphOp op{.kind = OpKind::kRmsNorm, .op = "rms_norm", .n = 256, .k = 128};
  const double heads = cost_of(model_.hyper, op, {.t = 3}).flops;
  EXPECT_EQ(heads, 4.0 * 3 * 256);
}

}  // namespace
}  // namespace assay
