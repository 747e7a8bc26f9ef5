// Errors in a text file that a person wrote: where, what, the line, and a caret under the place.
//
//   FILE:LINE:COLUMN: MESSAGE
//   <the line>
//   <spaces>^
//
// Lines and columns count from 1; a column is one character, however many bytes it has. So that the
// caret stands under the right character in any terminal, a tab is shown as one space, a byte that
// prints nothing as `?`, and of a long line only a window around the place (its cut ends show as
// `...`). Wide characters (CJK) are counted as one column: right for editors, off in a terminal.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// `line` and `byte_column` count from 0, as yaml-cpp's marks do; places past the end are moved to
// it.
std::string caret_message(std::string_view file_name, std::string_view text, int line,
                          int byte_column, std::string_view message);

// A name or value of the user's as it may stand inside a message: in backticks, cut at 60 bytes,
// control characters shown as `?`.
std::string shown(std::string_view text);

}  // namespace assay
