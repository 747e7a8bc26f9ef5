#include "engine/tokenizer/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/core/error.h"
#include "engine/tokenizer/byte_alphabet.h"

namespace assay {
namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kTypes = "tokenizer.ggml.token_type";

[[noreturn]] void fail(const GgufFile& file, std::string_view key, const std::string& problem) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: metadata \"{}\": {}: convert the model again",
                                             file.name(), key, problem));
}

std::vector<TokenType> read_types(const GgufFile& file, std::size_t tokens) {
  const auto numbers = file.find_ints(kTypes);
  if (!numbers) return std::vector<TokenType>(tokens, TokenType::kNormal);
  if (numbers->size() != tokens) {
    fail(file, kTypes, fmt::format("has {} entries for {} tokens", numbers->size(), tokens));
  }
  std::vector<TokenType> types;
  types.reserve(tokens);
  for (const std::int64_t number : *numbers) {
    if (number < 1 || number > 6) {
      fail(file, kTypes, fmt::format("entry {} is {}, 1 to 6 are known", types.size(), number));
    }
    types.push_back(static_cast<TokenType>(number));
  }
  return types;
}

bool is_special(TokenType type) {
  return type == TokenType::kControl || type == TokenType::kUnknown ||
         type == TokenType::kUserDefined;
}

}  // namespace

Vocabulary::Ids Vocabulary::ids_by_text(const GgufFile& file) {
  const std::vector<std::string_view> texts = file.get_strings(kTokens);
  Ids ids;
  ids.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [earlier, added] = ids.emplace(texts[i], static_cast<std::int32_t>(i));
    if (!added) {
      fail(file, kTokens,
           fmt::format("entry {} is {}, as entry {} is", i, quoted(texts[i]), earlier->second));
    }
  }
  return ids;
}

Vocabulary::Vocabulary(const GgufFile& file) {
  const std::vector<std::string_view> texts = file.get_strings(kTokens);
  if (texts.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    fail(file, kTokens, fmt::format("has {} entries, ids have 31 bits", texts.size()));
  }
  types_ = read_types(file, texts.size());
  ends_.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (is_special(types_[i])) {
      pool_ += texts[i];
      if (!texts[i].empty()) {
        specials_.push_back({std::string(texts[i]), static_cast<std::int32_t>(i),
                             types_[i] == TokenType::kUserDefined});
      }
    } else {
      pool_ += letters_to_bytes(texts[i]);
    }
    ends_.push_back(pool_.size());
  }
  std::stable_sort(
      specials_.begin(), specials_.end(),
      [](const SpecialToken& a, const SpecialToken& b) { return a.text.size() > b.text.size(); });
  find_byte_tokens(file, ids_by_text(file));
}

void Vocabulary::find_byte_tokens(const GgufFile& file, const Ids& ids) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string_view letter = byte_letter(static_cast<std::uint8_t>(byte));
    const auto found = ids.find(letter);
    if (found == ids.end()) {
      fail(file, kTokens, fmt::format("has no token {} for byte 0x{:02x}", quoted(letter), byte));
    }
    byte_tokens_[static_cast<std::size_t>(byte)] = found->second;
  }
}

std::string_view Vocabulary::bytes(std::int32_t id) const {
  const auto i = static_cast<std::size_t>(id);
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(pool_).substr(begin, ends_[i] - begin);
}

}  // namespace assay
