// Many generated files written at once.
//
// Each is replaced by a temporary file and rename, as replace_file() does, but the disk is asked
// once for some thousand files, not twice for each: with 20,000 files that is the difference
// between seconds and minutes. A reader, or a crash, sees the old file or the new one.
#pragma once

#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "recorder/store.h"

namespace assay {

class BulkFiles {
 public:
  BulkFiles() = default;
  ~BulkFiles();  // what was not put in place goes away
  BulkFiles(const BulkFiles&) = delete;
  BulkFiles& operator=(const BulkFiles&) = delete;

  struct Added {
    bool changed = false;  // it was not there with these bytes
    Store::FileStamp stamp;
  };
  // From any thread. Its folder is made when missing. Error(kUsage) that names `called`.
  Added add(const std::string& path, const std::string& text, const std::string& called);
  // Puts all in place.
  void finish();

 private:
  struct Waiting {
    std::string temporary, path;
  };
  void put_in_place(const std::vector<Waiting>& files);
  void put_in_place_meanwhile(std::vector<Waiting> files);

  std::mutex mutex_, placing_mutex_;
  std::future<void> placing_;  // of the files before those that wait
  std::vector<Waiting> waiting_;
};

}  // namespace assay
