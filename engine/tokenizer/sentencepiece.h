// SentencePiece's BPE: tokens are merged by score, and spaces are letters.
//
// A text (or what lies between special tokens) gets a space in front, unless the file says
// otherwise, and spaces become U+2581. It starts as one piece per character. As long as two
// neighbours together are a token, the pair whose token has the highest score (leftmost among
// equals) is merged. What is no token in the end becomes one token per byte. There are no words:
// candidates wait in a priority queue and texts longer than any token are not looked up, so the
// whole costs O(n log n).
//
// Ids equal llama.cpp's, which shows in three places: characters are cut by the length that the
// first byte declares, so bytes that are no UTF-8 survive as byte tokens; merging finds tokens of
// every type, so a control token may come out of plain text where all its prefixes are tokens, too;
// and the space is put after every special token.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/gguf/file.h"
#include "engine/tokenizer/vocabulary.h"

namespace assay {

class SentencePiece {
 public:
  // Error(kUsage) when scores are missing or a byte has no token. Keeps nothing of the two.
  SentencePiece(const GgufFile& file, const Vocabulary& vocabulary);

  // Appends the tokens of a text that holds no special token. `vocabulary`: the constructor's.
  void encode(std::string_view text, const Vocabulary& vocabulary,
              std::vector<std::int32_t>& out) const;

 private:
  std::vector<float> scores_;  // by token
  std::array<std::int32_t, 256> byte_tokens_{};
  bool space_prefix_ = true;
};

}  // namespace assay
