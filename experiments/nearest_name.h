// The known name that a mistyped one probably means.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay {

// The name with the smallest edit distance (insert, delete, replace, swap of neighbours), if that
// is small for its length; else empty. The first wins a tie.
std::string nearest_name(std::string_view typed, std::span<const std::string_view> names);

// "; did you mean `title`?", or "; " + `else_text`, or empty when both are.
std::string suggestion(std::string_view typed, std::span<const std::string_view> names,
                       std::string_view else_text);

}  // namespace assay
