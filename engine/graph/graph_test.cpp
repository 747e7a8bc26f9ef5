#include "engine/graph/graph.h"

#include <gtest/gtest.h>

#include "engine/gguf/file.h"
#include "engine/model/tiny_model.h"

namespace assay {
namespace {

struct Built {
  Built()
      : bytes(tiny_model_bytes()),
        file(GgufFile::from_memory(bytes, "tiny")),
        model(read_model(file)),
        graph(build_graph(model)) {}
  std::vector<std::byte> bytes;
  GgufFile file;
  Model model;
  Graph graph;
};

std::string text_of(const std::vector<GraphOp>& ops, int layer) {
  std::string text;
  for (const GraphOp& op : ops) {
    if (op.layer == layer) text += to_string(op) + "\n";
  }
  return text;
}

TEST(Graph, ALayerOfADecodeStepReadsAsTheModelIsDefined) {
  EXPECT_EQ(text_of(Built().graph.decode, 0),
            "0 rms_norm hidden -> normed blk.0.attn_norm.weight (256, 256)\n"
            "0 quantize_activations normed -> quantized (256, 256)\n"
            "0 matvec_q4k quantized -> query blk.0.attn_q.weight (256, 256)\n"
            "0 matvec_q4k quantized -> key blk.0.attn_k.weight (128, 256)\n"
            "0 matvec_q6k quantized -> value blk.0.attn_v.weight (128, 256)\n"
            "0 add query -> query blk.0.attn_q.bias (256, 256)\n"
            "0 add key -> key blk.0.attn_k.bias (128, 128)\n"
            "0 add value -> value blk.0.attn_v.bias (128, 128)\n"
            "0 rope query -> query (2, 128)\n"
            "0 rope key -> key (1, 128)\n"
            "0 kv_store key, value -> cache (1, 128)\n"
            "0 attention_decode query, cache -> attended (2, 128)\n"
            "0 quantize_activations attended -> quantized (256, 256)\n"
            "0 matvec_q4k quantized -> projected blk.0.attn_output.weight (256, 256)\n"
            "0 add hidden, projected -> hidden (256, 256)\n"
            "0 rms_norm hidden -> normed blk.0.ffn_norm.weight (256, 256)\n"
            "0 quantize_activations normed -> quantized (256, 256)\n"
            "0 matvec_q4k quantized -> gate blk.0.ffn_gate.weight (512, 256)\n"
            "0 matvec_q4k quantized -> up blk.0.ffn_up.weight (512, 256)\n"
            "0 swiglu gate, up -> gate (512, 512)\n"
            "0 quantize_activations gate -> quantized (512, 512)\n"
            "0 matvec_q6k quantized -> projected blk.0.ffn_down.weight (256, 512)\n"
            "0 add hidden, projected -> hidden (256, 256)\n");
}

TEST(Graph, FloatWeightsReadTheActivationsThemselves) {
  const std::string layer = text_of(Built().graph.prefill, 1);
  EXPECT_NE(layer.find("1 matmul_f16 normed -> key blk.1.attn_k.weight (128, 256)\n"),
            std::string::npos);
  EXPECT_NE(layer.find("1 attention_prefill query, cache -> attended (2, 128)\n"
                       "1 matmul_f32 attended -> projected blk.1.attn_output.weight (256, 256)\n"),
            std::string::npos);
}

TEST(Graph, LogitsOfAnyRowComeFromTheDecodeKernels) {
  EXPECT_EQ(text_of(Built().graph.output, -1),
            "- rms_norm hidden -> normed output_norm.weight (256, 256)\n"
            "- quantize_activations normed -> quantized (256, 256)\n"
            "- matvec_q6k quantized -> logits token_embd.weight (300, 256)\n"
            "- argmax logits -> top (1, 300)\n");
}

TEST(Graph, PrefillAndDecodeShareNoLinearLayerOrAttention) {
  const Built built;
  for (const GraphOp& op : built.graph.prefill) {
    EXPECT_FALSE(op.op.starts_with("matvec") || op.op == "attention_decode") << to_string(op);
  }
  for (const GraphOp& op : built.graph.decode) {
    EXPECT_FALSE(op.op.starts_with("matmul") || op.op == "attention_prefill") << to_string(op);
  }
}

TEST(Graph, EveryOpIsNamedOnce) {
  const std::vector<std::string> expected{"embed",
                                          "rms_norm",
                                          "quantize_activations",
                                          "matmul_q4k",
                                          "matmul_q6k",
                                          "add",
                                          "rope",
                                          "kv_store",
                                          "attention_prefill",
                                          "swiglu",
                                          "matmul_q8_0",
                                          "matmul_f16",
                                          "matmul_f32",
                                          "matvec_q4k",
                                          "matvec_q6k",
                                          "attention_decode",
                                          "matvec_q8_0",
                                          "matvec_f16",
                                          "matvec_f32",
                                          "argmax"};
  EXPECT_EQ(ops_of(Built().graph), expected);
}

}  // namespace
}  // namespace assay
