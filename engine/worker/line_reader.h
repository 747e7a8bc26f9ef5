// Lines of a pipe, with a limit, so that a peer that never sends a newline cannot take all memory.
#pragma once

#include <cstddef>
#include <string>

namespace assay {

inline constexpr std::size_t kLongestLine = std::size_t{64} << 20;  // bytes, newline excluded

class LineReader {
 public:
  enum class Result { kLine, kTooLong, kEnd };

  explicit LineReader(int descriptor, std::size_t longest = kLongestLine)
      : descriptor_(descriptor), longest_(longest) {}

  // The next line without its newline. kTooLong: it was longer than the limit and has been skipped
  // whole. kEnd: end of file or a read error; a last line without a newline is dropped, since its
  // sender died while writing it.
  Result next(std::string& line);

 private:
  bool fill();

  int descriptor_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t searched_ = 0;  // bytes of buffer_ known to hold no newline
};

}  // namespace assay
