// Where a generated file differs from what it would be now.
#pragma once

#include <string>

namespace assay {

// One finding, "path:line: ...", about the first difference of two texts that differ.
std::string text_difference(const std::string& path, const std::string& written,
                            const std::string& expected);

}  // namespace assay
