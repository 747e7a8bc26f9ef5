// Byte-level BPE by a model file's own vocabulary: text to token ids and back.
//
// Steps of encode: special tokens are cut out (longest text first, each from left to right); what
// lies between is repaired to well-formed UTF-8 and split into words; every word starts as one
// token per byte and is merged by rank. Ids equal llama.cpp's. Control tokens are recognised only
// when the caller asks: text from outside must not be able to end a turn. User-defined tokens are
// plain text with an id of their own and are always recognised, as llama.cpp does.
//
// decode(encode(text)) gives the text back whenever it is well-formed UTF-8; utf8.h says what
// happens to other bytes. After construction nothing changes, so that threads may share one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/file.h"
#include "engine/tokenizer/merges.h"
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/vocabulary.h"

namespace assay {

class Tokenizer {
 public:
  // Nothing when the file has no vocabulary (tokenizer.ggml.model absent, "none" or "no_vocab").
  // Error(kUsage) for a kind of tokeniser that is not known or a vocabulary that is at fault. The
  // tokenizer keeps nothing of the file.
  static std::optional<Tokenizer> from_gguf(const GgufFile& file);

  // Without a beginning-of-text token: see add_bos(). `special`: recognise control tokens.
  std::vector<std::int32_t> encode(std::string_view text, bool special) const;
  // The tokens' bytes; special tokens as their text. A token may hold part of a character.
  // Error(kUsage) when an id is not one of the vocabulary.
  std::string decode(std::span<const std::int32_t> tokens) const;
  std::string_view token_bytes(std::int32_t token) const;

  int vocab() const { return vocabulary_.size(); }
  // -1 when the file names none.
  int bos() const { return bos_; }
  int eos() const { return eos_; }
  // Whether a prompt should begin with bos().
  bool add_bos() const { return add_bos_; }
  // eos, end of turn, and control tokens that chat models end with.
  bool ends_text(std::int32_t token) const;

 private:
  Tokenizer(const GgufFile& file, Pretokenizer pretokenizer);
  void read_merges(const GgufFile& file);
  void read_special_ids(const GgufFile& file);
  void encode_plain(std::string_view text, std::vector<std::int32_t>& out) const;

  Vocabulary vocabulary_;
  Pretokenizer pretokenizer_;
  MergeTable merges_;
  int bos_ = -1;
  int eos_ = -1;
  bool add_bos_ = false;
  std::vector<std::int32_t> ends_;
};

}  // namespace assay
