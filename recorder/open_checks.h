// What must hold of a path before SQLite may touch it.
#pragma once

#include <string>

namespace assay {

// The name of a network or user-space file system with this statfs magic; "" for a local one.
std::string network_file_system(long magic);

// What a file begins with.
enum class FileHead { kDatabase, kNothing, kZeros, kOther };
// Error(kUsage) where it cannot be read.
FileHead file_head(const std::string& path);

// Error(kUsage): the folder is missing or cannot be written, the path is a folder, the file is not
// a database, or the file system is not local (WAL needs shared memory that only a local one
// gives).
void check_database_path(const std::string& path, bool read_only);
// The same of a database that is to be replaced: what a crash or a disk has left of one, an empty
// file or zeros in the place of its beginning, will do.
void check_replaced_path(const std::string& path);

}  // namespace assay
