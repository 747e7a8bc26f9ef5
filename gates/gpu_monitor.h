// What the driver's management library (NVML) says of the GPU: who it is, its clocks, power,
// temperature and throttling, and who else uses it.
//
// The library comes by dlopen, so a machine without it has none of this: values are null then,
// never zero. Nothing here creates a CUDA context, and no setting is ever changed. Source of the
// functions and their units: NVML API reference; nvml.h is not needed, the few declarations stand
// in the .cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// What stays as it is while a machine runs.
struct GpuIdentity {
  std::string name;    // "NVIDIA H200"
  std::string uuid;    // "GPU-..."
  std::string driver;  // "580.159.03"
  std::optional<double> power_limit_w;
  std::optional<std::uint64_t> memory_bytes;
};

class GpuMonitor {
 public:
  // Of the GPU with this UUID (as HelloReply::gpu_uuid has it); null where the library or the GPU
  // is not there, and `why` then says which.
  static std::unique_ptr<GpuMonitor> open(const std::string& uuid, std::string* why = nullptr);
  ~GpuMonitor();

  const GpuIdentity& identity() const { return identity_; }

  // {"sm_mhz", "memory_mhz", "power_w", "temperature_c", "throttle_reasons" (bits as NVML names
  // them), "throttled_power_ns", "throttled_thermal_ns" (since the driver was loaded), "pstate"}.
  nlohmann::json reading() const;

  // Since the driver was loaded, J; empty where the GPU does not count it.
  std::optional<double> energy_j() const;
  std::optional<std::uint64_t> used_bytes() const;  // of all processes
  // Process ids that have work on the GPU, as far as this process may see them.
  std::vector<unsigned> processes() const;

 private:
  struct Library;
  explicit GpuMonitor(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
  GpuIdentity identity_;
};

}  // namespace assay
