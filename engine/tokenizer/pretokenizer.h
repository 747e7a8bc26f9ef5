// Cuts text into the words within which tokens are merged.
//
// Each pre-tokeniser is a pattern with Unicode classes, or two patterns of which the second cuts
// what the first leaves; every character of a text belongs to exactly one word. To the second
// pattern a piece is a whole text: a look ahead sees its end. PCRE2 runs them (compiled to machine
// code where PCRE2 can, interpreted elsewhere). std::regex was rejected: it has no Unicode classes
// and recurses once per character.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

class Pretokenizer {
 public:
  // By the name in tokenizer.ggml.pre; nothing when it is not known.
  static std::optional<Pretokenizer> named(std::string_view name);
  // `"gpt-2", "qwen2"`: for messages.
  static std::string known_names();

  Pretokenizer(Pretokenizer&&) noexcept;
  Pretokenizer& operator=(Pretokenizer&&) noexcept;
  ~Pretokenizer();

  // Whether a word that is a token as a whole is that token, whatever the merges say.
  bool whole_words() const;
  // Whether texts begin with the start token where the file does not say.
  bool adds_bos() const;

  // Views into `text`, in order and without gaps. `text` comes from repair_utf8.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Patterns;
  explicit Pretokenizer(std::unique_ptr<Patterns> patterns);
  std::unique_ptr<Patterns> patterns_;
};

}  // namespace assay
