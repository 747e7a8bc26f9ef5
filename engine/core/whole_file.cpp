#include "engine/core/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>

#include "engine/core/error.h"
#include "engine/core/new_file.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw Error(ErrorKind::kUsage, file + ": " + why);
}

// -1 where nothing is. Without O_NONBLOCK, a pipe in the file's place would wait for ever.
int open_to_read(const std::string& path, const std::string& shown) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) return fd;
  const int why = errno;
  struct stat status {};
  if (why != ENOENT) refuse(shown, std::string("cannot be read: ") + std::strerror(why));
  if (::lstat(path.c_str(), &status) == 0) {
    refuse(shown, "is a link to nothing; remove it, or restore what it points to");
  }
  return -1;
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

}  // namespace

std::optional<std::string> read_whole_file(const std::string& path, const std::string& called) {
  const std::string& shown = called.empty() ? path : called;
  const int fd = open_to_read(path, shown);
  if (fd < 0) return std::nullopt;
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0;
  std::optional<std::string> text;
  if (known && S_ISREG(status.st_mode)) {
    text = all_bytes_of(fd, static_cast<std::size_t>(status.st_size));
  }
  const int why = errno;
  ::close(fd);
  if (known && S_ISDIR(status.st_mode)) refuse(shown, "is a folder; a file belongs there");
  if (known && !S_ISREG(status.st_mode)) {
    refuse(shown, "is a pipe, a socket or a device; a file belongs there");
  }
  if (!text) refuse(shown, std::string("cannot be read: ") + std::strerror(why));
  return text;
}

bool replace_file(const std::string& path, const std::string& text, const std::string& called) {
  if (read_whole_file(path, called) == text) return false;
  NewFile file = NewFile::replace(path);
  file.write_at(0, std::as_bytes(std::span(text)));
  file.keep();
  return true;
}

bool replace_linked_file(const std::string& path, const std::string& text,
                         const std::string& called) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return replace_file(path, text, called);
  const fs::path target = fs::canonical(path, error);
  if (error) refuse(called.empty() ? path : called, "cannot be followed: " + error.message());
  return replace_file(target.string(), text, called);
}

}  // namespace assay
