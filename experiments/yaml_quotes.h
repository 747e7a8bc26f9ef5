// Which quote of a YAML text is to blame.
//
// A quote whose end is missing swallows text up to the next quote, or to the end of the file, and a
// parser then complains about what follows, often many lines below. Asked only once a parser has
// refused a text: what opens a quote is told here by a rough reading of YAML (plain and block
// scalars, comments, flow lists), which is no reason to refuse anything by itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace assay {

constexpr std::size_t kNoEnd = static_cast<std::size_t>(-1);

// Offset just behind the quote that closes the one at `offset`; kNoEnd when none does.
std::size_t quote_end(std::string_view text, std::size_t offset);

struct OpenQuote {
  std::size_t offset;  // of the opening quote, in bytes
  bool closed;         // by a quote that most likely was to open another text
};
// The first quote without an end, or with one on a later line that more text follows.
std::optional<OpenQuote> open_quote(std::string_view text);

}  // namespace assay
