#include "engine/tokenizer/byte_pair.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "engine/core/error.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/utf8.h"

namespace assay {
namespace {

constexpr std::string_view kPre = "tokenizer.ggml.pre";
constexpr std::string_view kMerges = "tokenizer.ggml.merges";

[[noreturn]] void fail(const GgufFile& file, std::string_view key, const std::string& problem,
                       std::string_view remedy = "convert the model again") {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: metadata \"{}\": {}: {}", file.name(), key, problem, remedy));
}

Pretokenizer pretokenizer_of(const GgufFile& file) {
  const std::string_view name = file.get_string(kPre);
  std::optional<Pretokenizer> pretokenizer = Pretokenizer::named(name);
  if (!pretokenizer) {
    fail(file, kPre,
         fmt::format("is {}, the known ones are {}", quoted(name), Pretokenizer::known_names()),
         "use a model with one of them");
  }
  return *std::move(pretokenizer);
}

}  // namespace

BytePair::BytePair(const GgufFile& file, const Vocabulary& vocabulary)
    : pretokenizer_(pretokenizer_of(file)) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto value = static_cast<std::uint8_t>(byte);
    byte_tokens_[value] = vocabulary.find(byte_letter(value));
  }
  read_merges(file, vocabulary);
}

void BytePair::read_merges(const GgufFile& file, const Vocabulary& vocabulary) {
  const std::vector<std::string_view> lines = file.get_strings(kMerges);
  merges_.reserve(lines.size());
  const auto id_of = [&](const std::string& text, std::size_t rank) {
    const std::int32_t found = vocabulary.find(text);
    if (found < 0) {
      fail(file, kMerges,
           fmt::format("entry {} {} needs the token {}, which is not in the vocabulary", rank,
                       quoted(lines[rank]), quoted(text)));
    }
    return found;
  };
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    const std::string_view line = lines[rank];
    const std::size_t space = line.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == line.size()) {
      fail(file, kMerges,
           fmt::format("entry {} is {}, not two tokens with a space between them", rank,
                       quoted(line)));
    }
    const std::string left(line.substr(0, space));
    const std::string right(line.substr(space + 1));
    merges_.add(id_of(left, rank), id_of(right, rank), static_cast<std::int32_t>(rank),
                id_of(left + right, rank));
  }
}

void BytePair::encode(std::string_view text, const Vocabulary& vocabulary,
                      std::vector<std::int32_t>& out) const {
  const std::string repaired = repair_utf8(text);
  std::string letters;
  for (const std::string_view word : pretokenizer_.split(repaired)) {
    if (pretokenizer_.whole_words()) {
      letters.clear();
      for (const char c : word) letters += byte_letter(static_cast<std::uint8_t>(c));
      const std::int32_t whole = vocabulary.find(letters);
      if (whole >= 0) {
        out.push_back(whole);
        continue;
      }
    }
    std::vector<std::int32_t> tokens;
    tokens.reserve(word.size());
    for (const char c : word) tokens.push_back(byte_tokens_[static_cast<std::uint8_t>(c)]);
    merges_.apply(std::move(tokens), out);
  }
}

}  // namespace assay
