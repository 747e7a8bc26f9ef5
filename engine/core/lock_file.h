// A lock file: flock, so that the kernel lets go of it when its holder dies, with the holder's
// process id and name inside, for the message.
#pragma once

#include <functional>
#include <string>

#include "engine/core/error.h"

namespace assay {

struct LockWords {
  std::string
      doing;  // what a holder does: "process 12 (assay run) is DOING; wait for it or end it"
  std::string advice;  // ends the message of a path that cannot be written
  ErrorKind busy = ErrorKind::kUsage;
  bool shared =
      false;  // other users' files of this name are locked, too, as far as they can be read
};

// How long to wait for another holder, and who waits.
struct LockPatience {
  std::string who = {};  // what others' messages call this process: "assay note"
  double seconds = 0;
  std::function<void(const std::string&)> tell = {};  // once, after 2 s: who is waited for
};

class LockFile {
 public:
  // Takes the lock. Error(words.busy) when another still holds it after the wait, Error(kUsage) for
  // a path that cannot be written or holds something else.
  LockFile(const std::string& path, const LockWords& words, const LockPatience& patience = {});
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  void wait(const std::string& path, const LockWords& words, const LockPatience& patience);

  int fd_ = -1;
};

}  // namespace assay
