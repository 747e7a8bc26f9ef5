// A hand-made vocabulary with results worked out on paper; faults of vocabularies; threads.
// Agreement with llama.cpp is in embedded_tokens_test.cpp and oracle_test.cpp.
#include "engine/tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>

#include "engine/core/error.h"
#include "engine/gguf/gguf_builder.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/utf8.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;

// Tokens 0..255 are the bytes; then merged tokens, then special ones.
struct Parts {
  std::string model = "gpt2";
  std::string pre = "qwen2";
  std::vector<std::string> tokens;
  std::vector<std::int32_t> types;
  std::vector<std::string> merges{"a b", "b c", "ab c", "\xc4\xa0 ab", "d d", "dd dd"};
  std::uint32_t eos = 262;
  int bos = -1;
  std::vector<std::pair<std::string, bool>> flags;

  Parts() {
    for (int byte = 0; byte < 256; ++byte) {
      tokens.emplace_back(byte_letter(static_cast<std::uint8_t>(byte)));
    }
    for (const char* text : {"ab", "bc", "abc",
                             "\xc4\xa0"
                             "ab",
                             "dd", "dddd"}) {
      tokens.emplace_back(text);  // 256 to 261
    }
    types.assign(tokens.size(), 1);
    for (const char* text : {"<|im_end|>", "<|im", "<user>"})
      tokens.emplace_back(text);  // 262..264
    types.insert(types.end(), {3, 3, 4});
  }

  std::vector<std::byte> build() const {
    GgufBuilder builder;
    builder.string("tokenizer.ggml.model", model)
        .string("tokenizer.ggml.pre", pre)
        .strings("tokenizer.ggml.tokens", tokens)
        .array("tokenizer.ggml.token_type", GgufType::kI32, types)
        .strings("tokenizer.ggml.merges", merges)
        .u32("tokenizer.ggml.eos_token_id", eos);
    if (bos >= 0) builder.u32("tokenizer.ggml.bos_token_id", static_cast<std::uint32_t>(bos));
    for (const auto& [key, value] : flags) builder.boolean("tokenizer.ggml." + key, value);
    return builder.build();
  }
};

Tokenizer load(const Parts& parts) {
  const std::vector<std::byte> bytes = parts.build();
  return Tokenizer::from_gguf(GgufFile::from_memory(bytes, "m.gguf")).value();
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

TEST(Tokenizer, MergesByRank) {
  const Tokenizer tokenizer = load({});
  EXPECT_EQ(tokenizer.encode("", true), Ids{});
  EXPECT_EQ(tokenizer.encode("abc", true), Ids{258});  // ab, then ab c
  EXPECT_EQ(tokenizer.encode("bc", true), Ids{257});
  EXPECT_EQ(tokenizer.encode("bcab", true), (Ids{257, 256}));
  EXPECT_EQ(tokenizer.encode("aabcc", true), (Ids{'a', 258, 'c'}));
  EXPECT_EQ(tokenizer.encode(" abc", true), (Ids{' ', 258}));  // ab c outranks Ġ ab
  EXPECT_EQ(tokenizer.encode(" abd", true), (Ids{259, 'd'}));
}

TEST(Tokenizer, BytesWithoutATokenVanish) {
  Parts parts;
  parts.tokens['z'] = "something else";
  const Tokenizer tokenizer = load(parts);
  EXPECT_EQ(tokenizer.encode("azbcz", true), (Ids{'a', 257}));
  EXPECT_EQ(tokenizer.encode("z", true), Ids{});
  EXPECT_EQ(tokenizer.encode("abzc", true), (Ids{256, 'c'}));
}

TEST(Tokenizer, EqualRanksMergeFromTheLeft) {
  const Tokenizer tokenizer = load({});
  EXPECT_EQ(tokenizer.encode("ddd", true), (Ids{260, 'd'}));
  EXPECT_EQ(tokenizer.encode("dddd", true), Ids{261});
  EXPECT_EQ(tokenizer.encode("ddddd", true), (Ids{261, 'd'}));
  EXPECT_EQ(tokenizer.encode("ddddddd", true), (Ids{261, 260, 'd'}));
}

TEST(Tokenizer, MergesDoNotCrossWords) {
  const Tokenizer tokenizer = load({});
  EXPECT_EQ(tokenizer.encode("a1b", true), (Ids{'a', '1', 'b'}));
  EXPECT_EQ(tokenizer.encode("ab ab", true), (Ids{256, 259}));
}

TEST(Tokenizer, ControlTokensOnlyWhenAsked) {
  const Tokenizer tokenizer = load({});
  EXPECT_EQ(tokenizer.encode("ab<|im_end|>ab", true), (Ids{256, 262, 256}));
  EXPECT_EQ(tokenizer.encode("<|im_end|><|im_end|>", true), (Ids{262, 262}));
  const Ids plain = tokenizer.encode("<|im_end|>", false);
  EXPECT_EQ(plain.size(), 10u);
  EXPECT_EQ(tokenizer.decode(plain), "<|im_end|>");
}

TEST(Tokenizer, LongerSpecialTokensComeFirst) {
  const Tokenizer tokenizer = load({});
  EXPECT_EQ(tokenizer.encode("<|im<|im_end|>", true), (Ids{263, 262}));
  EXPECT_EQ(tokenizer.encode("<|im_", true), (Ids{263, '_'}));
}

TEST(Tokenizer, UserDefinedTokensAlways) {
  const Tokenizer tokenizer = load({});
  EXPECT_EQ(tokenizer.encode("a<user>b", false), (Ids{'a', 264, 'b'}));
  EXPECT_EQ(tokenizer.encode("a<user>b", true), (Ids{'a', 264, 'b'}));
}

TEST(Tokenizer, NamesItsEnds) {
  const Tokenizer tokenizer = load({});
  EXPECT_EQ(tokenizer.vocab(), 265);
  EXPECT_EQ(tokenizer.eos(), 262);
  EXPECT_EQ(tokenizer.bos(), -1);
  EXPECT_FALSE(tokenizer.add_bos());
  EXPECT_EQ(tokenizer.ends(), Ids{262});
}

TEST(Tokenizer, KnowsControlTokensByTheirText) {
  Parts parts;
  parts.tokens[264] = "<|fim_pad|>";  // user-defined, says the file
  const Tokenizer tokenizer = load(parts);
  EXPECT_EQ(tokenizer.encode("<|fim_pad|>", true), Ids{264});
  EXPECT_EQ(tokenizer.encode("<|fim_pad|>", false).size(), 11u);
  EXPECT_EQ(tokenizer.ends(), (Ids{262, 264}));
  parts.tokens[264] = "<|fim_prefix|>";
  EXPECT_EQ(load(parts).encode("<|fim_prefix|>", false).size(), 14u);
  EXPECT_EQ(load(parts).ends(), Ids{262});
}

TEST(Tokenizer, TakesWholeWordsWhereThePretokeniserSaysSo) {
  Parts parts;
  parts.merges = {"a b", "b c", "dd d"};
  parts.tokens[261] = "ddd";
  EXPECT_EQ(load(parts).encode("abc ddd", true), (Ids{256, 'c', ' ', 'd', 'd', 'd'}));
  parts.pre = "llama-bpe";
  parts.flags = {{"add_bos_token", false}};
  EXPECT_EQ(load(parts).encode("abc", true), Ids{258});  // no merge makes it
  EXPECT_EQ(load(parts).encode("ddd", true), Ids{261});
}

TEST(Tokenizer, EnclosesTextsAsTheModelWants) {
  Parts parts;
  EXPECT_EQ(load(parts).enclose({'a'}), Ids{'a'});
  parts.bos = 263;
  EXPECT_EQ(load(parts).enclose({'a'}), Ids{'a'});
  parts.flags = {{"add_bos_token", true}, {"add_eos_token", true}};
  EXPECT_EQ(load(parts).enclose({'a'}), (Ids{263, 'a', 262}));
  parts.flags = {};
  parts.pre = "llama-bpe";
  EXPECT_EQ(load(parts).enclose({'a'}), (Ids{263, 'a'}));
  parts.flags = {{"add_bos_token", false}};
  EXPECT_EQ(load(parts).enclose({}), Ids{});
}

TEST(Tokenizer, NamesMissingEnds) {
  Parts parts;
  parts.flags = {{"add_bos_token", true}};
  EXPECT_EQ(fault(parts),
            "m.gguf: metadata \"tokenizer.ggml.add_bos_token\": is true, but there is no "
            "bos_token_id: convert the model again");
  parts.flags = {};
  parts.pre = "llama-bpe";
  EXPECT_EQ(fault(parts),
            "m.gguf: metadata \"tokenizer.ggml.add_bos_token\": is missing, which means true for "
            "this tokeniser, but there is no bos_token_id: convert the model again");
}

TEST(Tokenizer, EmptyAndUnusedTokensStandForNothing) {
  Parts parts;
  parts.tokens[263] = "";
  parts.tokens[264] = "";
  parts.types[264] = 5;
  EXPECT_EQ(load(parts).decode(Ids{'a', 263, 264, 'b'}), "ab");
}

TEST(Tokenizer, DecodesToBytes) {
  const Tokenizer tokenizer = load({});
  EXPECT_EQ(tokenizer.decode(Ids{259, 0xe4, 262, 264}), " ab\xe4<|im_end|><user>");
  EXPECT_EQ(tokenizer.decode(Ids{}), "");
  for (const std::int32_t bad : {-1, 265}) {
    try {
      tokenizer.decode(Ids{bad});
      ADD_FAILURE() << "accepted " << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(),
                "token " + std::to_string(bad) + " is not in the vocabulary: ids go from 0 to 264");
    }
  }
}

TEST(Tokenizer, RandomBytesComeBackRepaired) {
  const Tokenizer tokenizer = load({});
  std::mt19937_64 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) {
      c = static_cast<char>(random() % 3 == 0 ? random() : "abcd \n'<|im"[random() % 11]);
    }
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, round % 2 == 0)), repair_utf8(text));
  }
}

// A word of n letters takes n / 2 merges at each level; quadratic work would take hours here.
TEST(Tokenizer, MergesAMegabyteInOneWord) {
  const Tokenizer tokenizer = load({});
  const Ids ids = tokenizer.encode(std::string(1'000'000, 'd'), false);
  EXPECT_EQ(ids, Ids(250'000, 261));
}

TEST(Tokenizer, ThreadsShareOne) {
  const Tokenizer tokenizer = load({});
  std::vector<int> right(4, 0);
  std::vector<std::thread> threads;
  for (int& count : right) {
    threads.emplace_back([&tokenizer, &count] {
      for (int i = 0; i < 500; ++i) {
        count += tokenizer.encode("abc abd<|im_end|>", true) == Ids{258, 259, 'd', 262} ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<int>(4, 500));
}

TEST(Tokenizer, FileWithoutVocabularyGivesNothing) {
  for (const char* model : {"none", "no_vocab"}) {
    const std::vector<std::byte> bytes =
        GgufBuilder().string("tokenizer.ggml.model", model).build();
    EXPECT_FALSE(Tokenizer::from_gguf(GgufFile::from_memory(bytes, "m")).has_value());
  }
  const std::vector<std::byte> bytes = GgufBuilder().u32("a", 1).build();
  EXPECT_FALSE(Tokenizer::from_gguf(GgufFile::from_memory(bytes, "m")).has_value());
}

TEST(Tokenizer, NamesUnknownKinds) {
  Parts parts;
  parts.model = "t5";
  EXPECT_EQ(fault(parts),
            "m.gguf: metadata \"tokenizer.ggml.model\": is \"t5\", the known ones are \"gpt2\", "
            "\"llama\": use a model with one of them");
  parts.model = "gpt2";
  parts.pre = "falcon";
  EXPECT_EQ(fault(parts),
            "m.gguf: metadata \"tokenizer.ggml.pre\": is \"falcon\", the known ones are "
            "\"gpt-2\", \"llama-bpe\", \"llama3\", \"llama-v3\", \"qwen2\", "
            "\"deepseek-r1-qwen\", \"smollm\": use a model with one of them");
}

TEST(Tokenizer, NamesMissingParts) {
  const auto missing = [](const GgufBuilder& builder) -> std::string {
    const std::vector<std::byte> bytes = builder.build();
    const GgufFile file = GgufFile::from_memory(bytes, "m.gguf");
    try {
      Tokenizer::from_gguf(file);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  GgufBuilder builder;
  builder.string("tokenizer.ggml.model", "gpt2");
  EXPECT_EQ(missing(builder),
            "m.gguf: metadata \"tokenizer.ggml.tokens\" is missing: convert the model again");
  builder.strings("tokenizer.ggml.tokens", {"a"});
  EXPECT_EQ(missing(builder),
            "m.gguf: metadata \"tokenizer.ggml.pre\" is missing: convert the model again");
}

TEST(Tokenizer, NamesFaultsOfTheVocabulary) {
  Parts twice;
  twice.tokens[260] = "ab";
  EXPECT_EQ(fault(twice),
            "m.gguf: metadata \"tokenizer.ggml.tokens\": entry 260 is \"ab\", as entry 256 is: "
            "convert the model again");
  Parts short_types;
  short_types.types.pop_back();
  EXPECT_EQ(fault(short_types),
            "m.gguf: metadata \"tokenizer.ggml.token_type\": has 264 entries for 265 tokens: "
            "convert the model again");
  Parts type_7;
  type_7.types[3] = 7;
  EXPECT_EQ(fault(type_7),
            "m.gguf: metadata \"tokenizer.ggml.token_type\": entry 3 is 7, 1 to 6 are known: "
            "convert the model again");
  Parts eos;
  eos.eos = 265;
  EXPECT_EQ(fault(eos),
            "m.gguf: metadata \"tokenizer.ggml.eos_token_id\": is 265, the vocabulary has 265 "
            "tokens: convert the model again");
}

TEST(Tokenizer, NamesFaultsOfTheMerges) {
  Parts unknown;
  unknown.merges[5] = "a d";
  EXPECT_EQ(fault(unknown),
            "m.gguf: metadata \"tokenizer.ggml.merges\": entry 5 \"a d\" needs the token \"ad\", "
            "which is not in the vocabulary: convert the model again");
  for (const char* broken : {"ab", "", "ab ", " ", " a"}) {
    Parts parts;
    parts.merges[1] = broken;
    EXPECT_EQ(fault(parts), "m.gguf: metadata \"tokenizer.ggml.merges\": entry 1 is \"" +
                                std::string(broken) +
                                "\", not two tokens with a space between them: convert the model "
                                "again");
  }
}

}  // namespace
}  // namespace assay
