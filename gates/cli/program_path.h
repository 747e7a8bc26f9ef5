// Where this program, its worker and their build lie.
#pragma once

#include <string>

namespace assay {

// "assay-worker" in the folder of the running program.
std::string default_worker_path();
// The build tree that holds `program`: the nearest folder upwards with a CMakeCache.txt.
// Error(kUsage) when there is none.
std::string build_folder_of(const std::string& program);

}  // namespace assay
