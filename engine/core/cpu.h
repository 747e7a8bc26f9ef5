// What this processor can do, by cpuid.
#pragma once

#include <string>

namespace assay {

enum class CpuLevel : int {
  kPortable = 0,    // any x86-64, any other processor
  kAvx2 = 1,        // AVX2 and F16C
  kAvx512Vnni = 2,  // AVX-512 F, BW, VL, VNNI, and all of kAvx2
};

// The highest level this processor and its operating system support.
CpuLevel cpu_level();
// The processor's own name, from /proc/cpuinfo; "unknown" where that is absent.
std::string cpu_model_name();

}  // namespace assay
