// A database that is made beside the place it is for, and goes away with this object.
//
// What a kill left of an earlier one for the same place goes first: NewFile knows it by its name,
// its mode, and the lock that its maker held.
#pragma once

#include <string>

namespace assay {

class TemporaryDatabase {
 public:
  // An empty file, its owner's alone. Error(kUsage) with the system's reason.
  explicit TemporaryDatabase(const std::string& place);
  ~TemporaryDatabase();
  TemporaryDatabase(const TemporaryDatabase&) = delete;
  TemporaryDatabase& operator=(const TemporaryDatabase&) = delete;
  const std::string& name() const { return name_; }
  // Readable as other files are: last of all, before it is given its place.
  void open_to_all() const;

 private:
  std::string name_;
  int lock_ = -1;
};

}  // namespace assay
