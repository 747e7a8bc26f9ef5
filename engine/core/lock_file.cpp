#include "engine/core/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace assay {
namespace {

constexpr std::size_t kMostText = 48;  // what a lock file holds: "12345 assay model quantize"
constexpr double kSilence_s = 2;
constexpr std::chrono::milliseconds kPause{20};

// "process 12 (assay query)", without the name where the file has none.
std::string holder_of(int fd) {
  char bytes[kMostText] = {};
  const ssize_t size = ::pread(fd, bytes, sizeof bytes, 0);
  const std::string text(bytes, size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (end == 0) return "another process";
  std::string name = text.substr(end, text.find('\n', end) - end);
  if (name.starts_with(' ')) name = " (" + name.substr(1) + ")";
  return "process " + text.substr(0, end) + name;
}

}  // namespace

void LockFile::wait(const std::string& path, const LockWords& words, const LockPatience& patience) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  bool told = !patience.tell;
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    if (why != EWOULDBLOCK) {
      throw Error(ErrorKind::kUsage, path + ": cannot be locked: " + std::strerror(why));
    }
    const std::string holder = holder_of(fd_) + " is " + words.doing;
    const double passed_s = std::chrono::duration<double>(Clock::now() - start).count();
    if (passed_s >= patience.seconds) {
      throw Error(words.busy, path + ": " + holder + "; wait for it or end it");
    }
    if (!told && passed_s >= kSilence_s) {
      told = true;
      patience.tell("waiting: " + holder);
    }
    std::this_thread::sleep_for(kPause);
  }
}

LockFile::LockFile(const std::string& path, const LockWords& words, const LockPatience& patience) {
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
      status.st_size > static_cast<off_t>(kMostText)) {
    fail(ErrorKind::kUsage,
         "is not a lock file of this program; nothing was changed: move it away");
  }
  try {
    wait(path, words, patience);
  } catch (...) {
    ::close(fd_);
    throw;
  }
  if (theirs) return;
  std::string mine = std::to_string(::getpid());
  if (!patience.who.empty()) mine += " " + patience.who;
  mine = mine.substr(0, kMostText - 1) + "\n";
  if (::ftruncate(fd_, 0) != 0 ||
      ::pwrite(fd_, mine.data(), mine.size(), 0) != static_cast<ssize_t>(mine.size())) {
    fail(ErrorKind::kUsage, std::string("cannot be written: ") + std::strerror(errno));
  }
}

LockFile::~LockFile() {
  ::close(fd_);
}

}  // namespace assay
