#include "engine/core/replacing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/core/error.h"

namespace assay {
namespace {

std::filesystem::path folder_of(const std::string& path) {
  return std::filesystem::absolute(path).parent_path();
}

void sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // a folder that may be written but not listed: the rename stands anyway
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

ReplacingFile::ReplacingFile(const std::string& path) : path_(path) {
  std::error_code error;
  std::filesystem::create_directories(folder_of(path), error);
  if (error) fail(error.value());
  std::string name = path + ".XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
  temporary_ = name;
}

ReplacingFile::~ReplacingFile() {
  discard();
}

void ReplacingFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(descriptor_, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) fail(size == 0 ? ENOSPC : errno);
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
}

void ReplacingFile::commit() {
  if (::fchmod(descriptor_, 0644) != 0 || ::fsync(descriptor_) != 0) fail(errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
  sync_folder(folder_of(path_));
}

void ReplacingFile::fail(int why) {
  discard();
  std::error_code ignored;
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: cannot be written: {}; {}. Free space or make its folder writable, "
                          "then repeat the command",
                          path_, std::strerror(why),
                          std::filesystem::exists(path_, ignored) ? "the old file is unchanged"
                                                                  : "no file was made"));
}

void ReplacingFile::discard() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

}  // namespace assay
