// Fuzz target: any bytes become tokens of a vocabulary and come back; any vocabulary is read, or
// gives one Error(kUsage).
//
// The first byte chooses. Below 224: one of the vocabularies that oracle_test.cpp compares with
// llama.cpp, with or without control tokens recognised; the rest is the text. From 224 on: the rest
// describes a vocabulary, up to a zero byte, and then a text for it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/sentencepiece_text.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary_copy.h"

namespace assay {
namespace {

const std::string kRoot = ASSAY_SOURCE_ROOT;

Tokenizer changed(const std::string& path, const MetadataChanges& changes) {
  const GgufFile file = GgufFile::open(kRoot + path);
  const std::vector<std::byte> copy = vocabulary_copy(file, changes);
  return Tokenizer::from_gguf(GgufFile::from_memory(copy, "m")).value();
}

// The byte-level ones first.
constexpr std::size_t kByteLevel = 4;

const std::vector<Tokenizer>& known() {
  static const std::vector<Tokenizer> tokenizers = [] {
    std::vector<Tokenizer> all;
    for (const char* pre : {"gpt-2", "llama-bpe", "qwen2", "smollm"}) {
      all.push_back(
          changed("/engine/embedded/embedded.gguf", {{"tokenizer.ggml.pre", std::string(pre)}}));
    }
    const std::string small = "/engine/tokenizer/oracle/sentencepiece.gguf";
    all.push_back(changed(small, {}));
    all.push_back(changed(small, {{"tokenizer.ggml.add_space_prefix", false}}));
    return all;
  }();
  return tokenizers;
}

std::string without_spaces(std::string_view text) {
  std::string result = marks_to_spaces(text);
  std::erase(result, ' ');
  return result;
}

void round_trip(std::size_t which, std::string_view text, bool special) {
  const Tokenizer& tokenizer = known()[which];
  const std::vector<std::int32_t> ids = tokenizer.encode(text, special);
  const std::string back = tokenizer.decode(ids);  // throws when an id is none
  if (which < kByteLevel) {
    if (back != repair_utf8(text)) std::abort();
  } else if (without_spaces(back) != without_spaces(text)) {
    std::abort();
  }
}

// Lines are tokens; the first letter is the type, and a score. A space makes a line a merge, too.
std::vector<std::byte> vocabulary_from(std::string_view lines, bool byte_level) {
  std::vector<std::string> tokens;
  std::vector<std::int32_t> types;
  std::vector<float> scores;
  std::vector<std::string> merges;
  // Byte-level ones may lack bytes.
  const int first = byte_level ? ' ' : 0;
  const int last = byte_level ? 'z' : 255;
  for (int byte = first; byte <= last; ++byte) {
    const auto value = static_cast<std::uint8_t>(byte);
    tokens.push_back(byte_level ? std::string(byte_letter(value)) : text_of_byte(value));
    types.push_back(byte_level ? 1 : 6);
    scores.push_back(0);
  }
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.empty()) continue;
    const auto kind = static_cast<std::uint8_t>(line.front());
    if (kind == ' ') {
      merges.emplace_back(line.substr(1));
      continue;
    }
    tokens.emplace_back(line.substr(1));
    types.push_back(kind % 8);
    scores.push_back(static_cast<float>(kind) - 64);
  }
  GgufBuilder builder;
  builder.string("tokenizer.ggml.model", byte_level ? "gpt2" : "llama")
      .string("tokenizer.ggml.pre", "llama-bpe")
      .boolean("tokenizer.ggml.add_bos_token", false)
      .strings("tokenizer.ggml.tokens", tokens)
      .array("tokenizer.ggml.token_type", GgufType::kI32, types)
      .array("tokenizer.ggml.scores", GgufType::kF32, scores)
      .strings("tokenizer.ggml.merges", merges);
  return builder.build();
}

void read_vocabulary(std::string_view input, bool byte_level) {
  const std::string_view lines = input.substr(0, input.find('\0'));
  const std::string_view text = input.substr(std::min(input.size(), lines.size() + 1));
  const std::vector<std::byte> bytes = vocabulary_from(lines, byte_level);
  try {
    const Tokenizer tokenizer = Tokenizer::from_gguf(GgufFile::from_memory(bytes, "m")).value();
    for (const bool special : {false, true}) tokenizer.decode(tokenizer.encode(text, special));
  } catch (const Error& error) {
    const std::string_view message = error.what();
    const bool fits = error.kind() == ErrorKind::kUsage && message.starts_with("m: ") &&
                      message.find('\n') == std::string_view::npos;
    if (!fits) std::abort();
  }
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // A block of exactly its size, so that the sanitizers see one byte too far.
  const auto exact = std::make_unique<char[]>(size - 1);
  std::copy(data + 1, data + size, exact.get());
  const std::string_view input(exact.get(), size - 1);
  const std::uint8_t choice = data[0];
  if (choice < 224) {
    assay::round_trip(choice / 2 % assay::known().size(), input, choice % 2 == 1);
  } else {
    assay::read_vocabulary(input, choice % 2 == 1);
  }
  return 0;
}
