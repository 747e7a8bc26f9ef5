// Lock files in results/ and beside the database: flock, so that the kernel lets go of one when its
// holder dies, with the holder's process id inside, for the message. Not flock on the database
// itself: closing that descriptor would drop SQLite's own locks on the file.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/core/error.h"
#include "recorder/open_checks.h"
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

// Takes the lock at `path` or throws; `doing` is what its holder does, `advice` ends the message of
// a path that cannot be written.
int take_lock(const std::string& path, const char* doing, const char* advice) {
  // Never through a link, and never into something that is no lock file: its text is replaced
  // below.
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (fd < 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: cannot be written: {}; {}", path, std::strerror(errno), advice));
  }
  const auto fail = [&](const std::string& why) {
    ::close(fd);
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}", path, why));
  };
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1 ||
      status.st_size > 32) {
    fail("is not a lock file of this program; nothing was changed: move it away");
  }
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    fail(why == EWOULDBLOCK ? fmt::format("{} is {}; wait for it or end it", holder_of(fd), doing)
                            : fmt::format("cannot be locked: {}", std::strerror(why)));
  }
  const std::string mine = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, mine.data(), mine.size(), 0) != static_cast<ssize_t>(mine.size())) {
    fail(fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  return fd;
}

// Beside the file itself, wherever links to it lie, so that every way to it meets the same lock.
std::string lock_beside(const std::string& database) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(database, error);
  return (error ? database : real.string()) + "-lock";
}

}  // namespace

WorkspaceLock::WorkspaceLock(const std::string& workspace, const std::string& database) {
  std::error_code ignored;  // the opening says it
  std::filesystem::create_directories(workspace + "/results", ignored);
  const std::string file = database.empty() ? workspace + "/results/assay.db" : database;
  workspace_fd_ =
      take_lock(workspace + "/results/assay.lock", "running an experiment in this workspace",
                "make the workspace writable, or name another with --workspace");
  try {
    check_database_path(file, false);
    database_fd_ = take_lock(lock_beside(file), "writing to this database from another workspace",
                             "make its folder writable, or name another with --db");
  } catch (const Error&) {
    ::close(workspace_fd_);
    throw;
  }
}

WorkspaceLock::~WorkspaceLock() {
  ::close(database_fd_);
  ::close(workspace_fd_);
}

}  // namespace assay
