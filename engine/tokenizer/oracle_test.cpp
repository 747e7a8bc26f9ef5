// The ids of llama.cpp for the texts of oracle/texts.json, vocabulary by vocabulary
// (scripts/tokenizer_oracle.py wrote them), and what it says of all tokens.
//
// SmolLM2's own vocabulary is too large to be here: its test runs where scripts/fetch_smollm2.sh
// has put the model.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/core/sha256.h"
#include "engine/tokenizer/sentencepiece_text.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary_copy.h"

namespace assay {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<std::int32_t>;

const std::string kRoot = ASSAY_SOURCE_ROOT;
constexpr std::size_t kSpelledOut = 100;  // longer lists are stored as a hash

Json read(const std::string& name) {
  return Json::parse(std::ifstream(kRoot + "/engine/tokenizer/oracle/" + name + ".json"));
}

std::string text_of(const Json& row) {
  if (row.is_string()) return row.get<std::string>();
  std::string text;
  if (row.contains("hex")) {
    const auto hex = row.at("hex").get<std::string>();
    for (std::size_t i = 0; i < hex.size(); i += 2) {
      text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
  } else {
    const auto part = row.at("repeat").get<std::string>();
    for (int i = 0; i < row.at("times").get<int>(); ++i) text += part;
  }
  return text;
}

Json compact(const Ids& ids) {
  if (ids.size() <= kSpelledOut) return ids;
  const std::string digest = sha256_hex(std::as_bytes(std::span(ids)));
  return std::to_string(ids.size()) + ":" + digest.substr(0, 16);
}

MetadataChanges changes_of(const Json& table) {
  MetadataChanges changes;
  for (const auto& [key, value] : table.at("changes").items()) {
    if (value.is_boolean()) {
      changes[key] = value.get<bool>();
    } else {
      changes[key] = value.get<std::string>();
    }
  }
  return changes;
}

Tokenizer tokenizer_of(const Json& table) {
  const GgufFile file = GgufFile::open(kRoot + "/" + table.at("vocabulary").get<std::string>());
  const std::vector<std::byte> copy = vocabulary_copy(file, changes_of(table));
  return Tokenizer::from_gguf(GgufFile::from_memory(copy, "copy")).value();
}

void compare(const Json& table, const Tokenizer& tokenizer) {
  const Json texts = read("texts");
  ASSERT_GE(texts.size(), 500u);
  ASSERT_EQ(table.at("ids").size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = text_of(texts[i]);
    const Json& ids = table.at("ids")[i];
    EXPECT_EQ(compact(tokenizer.encode(text, false)), ids.front()) << i << " " << texts[i].dump();
    EXPECT_EQ(compact(tokenizer.encode(text, true)), ids.back()) << i << " " << texts[i].dump();
  }
  EXPECT_EQ(tokenizer.vocab(), table.at("tokens").get<int>());
  EXPECT_EQ(tokenizer.ends(), table.at("ends").get<Ids>());
  EXPECT_EQ(tokenizer.enclose(tokenizer.encode("a", false)), table.at("enclosed").get<Ids>());
  std::string pieces;
  for (std::int32_t token = 0; token < tokenizer.vocab(); ++token) {
    const std::string_view piece = tokenizer.token_bytes(token);
    const auto size = static_cast<std::uint32_t>(piece.size());
    pieces.append(reinterpret_cast<const char*>(&size), sizeof(size));
    pieces += piece;
  }
  EXPECT_EQ(sha256_hex(pieces), table.at("pieces").get<std::string>());
}

class Oracle : public testing::TestWithParam<const char*> {};

TEST_P(Oracle, GivesTheIdsOfLlamaCpp) {
  const Json table = read(GetParam());
  compare(table, tokenizer_of(table));
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, Oracle,
                         testing::Values("gpt-2", "llama-bpe", "qwen2", "smollm", "sentencepiece",
                                         "sentencepiece-no-prefix"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(OracleOfSmolLM2, GivesTheIdsOfLlamaCpp) {
  const Json table = read("smollm2");
  const std::string path = kRoot + "/" + table.at("vocabulary").get<std::string>();
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << path << " is not there; scripts/fetch_smollm2.sh fetches it";
  }
  compare(table, Tokenizer::from_gguf(GgufFile::open(path)).value());
}

// SentencePiece keeps bytes that are no UTF-8; a U+2581 may stay of a space that it took for the
// rest of a character. Byte-level vocabularies repair them.
TEST(OracleTexts, DecodeToWhatWasEncoded) {
  const Tokenizer bytes = tokenizer_of(read("gpt-2"));
  const Tokenizer pieces = tokenizer_of(read("sentencepiece-no-prefix"));
  for (const Json& row : read("texts")) {
    const std::string text = text_of(row);
    EXPECT_EQ(bytes.decode(bytes.encode(text, true)), repair_utf8(text)) << row.dump();
    if (text.find("\xe2\x96\x81") != std::string::npos) continue;  // read as a space
    EXPECT_EQ(marks_to_spaces(pieces.decode(pieces.encode(text, true))), text) << row.dump();
  }
}

}  // namespace
}  // namespace assay
