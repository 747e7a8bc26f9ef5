#include "gates/gpu_monitor.h"

#include <dlfcn.h>

#include <array>

#include "engine/core/or_null.h"

namespace assay {
namespace {

// From the NVML API reference; every structure is the one of the function's named version.
using Device = void*;
constexpr int kSuccess = 0;
constexpr int kTemperatureOfGpu = 0;
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kPolicyPower = 0;
constexpr int kPolicyThermal = 1;
struct ViolationTime {
  unsigned long long reference_us;
  unsigned long long violation_ns;
};
struct Memory {
  unsigned long long total, free, used;  // bytes
};
struct Process {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};

template <typename Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

struct GpuMonitor::Library {
  void* handle = nullptr;
  Device device = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_uuid)(const char*, Device*) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*power_limit)(Device, unsigned*) = nullptr;  // mW
  int (*memory)(Device, Memory*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;  // MHz
  int (*power)(Device, unsigned*) = nullptr;       // mW
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*performance_state)(Device, int*) = nullptr;
  int (*throttle_reasons)(Device, unsigned long long*) = nullptr;
  int (*violation)(Device, int, ViolationTime*) = nullptr;
  int (*energy)(Device, unsigned long long*) = nullptr;  // mJ
  int (*processes)(Device, unsigned*, Process*) = nullptr;

  bool open(std::string* why) {
    handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      *why = "the driver's libnvidia-ml.so.1 is not here";
      return false;
    }
    find(handle, "nvmlInit_v2", init);
    find(handle, "nvmlShutdown", shutdown);
    find(handle, "nvmlDeviceGetHandleByUUID", by_uuid);
    find(handle, "nvmlSystemGetDriverVersion", driver_version);
    find(handle, "nvmlDeviceGetName", name);
    find(handle, "nvmlDeviceGetEnforcedPowerLimit", power_limit);
    find(handle, "nvmlDeviceGetMemoryInfo", memory);
    find(handle, "nvmlDeviceGetClockInfo", clock);
    find(handle, "nvmlDeviceGetPowerUsage", power);
    find(handle, "nvmlDeviceGetTemperature", temperature);
    find(handle, "nvmlDeviceGetPerformanceState", performance_state);
    find(handle, "nvmlDeviceGetCurrentClocksThrottleReasons", throttle_reasons);
    find(handle, "nvmlDeviceGetViolationStatus", violation);
    find(handle, "nvmlDeviceGetTotalEnergyConsumption", energy);
    find(handle, "nvmlDeviceGetComputeRunningProcesses_v3", processes);
    if (init == nullptr || shutdown == nullptr || by_uuid == nullptr) {
      *why =
          "libnvidia-ml.so.1 lacks the functions of this program: a driver of 2018 or later has "
          "them";
      shutdown = nullptr;
      return false;
    }
    const int status = init();
    if (status != kSuccess) {
      shutdown = nullptr;
      *why = "nvmlInit failed with status " + std::to_string(status);
      return false;
    }
    return true;
  }

  // The value that `get` fills, when the function exists and succeeds.
  template <typename Value, typename Function, typename... Before>
  std::optional<Value> ask(Function* function, Before... before) const {
    Value value{};
    if (function == nullptr || function(device, before..., &value) != kSuccess) return {};
    return value;
  }

  ~Library() {
    if (shutdown != nullptr) shutdown();
    if (handle != nullptr) dlclose(handle);
  }
};

namespace {

nlohmann::json in_units(const std::optional<unsigned>& value, double unit) {
  return value ? nlohmann::json(*value * unit) : nlohmann::json();
}

nlohmann::json violation_ns(const std::optional<ViolationTime>& time) {
  return time ? nlohmann::json(time->violation_ns) : nlohmann::json();
}

}  // namespace

GpuMonitor::GpuMonitor(std::unique_ptr<Library> library) : library_(std::move(library)) {}
GpuMonitor::~GpuMonitor() = default;

std::unique_ptr<GpuMonitor> GpuMonitor::open(const std::string& uuid, std::string* why) {
  std::string reason;
  auto library = std::make_unique<Library>();
  if (!library->open(&reason) || library->by_uuid(uuid.c_str(), &library->device) != kSuccess) {
    if (reason.empty()) reason = "NVML knows no GPU '" + uuid + "'";
    if (why != nullptr) *why = reason;
    return nullptr;
  }
  std::unique_ptr<GpuMonitor> monitor(new GpuMonitor(std::move(library)));
  const Library& nvml = *monitor->library_;
  GpuIdentity& identity = monitor->identity_;
  identity.uuid = uuid;
  std::array<char, 96> text{};
  if (nvml.name != nullptr && nvml.name(nvml.device, text.data(), text.size()) == kSuccess) {
    identity.name = text.data();
  }
  if (nvml.driver_version != nullptr && nvml.driver_version(text.data(), text.size()) == kSuccess) {
    identity.driver = text.data();
  }
  if (const auto limit = nvml.ask<unsigned>(nvml.power_limit))
    identity.power_limit_w = *limit / 1e3;
  if (const auto memory = nvml.ask<Memory>(nvml.memory)) identity.memory_bytes = memory->total;
  return monitor;
}

nlohmann::json GpuMonitor::reading() const {
  const Library& nvml = *library_;
  return {
      {"sm_mhz", or_null(nvml.ask<unsigned>(nvml.clock, kClockSm))},
      {"memory_mhz", or_null(nvml.ask<unsigned>(nvml.clock, kClockMemory))},
      {"power_w", in_units(nvml.ask<unsigned>(nvml.power), 1e-3)},
      {"temperature_c", or_null(nvml.ask<unsigned>(nvml.temperature, kTemperatureOfGpu))},
      {"pstate", or_null(nvml.ask<int>(nvml.performance_state))},
      {"throttle_reasons", or_null(nvml.ask<unsigned long long>(nvml.throttle_reasons))},
      {"throttled_power_ns", violation_ns(nvml.ask<ViolationTime>(nvml.violation, kPolicyPower))},
      {"throttled_thermal_ns",
       violation_ns(nvml.ask<ViolationTime>(nvml.violation, kPolicyThermal))}};
}

std::optional<double> GpuMonitor::energy_j() const {
  const auto energy = library_->ask<unsigned long long>(library_->energy);
  return energy ? std::optional<double>(static_cast<double>(*energy) / 1e3) : std::nullopt;
}

std::optional<std::uint64_t> GpuMonitor::used_bytes() const {
  const auto memory = library_->ask<Memory>(library_->memory);
  return memory ? std::optional<std::uint64_t>(memory->used) : std::nullopt;
}

std::vector<unsigned> GpuMonitor::processes() const {
  std::array<Process, 64> found{};
  unsigned count = found.size();
  std::vector<unsigned> pids;
  if (library_->processes == nullptr ||
      library_->processes(library_->device, &count, found.data()) != kSuccess) {
    return pids;
  }
  for (unsigned i = 0; i < count && i < found.size(); ++i) pids.push_back(found[i].pid);
  return pids;
}

}  // namespace assay
