// A lock file beside the database: flock, so that the kernel lets go of it when its holder dies,
// with the holder's process id inside, for the message.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/core/error.h"
#include "recorder/store.h"

namespace assay {
namespace {

std::string holder_of(int fd) {
  char text[32] = {};
  const ssize_t size = ::pread(fd, text, sizeof text - 1, 0);
  std::string digits;
  for (ssize_t i = 0; i < size && text[i] >= '0' && text[i] <= '9'; ++i) digits += text[i];
  return digits.empty() ? "another process" : "process " + digits;
}

}  // namespace

WorkspaceLock::WorkspaceLock(const std::string& workspace) {
  const std::string path = workspace + "/results/assay.lock";
  std::error_code ignored;
  std::filesystem::create_directories(workspace + "/results", ignored);
  // Never through a link, and never into something that is no lock file: its text is replaced
  // below.
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (fd_ < 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: cannot be written: {}; make the workspace writable, "
                            "or name another with --workspace",
                            path, std::strerror(errno)));
  }
  struct stat status {};
  if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1 ||
      status.st_size > 32) {
    ::close(fd_);
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: is not a lock file of this program; nothing was changed: move it away",
                    path));
  }
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    const std::string holder = holder_of(fd_);
    ::close(fd_);
    throw Error(
        ErrorKind::kUsage,
        why == EWOULDBLOCK
            ? fmt::format("{}: {} is running an experiment in this workspace; wait for it or "
                          "end it",
                          path, holder)
            : fmt::format("{}: cannot be locked: {}", path, std::strerror(why)));
  }
  const std::string mine = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd_, 0) != 0 ||
      ::pwrite(fd_, mine.data(), mine.size(), 0) != static_cast<ssize_t>(mine.size())) {
    const int why = errno;
    ::close(fd_);
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: cannot be written: {}", path, std::strerror(why)));
  }
}

WorkspaceLock::~WorkspaceLock() {
  ::close(fd_);
}

}  // namespace assay
