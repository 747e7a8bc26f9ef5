#include "gates/environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "engine/core/sha256.h"
#include "gates/allowed_cores.h"
#include "gates/judged_device.h"

namespace assay {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

nlohmann::json affinity_count() {
  const std::vector<int> cores = allowed_cores();
  return cores.empty() ? nlohmann::json() : nlohmann::json(cores.size());
}

// Ticks stolen by the hypervisor since boot, over all cores.
nlohmann::json steal_ticks() {
  std::ifstream stat("/proc/stat");
  std::string name;
  std::array<long long, 8> ticks{};
  if (!(stat >> name)) return nullptr;
  for (long long& tick : ticks) {
    if (!(stat >> tick)) return nullptr;
  }
  return ticks[7];
}

nlohmann::json current_mhz() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (line.rfind("cpu MHz", 0) == 0) return std::stod(line.substr(line.find(':') + 1));
  }
  return nullptr;
}

// Empty on a CPU, so that fingerprints of CPU runs do not depend on whether there is a GPU.
std::string gpu_of(const HelloReply& device) {
  if (backend_of_key(device.device_key) == BackendKind::kCpu) return "";
  const auto gpu = monitor_of(device);
  if (gpu == nullptr) return device.gpu_uuid + "\n";
  const GpuIdentity& identity = gpu->identity();
  const double limit_w = identity.power_limit_w.value_or(0);
  return identity.uuid + "\n" + identity.driver + "\n" + std::to_string(limit_w) + "\n";
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string kernel_release() {
  utsname names{};
  return uname(&names) == 0 ? names.release : "unknown";
}

std::string environment_fingerprint(const HelloReply& device, const std::string& worker_sha256) {
  const std::string governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  return sha256_hex(gpu_of(device) + host_name() + "\n" + device.device_name + "\n" +
                    std::to_string(device.cores) + "\n" + kernel_release() + "\n" + governor +
                    "\n" + affinity_count().dump() + "\n" + worker_sha256);
}

nlohmann::json telemetry_now(const GpuMonitor* gpu) {
  const std::string load = first_line("/proc/loadavg");
  nlohmann::json now = {
      {"load_average", load.empty() ? nlohmann::json() : nlohmann::json(std::stod(load))},
      {"steal_ticks", steal_ticks()},
      {"mhz", current_mhz()},
      {"affinity", affinity_count()}};
  if (gpu != nullptr) now["gpu"] = gpu->reading();
  return now;
}

}  // namespace assay
