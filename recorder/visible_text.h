// Text from outside (an author, a worker's stderr, an imported file) made fit to be seen.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Valid UTF-8 in which nothing acts: bytes that are not UTF-8 become U+FFFD, control characters
// their pictures (ESC becomes U+241B), direction overrides U+FFFD. Newlines and tabs stay.
std::string visible(std::string_view text);
// The same on one line: newlines and tabs become spaces.
std::string visible_line(std::string_view text);
// Columns of a terminal that valid UTF-8 takes: combining marks 0, East Asian wide and emoji 2.
int display_width(std::string_view text);
// At most `width` columns, with an ellipsis where something was cut.
std::string cut_to_width(const std::string& text, int width);

}  // namespace assay
