// A unified diff of two texts, by lines.
//
// Method: the common beginning and end are set aside, the rest is aligned by a longest common
// subsequence table. Definitions are short; where the table would pass 4 million cells, the rest is
// shown as removed and added whole. Rejected: calling diff(1) (a process for a message).
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Empty when the texts are equal. `context` is the number of unchanged lines around a change.
std::string unified_diff(std::string_view before, std::string_view after,
                         std::string_view before_name, std::string_view after_name,
                         int context = 3);

}  // namespace assay
