// A reader, or a crash, sees the old file or the new one, never a part.
#include "recorder/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/core/error.h"

namespace assay {
namespace {

[[noreturn]] void fail(const std::string& path, const char* doing, int why) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: cannot be {}: {}; the old file is unchanged. Free space or make its "
                          "folder writable, then run `assay index`",
                          path, doing, std::strerror(why)));
}

bool write_all_bytes(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t size = ::write(fd, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    done += static_cast<std::size_t>(size);
  }
  return true;
}

void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // a folder that may be written but not listed: the rename stands anyway
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

std::optional<std::string> read_whole_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()).good()) {
    if (file && std::filesystem::file_size(path, error) == 0) return "";
    throw Error(ErrorKind::kUsage, fmt::format("{}: cannot be read", path));
  }
  return text.str();
}

bool replace_file(const std::string& path, const std::string& text) {
  if (read_whole_file(path) == text) return false;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(path, "written", error.value());

  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) fail(path, "written", errno);
  const bool written = write_all_bytes(fd, text) && ::fchmod(fd, 0644) == 0 && ::fsync(fd) == 0;
  const int why = errno;
  ::close(fd);
  if (!written || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = written ? errno : why;
    ::unlink(temporary.c_str());
    fail(path, "written", reason);
  }
  sync_folder(folder.string());
  return true;
}

}  // namespace assay
