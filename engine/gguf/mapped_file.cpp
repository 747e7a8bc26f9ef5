#include "engine/gguf/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/sha256.h"

namespace assay {
namespace {

constexpr std::size_t kHashChunk = std::size_t{1} << 20;

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw Error(ErrorKind::kUsage, path + ": " + problem);
}

[[noreturn]] void fail_to_open(const std::string& path, int error) {
  if (error == ENOENT) fail(path, "there is no such file: check the path");
  fail(path, fmt::format("cannot be opened ({}): check the path and its permissions",
                         std::strerror(error)));
}

std::int64_t modified_ns(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

// What keeps a file from being a model, or an empty string.
std::string unfit(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return "is a directory: name the .gguf file inside it";
  if (!S_ISREG(status.st_mode)) return "is not a regular file: copy the model to a file first";
  if (status.st_size == 0) return "the file is empty: fetch or convert the model again";
  return "";
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  // Without O_NONBLOCK the open of a named pipe would wait for a writer.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail_to_open(path, errno);
  struct stat status {};
  std::string problem;
  if (::fstat(descriptor_, &status) != 0) {
    problem = fmt::format("its size cannot be asked for ({})", std::strerror(errno));
  } else {
    problem = unfit(status);
  }
  void* address = nullptr;
  if (problem.empty()) {
    address = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_SHARED,
                     descriptor_, 0);
    if (address == MAP_FAILED && errno == ENOMEM) {
      ::close(descriptor_);
      throw Error(ErrorKind::kEnvironment,
                  fmt::format("{}: out of memory: its {} bytes have no room in this process's "
                              "address space; raise the limit (`ulimit -v`)",
                              path, status.st_size));
    }
    if (address == MAP_FAILED) {
      problem = fmt::format("{} bytes cannot be mapped ({}): copy the file to a local disk",
                            status.st_size, std::strerror(errno));
    }
  }
  if (!problem.empty()) {
    ::close(descriptor_);
    fail(path, problem);
  }
  modified_ns_ = modified_ns(status);
  bytes_ = {static_cast<const std::byte*>(address), static_cast<std::size_t>(status.st_size)};
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  ::close(descriptor_);
}

void MappedFile::ensure_unchanged() const {
  struct stat status {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  const std::uint64_t size = known ? static_cast<std::uint64_t>(status.st_size) : 0;
  if (size != bytes_.size()) {
    fail(path_, fmt::format("the file had {} bytes when it was opened and has {} now: leave it "
                            "alone while it is in use, then start again",
                            bytes_.size(), size));
  }
  if (modified_ns(status) != modified_ns_) {
    fail(path_,
         "the file was written to after it was opened: leave it alone while it is in use, "
         "then start again");
  }
}

std::string MappedFile::sha256() const {
  ensure_unchanged();
  Sha256 hash;
  std::vector<std::byte> buffer(std::min(kHashChunk, bytes_.size()));
  std::size_t offset = 0;
  while (offset < bytes_.size()) {
    const std::size_t wanted = std::min(buffer.size(), bytes_.size() - offset);
    const ssize_t got = ::pread(descriptor_, buffer.data(), wanted, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      fail(path_, fmt::format("reading at byte {} failed ({}): check the disk", offset,
                              std::strerror(errno)));
    }
    if (got == 0) break;  // shorter than it was: ensure_unchanged says so
    hash.update(std::span(buffer).first(static_cast<std::size_t>(got)));
    offset += static_cast<std::size_t>(got);
  }
  ensure_unchanged();
  return hash.hex();
}

}  // namespace assay
