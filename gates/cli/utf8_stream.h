// Bytes of text that arrive in pieces, given out in whole characters.
//
// A token may end inside a UTF-8 character. What is complete is given out at once; an unfinished
// character waits for the rest of it. Bytes that can be no character pass through as they are.
#pragma once

#include <string>
#include <string_view>

namespace assay {

class Utf8Stream {
 public:
  // What can be shown after these bytes.
  std::string push(std::string_view bytes);
  // What is still held back: at the end of the text.
  std::string finish();

 private:
  std::string held_;
};

}  // namespace assay
