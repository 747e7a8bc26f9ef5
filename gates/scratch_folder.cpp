#include "gates/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "engine/core/error.h"

namespace assay {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  path_ = ((error ? std::filesystem::path("/tmp") : base) / "assay-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    throw Error(ErrorKind::kEnvironment, "cannot make a temporary folder at " + path_ + ": " +
                                             std::strerror(errno) +
                                             "; set TMPDIR to a writable folder");
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace assay
