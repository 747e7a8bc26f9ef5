#include "gates/foreign_work.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "engine/core/or_null.h"
#include "gates/allowed_cores.h"

namespace assay {
namespace {

double ticks_per_s() {
  return static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// Time that the cores of this process's affinity have spent on anything, s since boot. Source:
// proc(5), /proc/stat: user, nice, system, idle, iowait, irq, softirq.
std::optional<double> busy_s() {
  const std::vector<int> allowed = allowed_cores();
  std::ifstream stat("/proc/stat");
  std::string line;
  double ticks = 0;
  int cores = 0;
  while (std::getline(stat, line)) {
    std::array<double, 7> spent{};
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (!name.starts_with("cpu") || name.size() < 4) continue;
    const int core = std::stoi(name.substr(3));
    if (!std::binary_search(allowed.begin(), allowed.end(), core)) continue;
    for (double& value : spent) words >> value;
    if (!words) return std::nullopt;
    ticks += spent[0] + spent[1] + spent[2] + spent[5] + spent[6];
    ++cores;
  }
  if (cores == 0) return std::nullopt;
  return ticks / ticks_per_s();
}

// Time that a process and its threads have run, s. Source: proc(5), /proc/PID/stat: utime, stime.
std::optional<double> process_s(const std::string& pid) {
  std::ifstream stat("/proc/" + pid + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t behind_name = text.rfind(')');
  if (behind_name == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(behind_name + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) words >> skipped;  // state to cmajflt
  double user = 0;
  double system = 0;
  if (!(words >> user >> system)) return std::nullopt;
  return (user + system) / ticks_per_s();
}

std::optional<double> sum_s(const std::vector<int>& own) {
  std::optional<double> sum = process_s("self");
  for (const int pid : own) {
    const std::optional<double> one = process_s(std::to_string(pid));
    if (!one || !sum) return std::nullopt;
    *sum += *one;
  }
  return sum;
}

}  // namespace

std::string drop_rule_words() {
  return fmt::format(
      "foreign: other processes kept more than {} of a core busy beyond those that the arm's "
      "threads leave free, or had work on the GPU",
      kForeignSlack);
}

std::string drop_reason(const ForeignWork& foreign, int usable, int threads) {
  const double spare = std::max(0, usable - threads) + kForeignSlack;
  if (foreign.cores && *foreign.cores > spare) {
    return fmt::format("foreign: other processes kept {:.2f} of {} cores busy", *foreign.cores,
                       usable);
  }
  if (foreign.gpu_processes && *foreign.gpu_processes > 0) {
    return fmt::format("foreign: {} other {} work on the GPU", *foreign.gpu_processes,
                       *foreign.gpu_processes == 1 ? "process had" : "processes had");
  }
  return "";
}

std::optional<int> foreign_processes(const std::vector<unsigned>& named,
                                     const std::vector<int>& own) {
  if (named.empty()) return std::nullopt;
  const auto is_own = [&](unsigned pid) {
    return std::find(own.begin(), own.end(), static_cast<int>(pid)) != own.end();
  };
  const auto ours = static_cast<int>(std::count_if(named.begin(), named.end(), is_own));
  const int all = static_cast<int>(named.size());
  if (ours > 0) return all - ours;
  const int mine = static_cast<int>(own.size());
  if (all < mine) return std::nullopt;
  return all - mine;
}

nlohmann::json to_json_value(const ForeignWork& foreign) {
  return {{"cores", or_null(foreign.cores)}, {"gpu_processes", or_null(foreign.gpu_processes)}};
}

ForeignWatch::ForeignWatch(std::vector<int> own)
    : own_(std::move(own)),
      start_(std::chrono::steady_clock::now()),
      busy_s_(busy_s()),
      own_s_(sum_s(own_)) {}

void ForeignWatch::look(const GpuMonitor* gpu) {
  if (gpu == nullptr) return;
  const std::optional<int> now = foreign_processes(gpu->processes(), own_);
  if (now) most_processes_ = std::max(most_processes_.value_or(0), *now);
}

ForeignWork ForeignWatch::seen(const GpuMonitor* gpu) {
  ForeignWork foreign;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  const std::optional<double> busy = busy_s();
  const std::optional<double> own = sum_s(own_);
  if (busy && own && busy_s_ && own_s_ && passed.count() > 0) {
    const double others = (*busy - *busy_s_) - (*own - *own_s_);
    foreign.cores = std::max(0.0, others / passed.count());
  }
  look(gpu);
  foreign.gpu_processes = most_processes_;
  return foreign;
}

int usable_cores() {
  return std::max(1, static_cast<int>(allowed_cores().size()));
}

}  // namespace assay
