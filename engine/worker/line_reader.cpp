#include "engine/worker/line_reader.h"

#include <unistd.h>
#include <cerrno>

namespace assay {

bool LineReader::fill() {
  char chunk[1 << 16];
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, chunk, sizeof chunk);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  buffer_.append(chunk, static_cast<std::size_t>(got));
  return true;
}

LineReader::Result LineReader::next(std::string& line) {
  bool skipping = false;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched_);
    if (end != std::string::npos) {
      const bool too_long = skipping || end > longest_;
      line = too_long ? std::string() : buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      searched_ = 0;
      return too_long ? Result::kTooLong : Result::kLine;
    }
    if (buffer_.size() > longest_) {
      skipping = true;
      buffer_.clear();
    }
    searched_ = buffer_.size();
    if (!fill()) return Result::kEnd;
  }
}

}  // namespace assay
