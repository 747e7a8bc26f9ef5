// A hand-made SentencePiece vocabulary with results worked out on paper; its faults. Agreement with
// llama.cpp is in oracle_test.cpp.
#include "engine/tokenizer/sentencepiece.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/core/error.h"
#include "engine/gguf/gguf_builder.h"
#include "engine/tokenizer/sentencepiece_text.h"
#include "engine/tokenizer/tokenizer.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr int kFirstPiece = 3 + 256;

// <unk>, <s>, </s>, the bytes, then pieces.
struct Parts {
  std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
  std::vector<std::int32_t> types{2, 3, 3};
  std::vector<float> scores{0, 0, 0};
  std::vector<std::pair<std::string, bool>> flags;

  Parts() {
    for (int byte = 0; byte < 256; ++byte) add(text_of_byte(static_cast<std::uint8_t>(byte)), 0, 6);
    add("\xe2\x96\x81", -9);  // 259: a space
    add("a", -10);            // 260
    add("b", -11);            // 261
    add("c", -12);            // 262
    add("ab", -1);            // 263
    add("bc", -0.5f);         // 264
    add("aa", -2);            // 265
    add("\xe2\x96\x81"
        "a",
        -3);                  // 266
    add("<tool>", 0, 4);      // 267
    add("gone", 0, 5);        // 268
    add("<|eot_id|>", 0, 1);  // 269: a control token whatever the file says
  }
  void add(const std::string& text, float score, std::int32_t type = 1) {
    tokens.push_back(text);
    scores.push_back(score);
    types.push_back(type);
  }

  std::vector<std::byte> build() const {
    GgufBuilder builder;
    builder.string("tokenizer.ggml.model", "llama")
        .strings("tokenizer.ggml.tokens", tokens)
        .array("tokenizer.ggml.token_type", GgufType::kI32, types);
    if (!scores.empty()) builder.array("tokenizer.ggml.scores", GgufType::kF32, scores);
    for (const auto& [key, value] : flags) builder.boolean("tokenizer.ggml." + key, value);
    return builder.build();
  }
};

Tokenizer load(const Parts& parts) {
  const std::vector<std::byte> bytes = parts.build();
  return Tokenizer::from_gguf(GgufFile::from_memory(bytes, "m.gguf")).value();
}

Parts without_prefix() {
  Parts parts;
  parts.flags = {{"add_space_prefix", false}};
  return parts;
}

std::string fault(const Parts& parts) {
  try {
    load(parts);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

Ids byte_ids(std::initializer_list<int> bytes) {
  Ids ids;
  for (const int byte : bytes) ids.push_back(3 + byte);
  return ids;
}

TEST(SentencePiece, MergesTheHighestScoreFirst) {
  const Tokenizer tokenizer = load(without_prefix());
  EXPECT_EQ(tokenizer.encode("", true), Ids{});
  EXPECT_EQ(tokenizer.encode("ab", true), Ids{263});
  EXPECT_EQ(tokenizer.encode("abc", true), (Ids{260, 264}));  // bc outscores ab
  EXPECT_EQ(tokenizer.encode("aab", true), (Ids{260, 263}));  // ab outscores aa
}

TEST(SentencePiece, EqualScoresMergeFromTheLeft) {
  const Tokenizer tokenizer = load(without_prefix());
  EXPECT_EQ(tokenizer.encode("aaa", true), (Ids{265, 260}));
  EXPECT_EQ(tokenizer.encode("aaaaa", true), (Ids{265, 265, 260}));
}

TEST(SentencePiece, ASpaceGoesBeforeTheTextAndAfterSpecialTokens) {
  const Tokenizer tokenizer = load({});
  EXPECT_EQ(tokenizer.encode("", true), Ids{});
  EXPECT_EQ(tokenizer.encode("a", true), Ids{266});
  EXPECT_EQ(tokenizer.encode(" a", true), (Ids{259, 266}));
  EXPECT_EQ(tokenizer.encode("a</s>a", true), (Ids{266, 2, 266}));
  EXPECT_EQ(tokenizer.encode("<tool>c", false), (Ids{267, 259, 262}));
  EXPECT_EQ(tokenizer.decode(Ids{266, 259, 262}), " a c");
}

TEST(SentencePiece, WhatIsNoTokenBecomesBytes) {
  const Tokenizer tokenizer = load(without_prefix());
  EXPECT_EQ(tokenizer.encode("\xc3\xa9", true), byte_ids({0xc3, 0xa9}));
  EXPECT_EQ(tokenizer.encode("\xff\n", true), byte_ids({0xff, 0x0a}));
  // A first byte that declares more than there is takes what there is.
  EXPECT_EQ(tokenizer.encode("\xf0"
                             "ab",
                             true),
            byte_ids({0xf0, 'a', 'b'}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("\xf0\x80z", true)), "\xf0\x80z");
}

TEST(SentencePiece, ControlTokensOnlyWhenAskedFor) {
  const Tokenizer tokenizer = load(without_prefix());
  EXPECT_EQ(tokenizer.encode("</s>", true), Ids{2});
  EXPECT_EQ(tokenizer.encode("</s>", false), byte_ids({'<', '/', 's', '>'}));
  EXPECT_EQ(tokenizer.encode("<|eot_id|>", true), Ids{269});
  EXPECT_EQ(tokenizer.encode("<|eot_id|>", false).size(), 10u);
  EXPECT_EQ(tokenizer.ends(), (Ids{2, 269}));
}

TEST(SentencePiece, StartTokenUnlessTheFileSaysOtherwise) {
  const Tokenizer usual = load({});
  EXPECT_EQ(usual.bos(), 1);
  EXPECT_EQ(usual.eos(), 2);
  EXPECT_EQ(usual.enclose({260}), (Ids{1, 260}));
  Parts parts;
  parts.flags = {{"add_bos_token", false}, {"add_eos_token", true}};
  EXPECT_EQ(load(parts).enclose({260}), (Ids{260, 2}));
}

TEST(SentencePiece, UnusedTokensStandForNothing) {
  EXPECT_EQ(load({}).decode(Ids{260, 268, 261}), "ab");
}

// A queue of candidates; searching all pairs after each merge would take hours here.
TEST(SentencePiece, MergesAMegabyte) {
  const Ids ids = load(without_prefix()).encode(std::string(1'000'000, 'a'), false);
  EXPECT_EQ(ids, Ids(500'000, 265));
}

TEST(SentencePiece, ByteTokensMayBeTheCharacterItself) {
  Parts parts = without_prefix();
  parts.tokens[3 + 'z'] = "z";
  parts.types[3 + 'z'] = 1;
  EXPECT_EQ(load(parts).encode("z", false), Ids{3 + 'z'});
}

TEST(SentencePiece, NamesFaults) {
  Parts unscored;
  unscored.scores.clear();
  EXPECT_EQ(fault(unscored),
            "m.gguf: metadata \"tokenizer.ggml.scores\" is missing: convert the model again");
  Parts few;
  few.scores.pop_back();
  EXPECT_EQ(fault(few),
            "m.gguf: metadata \"tokenizer.ggml.scores\": has 269 entries for 270 tokens: convert "
            "the model again");
  Parts nan;
  nan.scores[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(fault(nan),
            "m.gguf: metadata \"tokenizer.ggml.scores\": entry 7 is not a number: convert the "
            "model again");
  Parts byteless;
  byteless.tokens[3 + 0x80] = "other";
  byteless.types[3 + 0x80] = 1;
  EXPECT_EQ(fault(byteless),
            "m.gguf: metadata \"tokenizer.ggml.tokens\": has no token \"<0x80>\" for byte 0x80: "
            "convert the model again");
  Parts odd;
  odd.types[kFirstPiece] = 6;
  EXPECT_EQ(fault(odd),
            "m.gguf: metadata \"tokenizer.ggml.tokens\": entry 259 is \"\\xe2\\x96\\x81\", and "
            "byte tokens are written \"<0x00>\" to \"<0xFF>\": convert the model again");
}

TEST(SentencePieceText, BytesHaveTheirOwnSpelling) {
  EXPECT_EQ(text_of_byte(0x0a), "<0x0A>");
  EXPECT_EQ(byte_of_text("<0x0A>"), 10);
  EXPECT_EQ(byte_of_text("<0xff>"), 255);
  for (const char* other : {"", "<0x0A", "<0x-1>", "<0x+1>", "<0x0G>", "<0x0AA>", "a0x0A>"}) {
    EXPECT_EQ(byte_of_text(other), -1) << other;
  }
}

TEST(SentencePieceText, SpacesAreMarks) {
  EXPECT_EQ(spaces_to_marks(" a  "),
            "\xe2\x96\x81"
            "a\xe2\x96\x81\xe2\x96\x81");
  EXPECT_EQ(marks_to_spaces("\xe2\x96\x81"
                            "a\xe2\x96\x81\xe2\x96\x81\xe2\x96"),
            " a  \xe2\x96");
}

}  // namespace
}  // namespace assay
