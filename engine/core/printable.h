// Text from a file or a command line, fit for a terminal and for JSON.
//
// A model's file may name itself with anything: a sequence that moves the cursor, or bytes that are
// no UTF-8. What is shown goes through here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

// Where the first byte is that belongs to no UTF-8 character; nothing when all do. Overlong forms,
// surrogates and what lies above U+10FFFF are none.
std::optional<std::size_t> first_not_utf8(std::string_view text);

// The same, with what is no UTF-8, control characters and marks of writing direction as \xNN; line
// ends stay where `lines`.
std::string printable(std::string_view text, bool lines = false);

}  // namespace assay
