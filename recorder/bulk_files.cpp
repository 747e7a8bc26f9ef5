#include "recorder/bulk_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/file_stamp.h"
#include "recorder/in_parallel.h"

namespace assay {
namespace {

constexpr std::size_t kMostWaiting = 2000;
constexpr const char* kUnfinished = ".unfinished-XXXXXX";  // as new_file.h has it

[[noreturn]] void fail(const std::string& called, int why) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: cannot be written: {}", called, std::strerror(why)));
}

// 0, or errno.
int write_all_of(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t size = ::write(fd, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno;
    done += static_cast<std::size_t>(size);
  }
  return 0;
}

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

// All that was written to the file system of `folder` is on the disk.
void to_disk(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = fd >= 0 && ::syncfs(fd) == 0;
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (!done) fail(folder, why);
}

}  // namespace

BulkFiles::~BulkFiles() {
  if (placing_.valid()) placing_.wait();
  for (const Waiting& file : waiting_) ::unlink(file.temporary.c_str());
}

BulkFiles::Added BulkFiles::add(const std::string& path, const std::string& text,
                                const std::string& called) {
  struct stat status {};
  if (read_whole_file(path, called) == text) {
    if (::stat(path.c_str(), &status) != 0) fail(called, errno);
    return {false, stamp_of(status)};
  }
  std::string temporary = path + kUnfinished;
  int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    std::error_code error;
    std::filesystem::create_directories(folder_of(path), error);
    temporary = path + kUnfinished;
    fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  }
  if (fd < 0) fail(called, errno);
  int why = write_all_of(fd, text);
  if (why == 0 && ::fstat(fd, &status) != 0) why = errno;
  if (::close(fd) != 0 && why == 0) why = errno;
  if (why != 0) {
    ::unlink(temporary.c_str());
    fail(called, why);
  }
  std::vector<Waiting> full;
  {
    const std::lock_guard guard(mutex_);
    waiting_.push_back({std::move(temporary), path});
    if (waiting_.size() >= kMostWaiting) full.swap(waiting_);
  }
  if (!full.empty()) put_in_place_meanwhile(std::move(full));
  return {true, stamp_of(status)};
}

// The next files can be written while the disk takes these: one batch at a time.
void BulkFiles::put_in_place_meanwhile(std::vector<Waiting> files) {
  const std::lock_guard guard(placing_mutex_);
  if (placing_.valid()) placing_.get();
  placing_ = meanwhile([this, files = std::move(files)] { put_in_place(files); });
}

void BulkFiles::put_in_place(const std::vector<Waiting>& files) {
  if (files.empty()) return;
  std::size_t done = 0;
  try {
    to_disk(folder_of(files.front().path));
    std::set<std::string> folders;
    for (; done < files.size(); ++done) {
      const Waiting& file = files[done];
      // Until here it is its owner's alone, by which remove_unfinished() knows it.
      if (::chmod(file.temporary.c_str(), 0644) != 0 ||
          ::rename(file.temporary.c_str(), file.path.c_str()) != 0) {
        fail(file.path, errno);
      }
      folders.insert(folder_of(file.path));
    }
    for (const std::string& folder : folders) to_disk(folder);
  } catch (const Error&) {
    for (; done < files.size(); ++done) ::unlink(files[done].temporary.c_str());
    throw;
  }
}

void BulkFiles::finish() {
  if (placing_.valid()) placing_.get();
  std::vector<Waiting> rest;
  {
    const std::lock_guard guard(mutex_);
    rest.swap(waiting_);
  }
  put_in_place(rest);
}

}  // namespace assay
