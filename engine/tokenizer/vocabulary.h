// The tokens of a model file: texts, types, the bytes they stand for, the special ones.
//
// Checked once, so that encoding cannot fail: every byte has a token, texts are unique, ids are in
// range. The bytes of all tokens lie in one string; 150,000 small strings would cost more memory
// than the texts themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/gguf/file.h"

namespace assay {

enum class TokenType : std::uint8_t {  // values are GGUF's
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

// A token that is recognised in text as a whole.
struct SpecialToken {
  std::string text;
  std::int32_t id = 0;
  bool always = false;  // user-defined: also when special tokens were not asked for
};

class Vocabulary {
 public:
  // Error(kUsage) when the metadata is incomplete or contradicts itself.
  explicit Vocabulary(const GgufFile& file);

  int size() const { return static_cast<int>(types_.size()); }
  TokenType type(std::int32_t id) const { return types_[static_cast<std::size_t>(id)]; }
  // What the token stands for in text. Special tokens: their own text.
  std::string_view bytes(std::int32_t id) const;
  std::int32_t byte_token(std::uint8_t byte) const { return byte_tokens_[byte]; }
  // Longest first, then by id.
  const std::vector<SpecialToken>& specials() const { return specials_; }
  // Ids by text as it stands in the file; the views live as long as the file.
  using Ids = std::unordered_map<std::string_view, std::int32_t>;
  static Ids ids_by_text(const GgufFile& file);

 private:
  void find_byte_tokens(const GgufFile& file, const Ids& ids);

  std::vector<TokenType> types_;
  std::string pool_;               // the bytes of all tokens, one after the other
  std::vector<std::size_t> ends_;  // of each token in pool_
  std::array<std::int32_t, 256> byte_tokens_{};
  std::vector<SpecialToken> specials_;
};

}  // namespace assay
