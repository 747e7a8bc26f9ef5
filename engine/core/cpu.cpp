#include "engine/core/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <fstream>

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kKeys{"cpu", "cpu-avx2", "cpu-avx512vnni"};

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

std::string_view device_key(CpuLevel level) { return kKeys[static_cast<std::size_t>(level)]; }

bool parse_device_key(std::string_view key, CpuLevel& level) {
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (kKeys[i] == key) {
      level = static_cast<CpuLevel>(i);
      return true;
    }
  }
  return false;
}

std::vector<std::string> fallback_keys(std::string_view key) {
  CpuLevel level = CpuLevel::kPortable;
  if (!parse_device_key(key, level)) return {std::string(key)};
  std::vector<std::string> keys;
  for (int i = static_cast<int>(level); i >= 0; --i) {
    keys.emplace_back(kKeys[static_cast<std::size_t>(i)]);
  }
  return keys;
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
