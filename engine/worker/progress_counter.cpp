#include "engine/worker/progress_counter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr std::size_t kBytes = 4096;
static_assert(sizeof(std::atomic<std::uint64_t>) == sizeof(std::uint64_t));
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace

ProgressCounter::ProgressCounter() = default;

ProgressCounter::ProgressCounter(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct stat info = {};
  const bool sized = file >= 0 && ::fstat(file, &info) == 0 &&
                     (info.st_size >= static_cast<off_t>(kBytes) || ::ftruncate(file, kBytes) == 0);
  void* page =
      sized ? ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  const int failure = errno;
  if (file >= 0) ::close(file);
  if (page == MAP_FAILED) {
    throw Error(ErrorKind::kUsage, fmt::format("--progress: cannot map a page of {}: {}", path,
                                               std::strerror(failure)));
  }
  page_ = page;
  counter_ = reinterpret_cast<std::atomic<std::uint64_t>*>(page);
}

ProgressCounter::~ProgressCounter() {
  if (page_ != nullptr) ::munmap(page_, kBytes);
}

}  // namespace assay
