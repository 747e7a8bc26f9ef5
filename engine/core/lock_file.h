// A lock file: flock, so that the kernel lets go of it when its holder dies, with the holder's
// process id inside, for the message.
#pragma once

#include <string>

#include "engine/core/error.h"

namespace assay {

struct LockWords {
  std::string doing;   // what a holder does: "process 12 is DOING; wait for it or end it"
  std::string advice;  // ends the message of a path that cannot be written
  ErrorKind busy = ErrorKind::kUsage;
  bool shared =
      false;  // other users' files of this name are locked, too, as far as they can be read
};

class LockFile {
 public:
  // Takes the lock. Error(words.busy) when another holds it, Error(kUsage) for a path that cannot
  // be written or holds something else.
  LockFile(const std::string& path, const LockWords& words);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace assay
