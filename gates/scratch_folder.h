// A temporary folder for the arrays that workers write; removed with its content.
#pragma once

#include <string>

namespace assay {

class ScratchFolder {
 public:
  // Below TMPDIR or /tmp. Error(kEnvironment) when it cannot be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace assay
