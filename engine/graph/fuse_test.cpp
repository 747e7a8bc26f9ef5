#include "engine/graph/fuse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/gguf/file.h"
#include "engine/model/tiny_model.h"

namespace assay {
namespace {

const CompoundOps kAll{"add_rms_norm_quantize", "add_rms_norm_halve", "swiglu_quantize",
                       "swiglu_halve", "rope_store"};

struct Built {
  explicit Built(const std::string& architecture, const ActivationForms& forms = {})
      : bytes(tiny_model_bytes({.architecture = architecture})),
        file(GgufFile::from_memory(bytes, "tiny")),
        model(read_model(file)),
        graph(build_graph(model, forms)) {}
  std::vector<std::byte> bytes;
  GgufFile file;
  Model model;
  Graph graph;
};

// Every linear op of a prompt reads halves, as with the vendor's GEMM.
ActivationForms all_halves() {
  ActivationForms forms;
  for (const DTypeTraits& type : all_dtypes()) {
    forms.emplace(fmt::format("matmul_{}", type.suffix), ActivationForm::kHalf);
  }
  return forms;
}

std::string text_of(const std::vector<GraphOp>& ops, int layer) {
  std::string text;
  for (const GraphOp& op : ops) {
    if (op.layer == layer) text += to_string(op) + "\n";
  }
  return text;
}

int count_of(const std::vector<GraphOp>& ops, const std::string& name) {
  return static_cast<int>(
      std::count_if(ops.begin(), ops.end(), [&](const GraphOp& op) { return op.op == name; }));
}

TEST(Fuse, WithoutRowsForCompoundsAGraphStaysAsItIs) {
  const ServiceSelection cpu{{"rms_norm", {{.key = "", .variant = "rms_norm.cpu.portable"}}},
                             {"add", {{.key = "", .variant = "add.cpu.portable"}}}};
  EXPECT_TRUE(compounds_of(cpu).empty());
  for (const char* architecture : {"qwen2", "llama", "qwen3"}) {
    const Built built(architecture);
    const Graph same = fused(built.graph, compounds_of(cpu));
    for (const int layer : {-1, 0, 1}) {
      EXPECT_EQ(text_of(same.prefill, layer), text_of(built.graph.prefill, layer));
      EXPECT_EQ(text_of(same.decode, layer), text_of(built.graph.decode, layer));
      EXPECT_EQ(text_of(same.output, layer), text_of(built.graph.output, layer));
    }
  }
}

TEST(Fuse, CompoundsAreThoseThatTheMapHasRowsFor) {
  const ServiceSelection service{
      {"rope", {{.key = "", .variant = "rope.cuda.pairs"}}},
      {"rope_store", {{.key = "", .variant = "rope_store.cuda.separate"}}},
      {"swiglu_halve", {{.key = "", .variant = "swiglu_halve.cuda.fused"}}}};
  EXPECT_EQ(compounds_of(service), (CompoundOps{"rope_store", "swiglu_halve"}));
}

TEST(Fuse, ALayerOfADecodeStepTakesEveryCompound) {
  EXPECT_EQ(
      text_of(fuse(Built("qwen2").graph.decode, kAll), 0),
      "0 add_rms_norm_quantize hidden -> quantized blk.0.attn_norm.weight (256, 256)\n"
      "0 matvec_q4k quantized -> query blk.0.attn_q.weight (256, 256)\n"
      "0 matvec_q4k quantized -> key blk.0.attn_k.weight (128, 256)\n"
      "0 matvec_q6k quantized -> value blk.0.attn_v.weight (128, 256)\n"
      "0 rope_store query, key, value -> cache blk.0.attn_q.bias blk.0.attn_k.bias "
      "blk.0.attn_v.bias (2, 128)\n"
      "0 attention_decode query, cache -> attended (2, 128)\n"
      "0 quantize_activations attended -> quantized (256, 256)\n"
      "0 matvec_q4k quantized -> projected blk.0.attn_output.weight (256, 256)\n"
      "0 add_rms_norm_quantize hidden, projected -> quantized blk.0.ffn_norm.weight (256, 256)\n"
      "0 matvec_q4k quantized -> gate blk.0.ffn_gate.weight (512, 256)\n"
      "0 matvec_q4k quantized -> up blk.0.ffn_up.weight (512, 256)\n"
      "0 swiglu_quantize gate, up -> quantized (512, 512)\n"
      "0 matvec_q6k quantized -> projected blk.0.ffn_down.weight (256, 512)\n"
      "0 add hidden, projected -> hidden (256, 256)\n");
}

// blk.1.attn_k is f16 and reads the normed row, so that must exist; gate and up are float, too.
TEST(Fuse, RowsThatAFloatWeightReadsAreKept) {
  const std::string layer = text_of(fuse(Built("qwen2").graph.decode, kAll), 1);
  EXPECT_TRUE(
      layer.starts_with("1 rms_norm hidden -> normed blk.1.attn_norm.weight (256, 256)\n"
                        "1 quantize_activations normed -> quantized (256, 256)\n"
                        "1 matvec_q8_0 quantized -> query blk.1.attn_q.weight (256, 256)\n"
                        "1 matvec_f16 normed -> key blk.1.attn_k.weight (128, 256)\n"))
      << layer;
  EXPECT_NE(layer.find("1 add hidden, projected -> hidden (256, 256)\n"
                       "1 rms_norm hidden -> normed blk.1.ffn_norm.weight (256, 256)\n"
                       "1 matvec_f16 normed -> gate blk.1.ffn_gate.weight (512, 256)\n"),
            std::string::npos)
      << layer;
  EXPECT_NE(layer.find("1 swiglu_quantize gate, up -> quantized (512, 512)\n"), std::string::npos);
}

TEST(Fuse, TheSumOfALayerGoesIntoTheNormOfTheNext) {
  const Built built("qwen2", all_halves());
  const std::vector<GraphOp> prefill = fuse(built.graph.prefill, kAll);
  const std::string first = text_of(prefill, 0);
  EXPECT_TRUE(first.starts_with(
      "0 add_rms_norm_halve hidden -> halved blk.0.attn_norm.weight (256, 256)\n"))
      << first;
  EXPECT_TRUE(
      first.ends_with("0 swiglu_halve gate, up -> halved (512, 512)\n"
                      "0 matmul_q6k halved -> projected blk.0.ffn_down.weight (256, 512)\n"))
      << first;
  const std::string second = text_of(prefill, 1);
  EXPECT_TRUE(second.starts_with(
      "1 add_rms_norm_halve hidden, projected -> halved blk.1.attn_norm.weight (256, 256)\n"))
      << second;
  EXPECT_TRUE(second.ends_with("1 add hidden, projected -> hidden (256, 256)\n")) << second;
}

TEST(Fuse, TheOutputListOnlyReadsTheResidual) {
  EXPECT_TRUE(text_of(fuse(Built("qwen2").graph.output, kAll), -1)
                  .starts_with("- add_rms_norm_quantize hidden -> quantized output_norm.weight "
                               "(256, 256)\n- matvec_q6k quantized -> logits "));
}

TEST(Fuse, HeadsWithoutBiasesAreTurnedAndStoredAllTheSame) {
  const Built built("llama");
  const std::vector<GraphOp> decode = fuse(built.graph.decode, kAll);
  EXPECT_NE(text_of(decode, 0).find("0 rope_store query, key, value -> cache (2, 128)\n"),
            std::string::npos);
  EXPECT_EQ(count_of(decode, "rope_store"), 2);
  EXPECT_EQ(count_of(decode, "rope"), 0);
}

TEST(Fuse, NormedHeadsKeepTheirParts) {
  const Built built("qwen3");
  const std::vector<GraphOp> decode = fuse(built.graph.decode, kAll);
  EXPECT_EQ(count_of(decode, "rope_store"), 0);
  EXPECT_EQ(count_of(decode, "rope"), 4);
  EXPECT_EQ(count_of(decode, "kv_store"), 2);
  EXPECT_EQ(count_of(decode, "add_rms_norm_quantize"), 2);  // blk.0 attention, blk.1 ffn
}

TEST(Fuse, OneCompoundLeavesTheOthersPartsAlone) {
  const Built built("qwen2");
  const std::vector<GraphOp> decode = fuse(built.graph.decode, {"swiglu_quantize"});
  EXPECT_EQ(count_of(decode, "swiglu_quantize"), 2);
  EXPECT_EQ(count_of(decode, "swiglu"), 0);
  EXPECT_EQ(count_of(decode, "rms_norm"), 4);
  EXPECT_EQ(count_of(decode, "rope"), 4);
}

// What a compound leaves out must have no other reader: a second one, wherever it stands before the
// slot is written again, keeps the parts.
TEST(Fuse, AnyFurtherReaderKeepsTheParts) {
  std::vector<GraphOp> ops{
      {.kind = OpKind::kSwiglu,
       .op = "swiglu",
       .in = Slot::kGate,
       .in2 = Slot::kUp,
       .out = Slot::kGate},
      {.kind = OpKind::kQuantize,
       .op = "quantize_activations",
       .in = Slot::kGate,
       .out = Slot::kQuantized},
      {.kind = OpKind::kMatmul,
       .op = "matvec_q4k",
       .in = Slot::kQuantized,
       .out = Slot::kProjected},
      {.kind = OpKind::kMatmul, .op = "matvec_f32", .in = Slot::kGate, .out = Slot::kLogits}};
  EXPECT_EQ(fuse(ops, kAll).size(), 4u);
  ops[3].in = Slot::kNormed;
  EXPECT_EQ(fuse(ops, kAll).size(), 3u);
}

TEST(Fuse, BiasesCountAmongTheWeightsOfAnOp) {
  const Built built("qwen2");
  for (const GraphOp& op : fuse(built.graph.decode, kAll)) {
    if (op.kind != OpKind::kRopeStore) continue;
    const std::vector<const Weight*> weights = weights_of(op);
    ASSERT_EQ(weights.size(), 3u);
    EXPECT_EQ(weights[2]->name, fmt::format("blk.{}.attn_v.bias", op.layer));
  }
}

}  // namespace
}  // namespace assay
