// Text to token ids and back, by a model file's own vocabulary.
//
// Steps of encode: special tokens are cut out (longest text first, each from left to right); what
// lies between goes through byte-level BPE (tokenizer.ggml.model "gpt2") or SentencePiece's
// ("llama"). Ids equal llama.cpp's. Control tokens are recognised only when the caller asks: text
// from outside must not be able to end a turn. User-defined tokens are plain text with an id of
// their own and are always recognised, as llama.cpp does.
//
// Byte-level: decode(encode(text)) gives the text back whenever it is well-formed UTF-8 and
// every byte has a token; utf8.h and byte_pair.h say what happens to other bytes. SentencePiece: it
// gives a space and then the text, and a space for each U+2581 in it (sentencepiece.h says more).
// After construction nothing changes, so that threads may share one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/gguf/file.h"
#include "engine/tokenizer/byte_pair.h"
#include "engine/tokenizer/sentencepiece.h"
#include "engine/tokenizer/vocabulary.h"

namespace assay {

class Tokenizer {
 public:
  // Nothing when the file has no vocabulary (tokenizer.ggml.model absent, "none" or "no_vocab").
  // Error(kUsage) for a kind of tokeniser that is not known or a vocabulary that is at fault. The
  // tokenizer keeps nothing of the file.
  static std::optional<Tokenizer> from_gguf(const GgufFile& file);

  // Without tokens of its ends: see enclose(). `special`: recognise control tokens.
  std::vector<std::int32_t> encode(std::string_view text, bool special) const;
  // bos() before the tokens and eos() behind them, each where the model wants it around a text.
  std::vector<std::int32_t> enclose(std::vector<std::int32_t> tokens) const;
  // The tokens' bytes; special tokens as their text. A token may hold part of a character.
  // Error(kUsage) when an id is not one of the vocabulary.
  std::string decode(std::span<const std::int32_t> tokens) const;
  std::string_view token_bytes(std::int32_t token) const;

  int vocab() const { return vocabulary_.size(); }
  // -1 when there is none.
  int bos() const { return bos_; }
  int eos() const { return eos_; }
  bool add_bos() const { return add_bos_; }
  bool add_eos() const { return add_eos_; }
  // At which generation stops: eos, end of turn, and those that chat models end with. Ascending.
  const std::vector<std::int32_t>& ends() const { return ends_; }

 private:
  using Encoder = std::variant<BytePair, SentencePiece>;
  Tokenizer(const GgufFile& file, Vocabulary vocabulary, Encoder encoder);
  void read_bounds(const GgufFile& file);
  void read_ends(const GgufFile& file);

  Vocabulary vocabulary_;
  Encoder encoder_;
  int bos_ = -1;
  int eos_ = -1;
  bool add_bos_ = false;
  bool add_eos_ = false;
  std::vector<std::int32_t> ends_;
};

}  // namespace assay
