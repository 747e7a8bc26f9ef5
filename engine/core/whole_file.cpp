#include "engine/core/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>

#include "engine/core/error.h"
#include "engine/core/replacing_file.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, path + ": " + why);
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
  ReplacingFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
  return true;
}

}  // namespace assay
