// What must hold of a path before SQLite may touch it.
#pragma once

#include <string>

namespace assay {

// The name of a network or user-space file system with this statfs magic; "" for a local one.
std::string network_file_system(long magic);

// Error(kUsage): the folder is missing or cannot be written, the path is a folder, the file is not
// a database, or the file system is not local (WAL needs shared memory that only a local one
// gives).
void check_database_path(const std::string& path, bool read_only);

}  // namespace assay
