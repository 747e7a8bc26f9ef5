// Cuts text into the words within which tokens are merged.
//
// Each pre-tokeniser is a pattern with Unicode classes; every character of a text belongs to
// exactly one match. PCRE2 runs it (compiled to machine code where PCRE2 can, interpreted
// elsewhere). std::regex was rejected: it has no Unicode classes and recurses once per character.
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
  // `"qwen2"`, separated by commas: for messages.
  static std::string known_names();

  Pretokenizer(Pretokenizer&&) noexcept;
  Pretokenizer& operator=(Pretokenizer&&) noexcept;
  ~Pretokenizer();

  // Views into `text`, in order and without gaps. `text` comes from repair_utf8.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;
  explicit Pretokenizer(std::unique_ptr<Pattern> pattern);
  std::unique_ptr<Pattern> pattern_;
};

}  // namespace assay
