// The cores of the host that this process may run on.
#pragma once

#include <vector>

namespace assay {

// Their numbers, rising; empty where the system does not say.
std::vector<int> allowed_cores();

}  // namespace assay
