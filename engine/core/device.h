// Devices as the service map names them: what a processor or a GPU offers, and its key.
//
// A family is ordered by level, so that rows of an older key serve a newer device. CUDA levels are
// compute capabilities times ten. `kSm90a` stands for instructions that exist on capability 9.0
// alone (wgmma, the bulk copy engine) and on nothing newer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cpu.h"

namespace assay {

enum class BackendKind : int { kCpu, kCuda };
std::string_view to_string(BackendKind backend);  // "cpu", "cuda"
std::optional<BackendKind> parse_backend(std::string_view text);

enum class CudaLevel : int { kSm80 = 80, kSm90 = 90, kSm90a = -90 };

// What a variant needs, or what a device offers.
struct DeviceLevel {
  BackendKind backend = BackendKind::kCpu;
  int level = 0;       // a CpuLevel, or the compute capability times ten
  bool exact = false;  // a need that no newer device meets

  constexpr DeviceLevel() = default;
  constexpr DeviceLevel(CpuLevel cpu) : level(static_cast<int>(cpu)) {}  // NOLINT: meant to convert
  constexpr DeviceLevel(CudaLevel cuda)                                  // NOLINT
      : backend(BackendKind::kCuda),
        level(static_cast<int>(cuda) < 0 ? -static_cast<int>(cuda) : static_cast<int>(cuda)),
        exact(static_cast<int>(cuda) < 0) {}
  bool operator==(const DeviceLevel&) const = default;
};

// A GPU of a compute capability, 90 for 9.0.
DeviceLevel cuda_device(int capability);
// Whether `device` can run what needs `need`.
bool offers(const DeviceLevel& device, const DeviceLevel& need);

// "cpu-avx2", "cuda-sm90". A capability between two known ones has the lower one's key.
std::string device_key(const DeviceLevel& device);
// What a need is called: a device key, "cuda-sm90a" for kSm90a.
std::string need_name(const DeviceLevel& need);
// The level of a device key; the plain keys "cpu" and "cuda" are their families' lowest.
std::optional<DeviceLevel> parse_device_key(std::string_view key);
// Every key, family by family, lowest first.
std::vector<std::string> known_device_keys();
// This key first, then the older keys of its family: {"cuda-sm90", ..., "cuda-sm80", "cuda"}. A key
// that is not known stands alone.
std::vector<std::string> fallback_keys(std::string_view key);

}  // namespace assay
