// Writing a synthetic model to disk.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/core/error.h"
#include "engine/synth/image.h"

namespace assay {
namespace {

constexpr std::uint64_t kPiece = 32u << 20;  // bytes generated, then written

// Invariants: until keep() returns there is nothing at `path`, and when this object goes without a
// keep() there is nothing anywhere. On file systems that have no files without a name (NFS), the
// name is temporary instead, and only a kill leaves it behind.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path) {
    if (std::filesystem::exists(std::filesystem::symlink_status(path))) refuse_existing();
    std::string folder = std::filesystem::path(path).parent_path().string();
    if (folder.empty()) folder = ".";
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
    if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
      temporary_ = path + ".XXXXXX";
      descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
      if (descriptor_ >= 0) ::fchmod(descriptor_, 0644);
    }
    if (descriptor_ < 0) refuse(errno);
  }
  ~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // Takes the disk space at once, so that a full disk is known before the work.
  void reserve(std::uint64_t bytes) {
    const int why = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
    if (why != 0) refuse(why);
  }
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t size =
          ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) refuse(size < 0 ? errno : ENOSPC);
      bytes = bytes.subspan(static_cast<std::size_t>(size));
      offset += static_cast<std::uint64_t>(size);
    }
  }
  void keep() {
    if (::fsync(descriptor_) != 0) refuse(errno);
    const std::string from =
        temporary_.empty() ? fmt::format("/proc/self/fd/{}", descriptor_) : temporary_;
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
    if (errno == EEXIST) refuse_existing();
    refuse(errno);
  }

 private:
  [[noreturn]] void refuse(int why) const {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: cannot be written: {}; nothing was left there. Free space or make "
                            "its folder writable, then repeat the command",
                            path_, std::strerror(why)));
  }
  [[noreturn]] void refuse_existing() const {
    throw Error(ErrorKind::kUsage,
                path_ +
                    ": is there already, and models are not written over: name another file, "
                    "or remove this one");
  }

  std::string path_;
  std::string temporary_;  // empty where the file has no name
  int descriptor_ = -1;
};

}  // namespace

std::uint64_t write_synth_file(const SynthModel& model, const std::string& path, int threads,
                               const Progress& progress) {
  const SynthFile layout = synth_file(model);
  NewFile file(path);
  file.reserve(layout.size);
  file.write_at(0, std::as_bytes(std::span(layout.head)));
  ThreadPool pool(threads);
  std::vector<std::byte> bytes;
  for (const SynthTensor& tensor : layout.tensors) {
    const std::uint64_t start = layout.head.size() + tensor.offset;
    const std::uint64_t piece = kPiece / tensor.block_bytes();
    for (std::uint64_t first = 0; first < tensor.blocks(); first += piece) {
      const std::uint64_t count = std::min(piece, tensor.blocks() - first);
      bytes.resize(count * tensor.block_bytes());
      generate_blocks(tensor, first, count, bytes.data(), pool);
      file.write_at(start + first * tensor.block_bytes(), bytes);
      progress();
    }
  }
  file.keep();
  return layout.size;
}

}  // namespace assay
