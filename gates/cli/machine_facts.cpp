#include "gates/cli/machine_facts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// What follows `key` and a colon in a file of "key : value" lines.
std::string value_in(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return {};
}

std::string known_features() {
  std::istringstream flags(" " + value_in("/proc/cpuinfo", "flags"));
  std::string found;
  for (std::string flag; flags >> flag;) {
    for (const char* asked : {"sse4_2", "avx", "avx2", "f16c", "fma", "avx512f", "avx512bw",
                              "avx512vl", "avx512_vnni", "avx_vnni"}) {
      if (flag == asked) found += (found.empty() ? "" : " ") + flag;
    }
  }
  return found;
}

std::string frequency() {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cpufreq/";
  const std::string now = first_line(folder + "scaling_cur_freq");  // kHz
  const std::string most = first_line(folder + "cpuinfo_max_freq");
  if (!now.empty() && !most.empty()) {
    return fmt::format("{:.2f} GHz now, at most {:.2f} GHz", std::atof(now.c_str()) / 1e6,
                       std::atof(most.c_str()) / 1e6);
  }
  const std::string mhz = value_in("/proc/cpuinfo", "cpu MHz");
  return mhz.empty() ? std::string() : fmt::format("{:.2f} GHz", std::atof(mhz.c_str()) / 1e3);
}

std::string memory() {
  const double total = std::atof(value_in("/proc/meminfo", "MemTotal").c_str());  // KiB
  const double left = std::atof(value_in("/proc/meminfo", "MemAvailable").c_str());
  if (total <= 0) return {};
  return fmt::format("{:.1f} GiB, {:.1f} GiB available", total / 1048576, left / 1048576);
}

std::string gpu_nodes() {
  std::string found;
  for (const char* node : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/kfd"}) {
    if (fs::exists(node)) found += (found.empty() ? "" : " ") + std::string(node);
  }
  return found;
}

}  // namespace

MachineFacts machine_facts() {
  MachineFacts facts;
  facts.cores = static_cast<int>(std::thread::hardware_concurrency());
  facts.features = known_features();
  facts.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts.frequency = frequency();
  facts.load = first_line("/proc/loadavg");
  facts.load = facts.load.substr(0, facts.load.find(' '));
  facts.memory = memory();
  facts.gpu = gpu_nodes();
  return facts;
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) return file;
  }
  return {};
}

}  // namespace assay
