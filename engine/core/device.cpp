#include "engine/core/device.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

struct NamedLevel {
  std::string_view key;
  BackendKind backend;
  int level;
};

// Within a family from the lowest to the highest.
constexpr std::array<NamedLevel, 10> kKeys{{
    {"cpu", BackendKind::kCpu, static_cast<int>(CpuLevel::kPortable)},
    {"cpu-avx2", BackendKind::kCpu, static_cast<int>(CpuLevel::kAvx2)},
    {"cpu-avx512vnni", BackendKind::kCpu, static_cast<int>(CpuLevel::kAvx512Vnni)},
    {"cuda", BackendKind::kCuda, 80},
    {"cuda-sm80", BackendKind::kCuda, 80},
    {"cuda-sm86", BackendKind::kCuda, 86},
    {"cuda-sm89", BackendKind::kCuda, 89},
    {"cuda-sm90", BackendKind::kCuda, 90},
    {"cuda-sm100", BackendKind::kCuda, 100},
    {"cuda-sm120", BackendKind::kCuda, 120},
}};

const NamedLevel* find_key(std::string_view key) {
  const auto* found = std::find_if(kKeys.begin(), kKeys.end(),
                                   [&](const NamedLevel& named) { return named.key == key; });
  return found == kKeys.end() ? nullptr : found;
}

}  // namespace

std::string_view to_string(BackendKind backend) {
  return backend == BackendKind::kCpu ? "cpu" : "cuda";
}

std::optional<BackendKind> parse_backend(std::string_view text) {
  if (text == "cpu") return BackendKind::kCpu;
  if (text == "cuda") return BackendKind::kCuda;
  return std::nullopt;
}

DeviceLevel cuda_device(int capability) {
  DeviceLevel device(CudaLevel::kSm80);
  device.level = capability;
  return device;
}

bool offers(const DeviceLevel& device, const DeviceLevel& need) {
  if (device.backend != need.backend) return false;
  return need.exact ? device.level == need.level : device.level >= need.level;
}

std::string device_key(const DeviceLevel& device) {
  std::string_view key = to_string(device.backend);
  for (const NamedLevel& named : kKeys) {
    if (named.backend == device.backend && named.level <= device.level) key = named.key;
  }
  return std::string(key);
}

std::string need_name(const DeviceLevel& need) {
  return device_key(need) + (need.exact ? "a" : "");
}

std::optional<DeviceLevel> parse_device_key(std::string_view key) {
  const NamedLevel* named = find_key(key);
  if (named == nullptr) return std::nullopt;
  DeviceLevel device;
  device.backend = named->backend;
  device.level = named->level;
  return device;
}

std::vector<std::string> known_device_keys() {
  std::vector<std::string> keys;
  for (const NamedLevel& named : kKeys) keys.emplace_back(named.key);
  return keys;
}

std::vector<std::string> fallback_keys(std::string_view key) {
  const NamedLevel* named = find_key(key);
  if (named == nullptr) return {std::string(key)};
  std::vector<std::string> keys;
  for (auto i = static_cast<std::size_t>(named - kKeys.data()) + 1; i-- > 0;) {
    if (kKeys[i].backend == named->backend) keys.emplace_back(kKeys[i].key);
  }
  return keys;
}

}  // namespace assay
