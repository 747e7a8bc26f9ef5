// Whole text files, in and out.
#pragma once

#include <string>

namespace assay {

// Error(kUsage) with the path and the system's reason.
std::string read_text_file(const std::string& path);
// A new file; Error(kUsage) when it exists already or cannot be written.
void write_new_file(const std::string& path, const std::string& text);

}  // namespace assay
