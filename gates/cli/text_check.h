// Text on the command line that goes on to a worker or into JSON, which take UTF-8 only.
#pragma once

#include <string>

namespace assay {

// Both: Error(kUsage) that names `flag` ("generate: --prompt") and the first bad byte.
void refuse_text_not_utf8(const std::string& flag, const std::string& text);
// The name of a file.
void refuse_name_not_utf8(const std::string& flag, const std::string& name);

}  // namespace assay
