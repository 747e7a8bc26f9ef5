// Text that git left to be settled by hand.
#pragma once

#include <string>
#include <vector>

namespace assay {

// Lines "path:line: ..." for the markers of a merge conflict in a text: <<<<<<< and >>>>>>> at the
// start of a line with a name after them, and ======= between those.
std::vector<std::string> conflict_markers(const std::string& path, const std::string& text);

}  // namespace assay
