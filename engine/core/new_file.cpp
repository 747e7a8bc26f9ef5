#include "engine/core/new_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/core/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// The way to link in a file that has no name.
std::string link_to(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

constexpr std::string_view kUnfinished = ".unfinished-";
constexpr std::string_view kRandom = "XXXXXX";
constexpr std::size_t kEnding = kUnfinished.size() + kRandom.size();

// Not an error where it fails: a folder may be written but not listed, and the name stands anyway.
void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

// Temporaries that no process holds: those of one file, or of every one where `of` is empty.
void remove_left(const std::string& folder, const std::string& of) {
  std::vector<std::string> names;
  DIR* const listing = ::opendir(folder.c_str());
  // Without std::filesystem: among tens of thousands of files its paths cost more than the listing.
  while (const dirent* entry = listing == nullptr ? nullptr : ::readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (!NewFile::may_be_unfinished(name)) continue;
    if (of.empty() || name.substr(0, name.size() - kEnding) == of) names.emplace_back(name);
  }
  if (listing != nullptr) ::closedir(listing);
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) continue;
    struct stat status {};
    // A temporary is its owner's alone; what somebody else named in this way is not.
    const bool ours = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                      (status.st_mode & 0777) == 0600 && status.st_uid == ::geteuid();
    if (ours && ::flock(fd, LOCK_EX | LOCK_NB) == 0) {
      // Of a database its logs, too.
      for (const char* end : {"-journal", "-wal", "-shm", ""}) ::unlink((path + end).c_str());
    }
    ::close(fd);
  }
}

}  // namespace

NewFile NewFile::create(const std::string& path, const std::string& kind, Naming naming) {
  return NewFile(path, kind, naming);
}

NewFile NewFile::replace(const std::string& path) {
  return NewFile(path, "", Naming::kTemporary);
}

NewFile::NewFile(const std::string& path, const std::string& kind, Naming naming)
    : path_(path), kind_(kind) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::none) fail(error.value());
  if (!kind_.empty() && fs::exists(status)) refuse_existing();
  if (path.empty()) fail(ENOENT);
  if (!kind_.empty() && !fs::exists(fs::status(folder_of(path), error))) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: its folder does not exist; make it first", path));
  }
  if (kind_.empty()) {
    fs::create_directories(folder_of(path), error);
    if (error) fail(error.value());
  }
  if (naming == Naming::kTemporary || !open_without_name()) open_temporary();
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

// False where this file system, or a system without /proc, cannot.
bool NewFile::open_without_name() {
  descriptor_ = ::open(folder_of(path_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) return false;
    fail(errno);
  }
  if (::access(link_to(descriptor_).c_str(), F_OK) == 0) return true;
  ::close(descriptor_);
  return false;
}

void NewFile::open_temporary() {
  remove_unfinished_of(path_);
  do {
    std::string name = path_;
    name.append(kUnfinished).append(kRandom);
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    temporary_ = name;
  } while (!own_temporary());
}

// False where another create() took the file for a left one before it was locked. A file system
// without locks has nobody to take it.
bool NewFile::own_temporary() {
  struct stat status {};
  const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  if (locked && ::fstat(descriptor_, &status) == 0 && status.st_nlink > 0) return true;
  ::close(descriptor_);
  return false;
}

void NewFile::remove_unfinished_of(const std::string& path) {
  remove_left(folder_of(path), fs::path(path).filename().string());
}

bool NewFile::may_be_unfinished(std::string_view name) {
  return name.size() > kEnding &&
         name.compare(name.size() - kEnding, kUnfinished.size(), kUnfinished) == 0;
}

void NewFile::remove_unfinished(const std::string& folder) {
  remove_left(folder, "");
}

void NewFile::reserve(std::uint64_t bytes) {
  int why = EINTR;
  while (why == EINTR) why = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  if (why != 0) fail(why);
}

void NewFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t size =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) fail(size < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(size));
    offset += static_cast<std::uint64_t>(size);
  }
}

void NewFile::keep() {
  if (::fsync(descriptor_) != 0) fail(errno);
  // A temporary is its owner's alone until here: what a kill during the sync leaves is known by it.
  if (!temporary_.empty() && ::fchmod(descriptor_, 0644) != 0) fail(errno);
  take_place();
  temporary_.clear();
  sync_folder(folder_of(path_));
}

void NewFile::take_place() {
  int failed = -1;
  if (temporary_.empty()) {
    failed = ::linkat(AT_FDCWD, link_to(descriptor_).c_str(), AT_FDCWD, path_.c_str(),
                      AT_SYMLINK_FOLLOW);
  } else if (kind_.empty()) {
    failed = ::rename(temporary_.c_str(), path_.c_str());
  } else {
    failed = ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE);
    if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) {
      // NFS cannot refuse by itself, but it can link.
      failed = ::link(temporary_.c_str(), path_.c_str());
      if (failed == 0) ::unlink(temporary_.c_str());
    }
  }
  if (failed == 0) return;
  if (errno == EEXIST) refuse_existing();
  fail(errno);
}

void NewFile::fail(int why) const {
  std::error_code ignored;
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: cannot be written: {}; {}. Free space or make its folder writable, "
                          "then repeat the command",
                          path_, std::strerror(why),
                          fs::exists(path_, ignored) ? "the old file is unchanged"
                                                     : "nothing was left there"));
}

void NewFile::refuse_existing() const {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: is there already, and {} are not written over: name another file, "
                          "or remove this one",
                          path_, kind_));
}

}  // namespace assay
