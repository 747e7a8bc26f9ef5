// A regular file mapped read-only, with a way to see that it was changed behind our back.
//
// Weights are gigabytes that several worker processes read, so they are mapped and the kernel's
// page cache holds one copy. Reading into memory was rejected: it doubles the memory of every arm.
// The price: when somebody truncates the file, touching a lost page raises SIGBUS, and no check
// beforehand can exclude that. The window is kept small: pages are hashed through read(), which
// reports a short file as an error, and ensure_unchanged() is cheap enough to call at every step
// that copies out of the mapping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace assay {

class MappedFile {
 public:
  // Error(kUsage) when the path is missing, unreadable, a directory, not a regular file or empty.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  // Error(kUsage) when size or modification time differ from those at opening.
  void ensure_unchanged() const;
  // 64 hex digits over the whole file, read through the descriptor.
  std::string sha256() const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::int64_t modified_ns_ = 0;
  std::span<const std::byte> bytes_;
};

}  // namespace assay
