// Edits of kernel sources as text: what `assay new variant` needs, and no more.
//
// The forms are those of kernels/README.md: a VariantInfo entry per variant, one ASSAY_VARIANT line
// per parameter point at the end of a mechanism file, lists that end with a marker comment. A file
// that departs from them gets an Error(kUsage) that says what was looked for, and nothing is
// guessed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/variant.h"

namespace assay {

// One ASSAY_VARIANT(symbol, Args, function); as it stands in a file.
struct VariantLine {
  std::size_t begin = 0, end = 0;  // of the whole text, semicolon included
  std::string symbol, arguments, function;
};
std::vector<VariantLine> variant_lines(const std::string& source);
std::string to_string(const VariantLine& line);

// `function` with the template arguments of `from` replaced by those of `id`: "run<4>" and
// [tokens=4] -> [tokens=8] gives "run<8>". The same text where no value differs; nothing when the
// form does not allow it.
std::optional<std::string> with_parameters(const std::string& function, const VariantName& from,
                                           const VariantName& id);

// `text` with the namespace `assay::X` renamed to speak of the new mechanism, wherever X stands.
std::string with_namespace(const std::string& text, const std::string& from_mechanism,
                           const std::string& mechanism);

// The VariantInfo entry of an id, `{"...` to `}`; its start in `*at`. `file` is for the message.
std::string info_entry(const std::string& text, const std::string& id, const std::string& file,
                       std::size_t* at);

// `text` with `lines` above the first line after `from` that contains `marker`.
std::string inserted_above(const std::string& text, const std::string& marker, std::size_t from,
                           const std::string& lines, const std::string& file);

}  // namespace assay
