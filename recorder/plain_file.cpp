// See plain_file.h. The check and the opening are two steps: a file that turns into a pipe between
// them is beyond a command for people.
#include "recorder/plain_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", path, why));
}

// True when a readable file is there, false when nothing is.
bool is_plain_file(const std::string& workspace, const std::string& path) {
  const std::string whole = workspace + "/" + path;
  struct stat status {};
  if (::stat(whole.c_str(), &status) != 0) {
    const int why = errno;
    if (why == ENOENT && ::lstat(whole.c_str(), &status) != 0) return false;
    if (why == ENOENT)
      refuse(path, "is a link to nothing; remove it, or restore what it points to");
    refuse(path,
           fmt::format("cannot be looked at: {}; make its folder readable", std::strerror(why)));
  }
  if (S_ISDIR(status.st_mode)) {
    refuse(path, "is a folder, and a file belongs here; move it away");
  }
  if (!S_ISREG(status.st_mode)) {
    refuse(path,
           "is no regular file (a pipe, a socket or a device), and one belongs here; move it "
           "away");
  }
  const int fd = ::open(whole.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    refuse(path, fmt::format("cannot be read: {}; make it readable", std::strerror(errno)));
  ::close(fd);
  return true;
}

}  // namespace

std::optional<std::string> read_plain_file(const std::string& workspace, const std::string& path) {
  if (!is_plain_file(workspace, path)) return std::nullopt;
  return read_whole_file(workspace + "/" + path);
}

bool write_plain_file(const std::string& workspace, const std::string& path,
                      const std::string& text) {
  is_plain_file(workspace, path);
  return replace_file(workspace + "/" + path, text);
}

}  // namespace assay
