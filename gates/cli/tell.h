// What a command says beside its answer, on standard error. Much of it quotes files that somebody
// else wrote, so that nothing in it may act.
#pragma once

#include <iostream>
#include <string>

#include "engine/core/printable.h"

namespace assay {

inline void tell(const std::string& line) {
  std::cerr << "assay: " << printable(line, true) << std::endl;
}

}  // namespace assay
