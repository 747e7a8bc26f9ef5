#include "engine/core/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/core/error.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, path + ": " + why);
}

[[noreturn]] void not_written(const std::string& path, int why) {
  refuse(path, fmt::format("cannot be written: {}; the old file is unchanged. Free space or make "
                           "its folder writable, then repeat the command",
                           std::strerror(why)));
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

std::optional<std::string> all_bytes_of(int fd, std::size_t expected) {
  std::string text;
  text.reserve(expected);
  char buffer[1 << 16];
  for (;;) {
    const ssize_t size = ::read(fd, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) return text;
    text.append(buffer, static_cast<std::size_t>(size));
  }
}

void sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // a folder that may be written but not listed: the rename stands anyway
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

std::optional<std::string> read_whole_file(const std::string& path) {
  // Without O_NONBLOCK, a pipe in the file's place would wait for a writer for ever.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return std::nullopt;
  if (fd < 0) refuse(path, std::string("cannot be read: ") + std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0;
  std::optional<std::string> text;
  if (known && S_ISREG(status.st_mode)) {
    text = all_bytes_of(fd, static_cast<std::size_t>(status.st_size));
  }
  const int why = errno;
  ::close(fd);
  if (known && S_ISDIR(status.st_mode)) refuse(path, "is a folder; a file belongs there");
  if (known && !S_ISREG(status.st_mode)) refuse(path, "is not a regular file");
  if (!text) refuse(path, std::string("cannot be read: ") + std::strerror(why));
  return text;
}

bool replace_file(const std::string& path, const std::string& text) {
  if (read_whole_file(path) == text) return false;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) not_written(path, error.value());

  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) not_written(path, errno);
  const bool written = write_all_bytes(fd, text) && ::fchmod(fd, 0644) == 0 && ::fsync(fd) == 0;
  const int why = errno;
  ::close(fd);
  if (!written || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = written ? errno : why;
    ::unlink(temporary.c_str());
    not_written(path, reason);
  }
  sync_folder(folder);
  return true;
}

}  // namespace assay
