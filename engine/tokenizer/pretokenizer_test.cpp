#include "engine/tokenizer/pretokenizer.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Words = std::vector<std::string_view>;

Words split(std::string_view text) {
  static const std::optional<Pretokenizer> qwen2 = Pretokenizer::named("qwen2");
  return qwen2.value().split(text);
}

TEST(Pretokenizer, NamesWhatItKnows) {
  EXPECT_TRUE(Pretokenizer::named("qwen2").has_value());
  EXPECT_FALSE(Pretokenizer::named("qwen3").has_value());
  EXPECT_FALSE(Pretokenizer::named("").has_value());
  EXPECT_EQ(Pretokenizer::known_names(),
            "\"gpt-2\", \"llama-bpe\", \"llama3\", \"llama-v3\", \"qwen2\", "
            "\"deepseek-r1-qwen\", \"smollm\"");
}

TEST(Pretokenizer, WordsTakeOneLeadingCharacter) {
  EXPECT_EQ(split(""), Words{});
  EXPECT_EQ(split("Hello, world!"), (Words{"Hello", ",", " world", "!"}));
  EXPECT_EQ(split("(a) _b"), (Words{"(a", ")", " _", "b"}));
  EXPECT_EQ(split("\ta"), (Words{"\ta"}));
  EXPECT_EQ(split("\na"), (Words{"\n", "a"}));
}

TEST(Pretokenizer, ContractionsInBothCases) {
  EXPECT_EQ(split("I'll don'T"), (Words{"I", "'ll", " don", "'T"}));
  EXPECT_EQ(split("'x"), (Words{"'x"}));
  EXPECT_EQ(split("'\xc5\xbfo"), (Words{"'\xc5\xbfo"}));  // a long s is no s
}

TEST(Pretokenizer, EveryDigitIsAWord) {
  EXPECT_EQ(split("a12 3"), (Words{"a", "1", "2", " ", "3"}));
  EXPECT_EQ(split("\xc2\xbd\xd9\xa3"), (Words{"\xc2\xbd", "\xd9\xa3"}));  // 1/2, Arabic three
}

TEST(Pretokenizer, SpacesLeaveOneForTheNextWord) {
  EXPECT_EQ(split("a   b"), (Words{"a", "  ", " b"}));
  EXPECT_EQ(split("a  "), (Words{"a", "  "}));
  EXPECT_EQ(split("a \n b"), (Words{"a", " \n", " b"}));
  EXPECT_EQ(split("!?\r\n\nx"), (Words{"!?\r\n\n", "x"}));
  EXPECT_EQ(split("\xc2\x85\xe2\x80\x83 a"), (Words{"\xc2\x85\xe2\x80\x83", " a"}));
}

TEST(Pretokenizer, MongolianVowelSeparatorIsNoSpace) {
  EXPECT_EQ(split("\xe1\xa0\x8e!"), (Words{"\xe1\xa0\x8e!"}));
  EXPECT_EQ(split(" \xe1\xa0\x8e"), (Words{" \xe1\xa0\x8e"}));
}

TEST(Pretokenizer, KnowsTheLettersAndNumbersOfUnicode15) {
  const std::string ideograph = "\xf0\xb1\x8d\x90";  // U+31350
  EXPECT_EQ(split("a" + ideograph + "'s"), (Words{"a" + ideograph, "'s"}));
  const std::string kawi_one = "\xf0\x91\xbd\x91";  // U+11F51
  EXPECT_EQ(split(kawi_one + kawi_one + "'s"), (Words{kawi_one, kawi_one, "'s"}));
}

TEST(Pretokenizer, SurrogatesAreNeitherLetterNorSpace) {
  EXPECT_EQ(split("a\xed\xa0\x80z"), (Words{"a", "\xed\xa0\x80z"}));
}

TEST(Pretokenizer, LongRunsAreOneWord) {
  for (const char c : {'a', ' ', '\n', '!'}) {
    const std::string text(3'000'000, c);
    EXPECT_EQ(split(text), (Words{text}));
  }
  const std::string spaces = std::string(3'000'000, ' ') + "b";
  EXPECT_EQ(split(spaces), (Words{std::string_view(spaces).substr(0, 2'999'999), " b"}));
}

Words split_as(std::string_view name, std::string_view text) {
  return Pretokenizer::named(name).value().split(text);
}

TEST(Pretokenizer, Gpt2TakesOneSpaceIntoAWord) {
  EXPECT_EQ(split_as("gpt-2", "Hello  wor1ds, it's"),
            (Words{"Hello", " ", " wor", "1", "ds", ",", " it", "'s"}));
  EXPECT_EQ(split_as("gpt-2", "12345 678"), (Words{"12345", " 678"}));
  EXPECT_EQ(split_as("gpt-2", "I'LL"), (Words{"I", "'", "LL"}));  // small letters only
  EXPECT_EQ(split_as("gpt-2", "a \n b\n"), (Words{"a", " \n", " b", "\n"}));
  EXPECT_EQ(split_as("gpt-2", "!?\n"), (Words{"!?", "\n"}));
}

TEST(Pretokenizer, Llama3TakesThreeDigits) {
  EXPECT_EQ(split_as("llama-bpe", "12345 (ab"), (Words{"123", "45", " (", "ab"}));
  EXPECT_EQ(split_as("llama3", "1234567"), (Words{"123", "456", "7"}));
  EXPECT_EQ(split_as("llama-v3", "it'S"), (Words{"it", "'S"}));
}

TEST(Pretokenizer, SmolLMCutsAtDigitsFirst) {
  EXPECT_EQ(split_as("smollm", "a12 3"), (Words{"a", "1", "2", " ", "3"}));
  // The digit ends the text before it: spaces there are one word.
  EXPECT_EQ(split_as("smollm", "a   1"), (Words{"a", "   ", "1"}));
  EXPECT_EQ(split_as("gpt-2", "a   1"), (Words{"a", "  ", " 1"}));
  EXPECT_EQ(split_as("smollm", ""), Words{});
}

TEST(Pretokenizer, KnowsWhatElseHangsOnTheName) {
  const Pretokenizer llama = *Pretokenizer::named("llama-bpe");
  EXPECT_TRUE(llama.whole_words());
  EXPECT_TRUE(llama.adds_bos());
  for (const char* name : {"gpt-2", "qwen2", "deepseek-r1-qwen", "smollm"}) {
    const Pretokenizer other = *Pretokenizer::named(name);
    EXPECT_FALSE(other.whole_words()) << name;
    EXPECT_FALSE(other.adds_bos()) << name;
  }
}

}  // namespace
}  // namespace assay
