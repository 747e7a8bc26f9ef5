// A text cut at the special tokens that stand in it: longest token first, each from left to right.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/tokenizer/vocabulary.h"

namespace assay {

// A stretch of the text: plain (token -1), or a special token that was found there.
struct Fragment {
  std::string_view text;
  std::int32_t token = -1;
};

// `control`: look for control tokens, too, and not only for user-defined ones.
std::vector<Fragment> cut_at_specials(std::string_view text,
                                      const std::vector<SpecialToken>& specials, bool control);

}  // namespace assay
