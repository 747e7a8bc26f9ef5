#include "gates/cli/file_text.h"

#include <filesystem>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"

namespace assay {

std::string read_text_file(const std::string& path) {
  std::optional<std::string> text = read_whole_file(path);
  if (!text) throw Error(ErrorKind::kUsage, path + ": cannot be read: No such file or directory");
  return std::move(*text);
}

void write_new_file(const std::string& path, const std::string& text) {
  if (std::filesystem::exists(path)) {
    throw Error(ErrorKind::kUsage, path + ": exists already; nothing was written");
  }
  replace_file(path, text);
}

}  // namespace assay
