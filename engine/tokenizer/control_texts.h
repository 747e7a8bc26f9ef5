// Tokens that are known by their text, as llama.cpp knows them.
//
// Files do not say which tokens end a turn, and many call such tokens user-defined, so that they
// would be recognised in any text. The text decides instead: these tokens are control tokens
// whatever the file says, and those that end an answer end it.
#pragma once

#include <string_view>

namespace assay {

// "<|im_end|>", "<|eot_id|>", "</s>", ...: generation stops at it.
bool ends_text(std::string_view token);
// One that ends_text names, or a mark of fill-in-the-middle.
bool is_control(std::string_view token);

}  // namespace assay
