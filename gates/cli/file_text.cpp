#include "gates/cli/file_text.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/core/error.h"
#include "gates/landing.h"

namespace assay {

namespace fs = std::filesystem;

std::string read_text_file(const std::string& path) {
  if (fs::is_directory(path)) {
    throw Error(ErrorKind::kUsage, path + ": is a folder; name a file in it");
  }
  if (fs::exists(path) && !fs::is_regular_file(path)) {
    throw Error(ErrorKind::kUsage, path + ": is not a regular file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) {
    throw Error(ErrorKind::kUsage,
                path + ": cannot be read: " + std::strerror(errno == 0 ? EIO : errno));
  }
  return text.str();
}

void write_new_file(const std::string& path, const std::string& text) {
  if (fs::exists(path)) {
    throw Error(ErrorKind::kUsage, path + ": exists already; nothing was written");
  }
  fs::create_directories(fs::path(path).parent_path());
  write_file_atomically(path, text);
}

}  // namespace assay
