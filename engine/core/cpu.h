// What this processor can do, by cpuid, and the device key that follows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class CpuLevel : int {
  kPortable = 0,    // any x86-64, any other processor
  kAvx2 = 1,        // AVX2 and F16C
  kAvx512Vnni = 2,  // AVX-512 F, BW, VL, VNNI, and all of kAvx2
};

// The highest level this processor and its operating system support.
CpuLevel cpu_level();
// "cpu", "cpu-avx2", "cpu-avx512vnni".
std::string_view device_key(CpuLevel level);
// The level of a device key; kPortable for "cpu". False when the key is not a CPU's.
bool parse_device_key(std::string_view key, CpuLevel& level);
// This key first, then the older keys of its family: {"cpu-avx512vnni", "cpu-avx2", "cpu"}.
std::vector<std::string> fallback_keys(std::string_view key);
// The processor's own name, from /proc/cpuinfo; "unknown" where that is absent.
std::string cpu_model_name();

}  // namespace assay
