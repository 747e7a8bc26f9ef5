// What to do about a committed file that could not come in.
#pragma once

#include <string>

namespace assay {

// "; restore it ...", after what is wrong with the file `shown`; "" where `what` says it already.
std::string import_advice(const std::string& what, const std::string& shown);

}  // namespace assay
