// A file that is written in pieces and appears when it is whole.
//
// Invariants. 1: until keep() returns, a reader or a crash sees at `path` what was there before.
// 2: an object that goes away without a keep() leaves nothing anywhere. 3: of create(), not even a
// kill leaves anything: the file has no name (O_TMPFILE) until it is linked in. Where the file
// system has no files without a name (NFS, FAT), and in replace(), it is a temporary beside `path`
// that takes its name by rename. What a kill leaves then is PATH.unfinished-XXXXXX; the next
// NewFile for the same path removes it, and so does remove_unfinished() for its folder: the writer
// of one that lives holds a lock on it.
//
// Rejected: a file without a name in replace() too. It cannot be linked over another, so it needs a
// temporary name anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay {

class NewFile {
 public:
  enum class Naming {
    kWhenWhole,  // no name before keep(), where the file system can
    kTemporary,  // as where it cannot
  };
  // All throw Error(kUsage) with the system's reason.

  // A file where nothing is, in a folder that is there; `kind` is what messages call such files
  // ("models").
  static NewFile create(const std::string& path, const std::string& kind,
                        Naming naming = Naming::kWhenWhole);
  // A file that takes the place of what may be there; its folder is made when missing.
  static NewFile replace(const std::string& path);
  // What killed writers left in a folder; a folder that cannot be listed is left alone.
  static void remove_unfinished(const std::string& folder);
  // The same of one file's.
  static void remove_unfinished_of(const std::string& path);
  // Whether a file in a folder may be one of those, by its name.
  static bool may_be_unfinished(std::string_view name);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // Takes the disk space at once, so that a full disk is known before the work.
  void reserve(std::uint64_t bytes);
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  // Last of all: to the disk, then into its place.
  void keep();

 private:
  NewFile(const std::string& path, const std::string& kind, Naming naming);
  bool open_without_name();
  void open_temporary();
  bool own_temporary();
  void take_place();
  [[noreturn]] void fail(int why) const;
  [[noreturn]] void refuse_existing() const;

  std::string path_;
  std::string kind_;       // empty: may replace
  std::string temporary_;  // empty where the file has no name, or has its own by now
  int descriptor_ = -1;
};

}  // namespace assay
