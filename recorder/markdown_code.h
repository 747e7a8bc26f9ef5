// Where an author's Markdown is code, and where in a file a byte stands.
#pragma once

#include <string>
#include <vector>

namespace assay {

// For each byte of the text whether it belongs to a fenced block or a code span (of one line, as
// markdown.cpp finds them).
std::vector<bool> code_in(const std::string& text);

// "PATH:LINE:COLUMN" of a byte; columns count characters.
std::string place_of(const std::string& path, const std::string& text, std::size_t at);

}  // namespace assay
