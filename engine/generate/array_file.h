// A file of arrays, one after another, by which a reply carries what is too large for a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

namespace assay {

class ArrayFile {
 public:
  // Created or emptied. Error(kUsage), with the path and the system's reason, when that fails.
  explicit ArrayFile(const std::string& path);
  // Returns the byte at which the array starts. Error(kUsage) when it cannot be written.
  std::uint64_t append(std::span<const std::byte> bytes);
  // Once, at the end. Error(kUsage) when anything could not be written.
  void close();
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t size_ = 0;
};

}  // namespace assay
