#include "engine/generate/array_file.h"

#include <fmt/format.h>
#include <cerrno>
#include <cstring>

#include "engine/core/error.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const char* action, const std::string& path) {
  throw Error(ErrorKind::kUsage,
              fmt::format("cannot {} {}: {}", action, path, std::strerror(errno)));
}

}  // namespace

ArrayFile::ArrayFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) refuse("create", path_);
}

std::uint64_t ArrayFile::append(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    refuse("write", path_);
  }
  const std::uint64_t start = size_;
  size_ += bytes.size();
  return start;
}

void ArrayFile::close() {
  if (std::fclose(file_.release()) != 0) refuse("write", path_);
}

}  // namespace assay
