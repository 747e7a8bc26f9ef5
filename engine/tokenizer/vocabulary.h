// The tokens of a model file: texts, types, the bytes they stand for, the special ones.
//
// Checked once, so that encoding cannot fail: texts are unique, ids are in range. The texts of all
// tokens lie in one array, and the bytes in another; 150,000 small strings would cost more memory
// than the texts themselves. The index looks into the array of texts, so a vocabulary moves and is
// never copied.
#pragma once

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

// How token texts are written: in the letters of byte_alphabet.h, or with U+2581 for a space and
// "<0x0A>" for a byte.
enum class TokenSpelling { kByteLetters, kSentencePiece };

// A token that is recognised in text as a whole.
struct SpecialToken {
  std::string text;
  std::int32_t id = 0;
  bool always = false;  // user-defined: also when special tokens were not asked for
};

class Vocabulary {
 public:
  // Error(kUsage) when the metadata is incomplete or contradicts itself.
  Vocabulary(const GgufFile& file, TokenSpelling spelling);
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;
  Vocabulary(Vocabulary&&) noexcept = default;
  Vocabulary& operator=(Vocabulary&&) noexcept = default;

  int size() const { return static_cast<int>(types_.size()); }
  // Control for the tokens that control_texts.h names, else as in the file.
  TokenType type(std::int32_t id) const { return types_[static_cast<std::size_t>(id)]; }
  // As it stands in the file.
  std::string_view text(std::int32_t id) const { return slice(texts_, text_ends_, id); }
  // What the token stands for. Special tokens: their own text; unused ones: nothing.
  std::string_view bytes(std::int32_t id) const { return slice(bytes_, byte_ends_, id); }
  // By its text in the file, of whatever type; -1 when there is none.
  std::int32_t find(std::string_view text) const;
  std::size_t longest_text() const { return longest_text_; }
  // Longest first, then by id.
  const std::vector<SpecialToken>& specials() const { return specials_; }

 private:
  static std::string_view slice(const std::vector<char>& pool, const std::vector<std::size_t>& ends,
                                std::int32_t id) {
    const auto i = static_cast<std::size_t>(id);
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(pool.data() + begin, ends[i] - begin);
  }
  void read_texts(const GgufFile& file);
  void read_bytes(const GgufFile& file, TokenSpelling spelling);

  std::vector<TokenType> types_;
  std::vector<char> texts_;
  std::vector<std::size_t> text_ends_;  // of each token in texts_
  std::vector<char> bytes_;
  std::vector<std::size_t> byte_ends_;  // of each token in bytes_
  std::size_t longest_text_ = 0;        // bytes
  std::unordered_map<std::string_view, std::int32_t> ids_;
  std::vector<SpecialToken> specials_;
};

}  // namespace assay
