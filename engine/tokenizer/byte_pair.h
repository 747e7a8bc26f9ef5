// Byte-level BPE: text is repaired to well-formed UTF-8 and split into words; every word starts as
// one token per byte and is merged by rank.
//
// Some vocabularies lack bytes that their training text did not have (SmolLM2: U+0004 and others).
// Such a byte vanishes, as in llama.cpp: it ends what may be merged, and gives no token.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/gguf/file.h"
#include "engine/tokenizer/merges.h"
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/vocabulary.h"

namespace assay {

class BytePair {
 public:
  // Error(kUsage) for a pre-tokeniser that is not known or a merge of tokens that do not exist.
  // Keeps nothing of the two.
  BytePair(const GgufFile& file, const Vocabulary& vocabulary);

  // Appends the tokens of a text that holds no special token. `vocabulary`: the constructor's.
  void encode(std::string_view text, const Vocabulary& vocabulary,
              std::vector<std::int32_t>& out) const;
  // Whether texts begin with the start token where the file does not say.
  bool adds_bos() const { return pretokenizer_.adds_bos(); }

 private:
  void read_merges(const GgufFile& file, const Vocabulary& vocabulary);

  Pretokenizer pretokenizer_;
  MergeTable merges_;
  std::array<std::int32_t, 256> byte_tokens_{};  // kNoToken where there is none
};

}  // namespace assay
