#include "recorder/temporary_database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/new_file.h"

namespace assay {

namespace {

// False where another process took the file for a left one before it was locked.
bool is_ours(int file) {
  struct stat status {};
  const bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  return locked && ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

TemporaryDatabase::TemporaryDatabase(const std::string& place) {
  NewFile::remove_unfinished_of(place);
  for (bool ours = false; !ours;) {
    name_ = place + ".unfinished-XXXXXX";
    lock_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (lock_ < 0) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: cannot be created: {}; name another place",
                                                 place, std::strerror(errno)));
    }
    ours = is_ours(lock_);
    if (!ours) ::close(lock_);
  }
}

TemporaryDatabase::~TemporaryDatabase() {
  for (const char* end : {"-journal", "-wal", "-shm", ""}) ::unlink((name_ + end).c_str());
  ::close(lock_);
}

void TemporaryDatabase::open_to_all() const {
  ::fchmod(lock_, 0644);
}

}  // namespace assay
