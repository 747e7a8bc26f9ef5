// Where this program, its worker and their build lie.
#pragma once

#include <string>

namespace assay {

// The program of that name in the folder of the running one.
std::string program_beside(const std::string& name);
// "assay-worker" in the folder of the running program.
std::string default_worker_path();
// The build tree that holds `program`: the nearest folder upwards with a CMakeCache.txt.
// Error(kUsage) when there is none.
std::string build_folder_of(const std::string& program);

}  // namespace assay
