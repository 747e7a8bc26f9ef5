// Whole files, read and written. A reader, or a crash, sees the old file or the new one, never a
// part.
#pragma once

#include <optional>
#include <string>

namespace assay {

// Nothing when the file is not there. Error(kUsage) when it is no regular file (a link to one is
// followed) or cannot be read.
std::optional<std::string> read_whole_file(const std::string& path);
// Writes by temporary, fsync, rename, fsync of the folder (made when missing); a file that has
// these bytes already is left alone, so its time stays. True when the file changed. Error(kUsage)
// with the reason, and the old file intact.
bool replace_file(const std::string& path, const std::string& text);

}  // namespace assay
