#include "engine/core/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

LockFile::LockFile(const std::string& path, const LockWords& words) {
  // Never through a link, and never into something that is no lock file: its text is replaced
  // below.
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  // A shared folder may refuse to open another user's file for writing; a lock needs no writing.
  const bool theirs = fd_ < 0 && errno == EACCES && words.shared;
  if (theirs) fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd_ < 0) {
    throw Error(ErrorKind::kUsage,
                path + ": cannot be written: " + std::strerror(errno) + "; " + words.advice);
  }
  const auto fail = [&](ErrorKind kind, const std::string& why) {
    ::close(fd_);
    throw Error(kind, path + ": " + why);
  };
  struct stat status {};
  if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1 ||
      status.st_size > 32) {
    fail(ErrorKind::kUsage,
         "is not a lock file of this program; nothing was changed: move it away");
  }
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    if (why != EWOULDBLOCK) {
      fail(ErrorKind::kUsage, std::string("cannot be locked: ") + std::strerror(why));
    }
    fail(words.busy, holder_of(fd_) + " is " + words.doing + "; wait for it or end it");
  }
  if (theirs) return;
  const std::string mine = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd_, 0) != 0 ||
      ::pwrite(fd_, mine.data(), mine.size(), 0) != static_cast<ssize_t>(mine.size())) {
    fail(ErrorKind::kUsage, std::string("cannot be written: ") + std::strerror(errno));
  }
}

LockFile::~LockFile() {
  ::close(fd_);
}

}  // namespace assay
