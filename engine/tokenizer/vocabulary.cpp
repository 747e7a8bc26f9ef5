#include "engine/tokenizer/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/core/error.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/control_texts.h"
#include "engine/tokenizer/sentencepiece_text.h"

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

void append(std::string_view text, std::vector<char>& pool, std::vector<std::size_t>& ends) {
  pool.insert(pool.end(), text.begin(), text.end());
  ends.push_back(pool.size());
}

}  // namespace

Vocabulary::Vocabulary(const GgufFile& file, TokenSpelling spelling) {
  read_texts(file);
  types_ = read_types(file, text_ends_.size());
  for (std::int32_t id = 0; id < size(); ++id) {
    TokenType& type = types_[static_cast<std::size_t>(id)];
    if (is_control(text(id))) type = TokenType::kControl;
    if (is_special(type) && !text(id).empty()) {
      specials_.push_back({std::string(text(id)), id, type == TokenType::kUserDefined});
    }
  }
  std::stable_sort(
      specials_.begin(), specials_.end(),
      [](const SpecialToken& a, const SpecialToken& b) { return a.text.size() > b.text.size(); });
  read_bytes(file, spelling);
}

void Vocabulary::read_texts(const GgufFile& file) {
  const std::vector<std::string_view> texts = file.get_strings(kTokens);
  if (texts.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    fail(file, kTokens, fmt::format("has {} entries, ids have 31 bits", texts.size()));
  }
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  texts_.reserve(bytes);  // the index looks into it: it must not grow
  text_ends_.reserve(texts.size());
  ids_.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    append(texts[i], texts_, text_ends_);
    longest_text_ = std::max(longest_text_, texts[i].size());
    if (texts[i].empty()) continue;  // padding in some files: found by nobody
    const auto id = static_cast<std::int32_t>(i);
    const auto [earlier, added] = ids_.emplace(text(id), id);
    if (!added) {
      fail(file, kTokens,
           fmt::format("entry {} is {}, as entry {} is", i, quoted(texts[i]), earlier->second));
    }
  }
}

void Vocabulary::read_bytes(const GgufFile& file, TokenSpelling spelling) {
  byte_ends_.reserve(types_.size());
  for (std::int32_t id = 0; id < size(); ++id) {
    const std::string_view text = this->text(id);
    if (is_special(type(id))) {
      append(text, bytes_, byte_ends_);
    } else if (type(id) == TokenType::kUnused) {
      append({}, bytes_, byte_ends_);
    } else if (spelling == TokenSpelling::kByteLetters) {
      append(letters_to_bytes(text), bytes_, byte_ends_);
    } else if (type(id) == TokenType::kByte) {
      const int byte = byte_of_text(text);
      if (byte < 0) {
        fail(file, kTokens,
             fmt::format("entry {} is {}, and byte tokens are written \"<0x00>\" to \"<0xFF>\"", id,
                         quoted(text)));
      }
      const char c = static_cast<char>(byte);
      append({&c, 1}, bytes_, byte_ends_);
    } else {
      append(marks_to_spaces(text), bytes_, byte_ends_);
    }
  }
}

std::int32_t Vocabulary::find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? -1 : found->second;
}

}  // namespace assay
