// Running assay-model, which lies beside this program: model files are read and written there,
// since `assay` itself sees neither their format nor kernels.
#pragma once

#include <string>
#include <vector>

namespace assay {

// With this program's output and standard error. Its exit code; it has said itself what was wrong.
// Error(kInternal) when it cannot be started or dies of a signal.
int run_model_program(const std::vector<std::string>& arguments);

}  // namespace assay
