// Whole files, read and written. A reader, or a crash, sees the old file or the new one, never a
// part. Messages about what stands in a file's place call it `called`, such as "results/index.md"
// for a file of a workspace; empty: its path.
#pragma once

#include <optional>
#include <string>

namespace assay {

// Nothing when the file is not there. Error(kUsage) when it is no regular file (a link to one is
// followed), a link to nothing, or cannot be read.
std::optional<std::string> read_whole_file(const std::string& path, const std::string& called = {});
// Writes by temporary, fsync, rename, fsync of the folder (made when missing); a file that has
// these bytes already is left alone, so its time stays. True when the file changed. Error(kUsage)
// with the reason, and the old file intact.
bool replace_file(const std::string& path, const std::string& text, const std::string& called = {});
// The same, but where a symbolic link stands, what it points to is replaced and the link stays.
// For files that people keep; a generated one takes a link's place.
bool replace_linked_file(const std::string& path, const std::string& text,
                         const std::string& called = {});

}  // namespace assay
