#include "gates/cli/program_path.h"

#include <filesystem>

#include "engine/core/error.h"

namespace assay {

namespace fs = std::filesystem;

std::string program_beside(const std::string& name) {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return name;
  return (self.parent_path() / name).string();
}

std::string default_worker_path() {
  return program_beside("assay-worker");
}

std::string build_folder_of(const std::string& program) {
  for (fs::path folder = fs::absolute(program).parent_path();; folder = folder.parent_path()) {
    if (fs::exists(folder / "CMakeCache.txt")) return folder.string();
    if (folder == folder.root_path()) break;
  }
  throw Error(ErrorKind::kUsage,
              program +
                  ": lies in no build tree (no CMakeCache.txt above it), so it "
                  "cannot be rebuilt: build it by hand, and run without --build");
}

}  // namespace assay
