// Any bytes made well-formed, so that the pre-tokeniser's pattern may run on them.
//
// The rule is llama.cpp's, because token ids must agree with it on every input: a byte that does
// not start a complete sequence of its declared length becomes U+FFFD and the next byte is looked
// at; overlong forms are accepted and come out in their shortest form; surrogates pass unchanged.
// So text with invalid bytes does not survive encoding, and well-formed text always does. One
// departure: above U+10FFFF llama.cpp aborts, here such a byte becomes U+FFFD like any other.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// The repaired bytes; equal to `text` when that is well-formed.
std::string repair_utf8(std::string_view text);
// The same length with each surrogate (ED A0..BF xx) as U+FFFD, which PCRE2 accepts and which is
// neither letter, number nor space, as a surrogate is not. `repaired` comes from repair_utf8.
std::string without_surrogates(std::string_view repaired);

}  // namespace assay
