// A file that is written in pieces and takes its place at once: a temporary beside it, fsync,
// rename, fsync of the folder. Until commit() a reader, or a crash, sees what was there before. An
// object that goes away without commit() takes its temporary along.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace assay {

class ReplacingFile {
 public:
  // The folder is made when missing. All throw Error(kUsage) with the system's reason.
  explicit ReplacingFile(const std::string& path);
  ~ReplacingFile();
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void fail(int why);
  void discard();

  std::string path_;
  std::string temporary_;  // empty once renamed or removed
  int descriptor_ = -1;
};

}  // namespace assay
