#include "engine/core/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <fstream>

namespace assay {
namespace {

#if defined(__x86_64__)
// Clang 14 knows no __builtin_cpu_supports("f16c"). F16C needs the AVX state that avx2 asks for.
bool has_f16c() {
  unsigned int a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

}  // namespace

CpuLevel cpu_level() {
#if defined(__x86_64__)
  // __builtin_cpu_supports also asks the operating system (XGETBV) about AVX state.
  const bool avx2 = __builtin_cpu_supports("avx2") && has_f16c();
  const bool vnni = avx2 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512vnni");
  if (vnni) return CpuLevel::kAvx512Vnni;
  if (avx2) return CpuLevel::kAvx2;
#endif
  return CpuLevel::kPortable;
}

std::string cpu_model_name() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (line.rfind("model name", 0) == 0) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown";
}

}  // namespace assay
