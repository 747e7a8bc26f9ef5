#include "engine/model_tool/info.h"

#include <gtest/gtest.h>

#include "engine/model/tiny_model.h"
#include "engine/model_tool/model_file.h"

namespace assay {
namespace {

TEST(Info, OfTheEmbeddedModel) {
  EXPECT_EQ(to_text(read_info(open_model_file("embedded"))),
            "file          embedded\n"
            "bytes         7696736\n"
            "format        GGUF version 3, alignment 32\n"
            "architecture  \"qwen2\"\n"
            "name          \"Assay embedded\"\n"
            "parameters    11938304\n"
            "shape         5 layers, width 512, 4 heads and 2 KV heads of 128, feed-forward 768, "
            "vocabulary 4096\n"
            "context       1024\n"
            "tokeniser     \"gpt2\" (byte-level BPE), pre-tokeniser \"qwen2\", 4096 tokens\n"
            "tensors         31 of q4_K         4939776 bytes\n"
            "tensors          5 of q6_K         2580480 bytes\n"
            "tensors         26 of f32            43008 bytes\n"
            "runs here     yes\n");
}

TEST(Info, AsJson) {
  const nlohmann::json json = to_json(read_info(open_model_file("embedded")));
  EXPECT_EQ(json["version"], 3);
  EXPECT_EQ(json["shape"]["kv_heads"], 2);
  EXPECT_EQ(json["shape"]["vocab"], 4096);
  EXPECT_EQ(json["types"][0]["type"], "q4_K");
  EXPECT_EQ(json["types"][0]["tensors"], 31);
  EXPECT_EQ(json["tokenizer"]["pre"], "qwen2");
  EXPECT_EQ(json["runs"], true);
}

TEST(Info, WhatCannotRunSaysWhy) {
  GgufBuilder builder;
  builder.string("general.architecture", "mamba")
      .string("mamba.block_count", "many")
      .tensor("a", {256}, 10, std::vector<std::byte>(84))
      .tensor("b", {1}, 99, std::vector<std::byte>(4));
  const std::vector<std::byte> bytes = builder.build();
  const ModelInfo info = read_info(GgufFile::from_memory(bytes, "m.gguf"));
  EXPECT_EQ(info.obstacle, "general.architecture is 'mamba'; known: llama, qwen2, qwen3");
  EXPECT_EQ(info.shape.at("layers"), std::nullopt);
  const std::string text = to_text(info);
  EXPECT_NE(text.find("tensors          1 of q2_K      size not known here\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("tensors          1 of type 99   size not known here\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("shape         ? layers, width ?,"), std::string::npos) << text;
  EXPECT_EQ(to_json(info)["types"][0]["bytes"], nullptr);
  EXPECT_EQ(to_json(info)["runs"], false);
}

TEST(Info, TextOfTheFileCannotReachTheTerminalRaw) {
  GgufBuilder builder;
  builder.string("general.architecture", "m\x1b[2J").string("general.name", "n\x1b[31m");
  const std::vector<std::byte> bytes = builder.build();
  const std::string text = to_text(read_info(GgufFile::from_memory(bytes, "m\x1b.gguf")));
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_NE(text.find("runs here     no: general.architecture is 'm\\x1b[2J'; known: llama, qwen2, "
                      "qwen3\n"),
            std::string::npos)
      << text;
}

TEST(Info, AModelWithoutAVocabularyRuns) {
  const std::vector<std::byte> bytes = tiny_model_bytes();
  const ModelInfo info = read_info(GgufFile::from_memory(bytes, "tiny"));
  EXPECT_EQ(info.obstacle, "");
  EXPECT_NE(to_text(info).find("tokeniser     none: prompts are token numbers\n"),
            std::string::npos);
}

TEST(Info, AFileWithoutAnythingIsDescribed) {
  const std::vector<std::byte> bytes = GgufBuilder().build();
  const ModelInfo info = read_info(GgufFile::from_memory(bytes, "m"));
  EXPECT_EQ(info.parameters, 0u);
  EXPECT_EQ(info.obstacle, "metadata \"general.architecture\" is missing: convert the model again");
}

}  // namespace
}  // namespace assay
