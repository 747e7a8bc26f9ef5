// The ids of llama.cpp, text by text, for the model that ships (embedded_tokens.json).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"

namespace assay {
namespace {

using Json = nlohmann::json;

const std::string kRoot = ASSAY_SOURCE_ROOT;

const Json& golden() {
  static const Json table =
      Json::parse(std::ifstream(kRoot + "/engine/tokenizer/embedded_tokens.json"));
  return table;
}

const GgufFile& model() {
  static const GgufFile file =
      GgufFile::open(kRoot + "/" + golden().at("model").get<std::string>());
  return file;
}

const Tokenizer& tokenizer() {
  static const Tokenizer instance = Tokenizer::from_gguf(model()).value();
  return instance;
}

std::string text_of(const Json& row) {
  if (row.contains("text")) return row.at("text").get<std::string>();
  const auto hex = row.at("hex").get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

TEST(EmbeddedTokens, TheTableIsForThisModel) {
  EXPECT_EQ(model().sha256(), golden().at("model_sha256").get<std::string>());
  EXPECT_GE(golden().at("texts").size(), 300u);
}

TEST(EmbeddedTokens, EncodesEveryTextAsLlamaCpp) {
  for (const Json& row : golden().at("texts")) {
    const std::string text = text_of(row);
    EXPECT_EQ(tokenizer().encode(text, false), row.at("plain").get<std::vector<std::int32_t>>())
        << row.dump();
    EXPECT_EQ(tokenizer().encode(text, true), row.at("special").get<std::vector<std::int32_t>>())
        << row.dump();
  }
}

TEST(EmbeddedTokens, DecodesEveryTextBack) {
  for (const Json& row : golden().at("texts")) {
    const std::string text = text_of(row);
    EXPECT_TRUE(repair_utf8(text) == text || row.contains("hex")) << row.dump();
    for (const bool special : {false, true}) {
      EXPECT_EQ(tokenizer().decode(tokenizer().encode(text, special)), repair_utf8(text));
    }
  }
}

TEST(EmbeddedTokens, KnowsTheModelsSpecialTokens) {
  EXPECT_EQ(tokenizer().vocab(), 4096);
  EXPECT_EQ(tokenizer().bos(), 4093);
  EXPECT_EQ(tokenizer().eos(), 4093);
  EXPECT_FALSE(tokenizer().add_bos());
  EXPECT_EQ(tokenizer().token_bytes(4093), "<|endoftext|>");
  EXPECT_EQ(tokenizer().ends(), (std::vector<std::int32_t>{4093, 4095}));  // and <|im_end|>
}

}  // namespace
}  // namespace assay
