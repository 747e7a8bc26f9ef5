#include "recorder/telemetry_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "recorder/shown_value.h"

namespace assay {
namespace {

using Json = nlohmann::json;

// The readings of one quantity, in order.
struct Readings {
  bool asked = false;  // a sample has the key
  std::vector<double> values;

  void add(const Json& object, const std::string& key) {
    if (!object.is_object() || !object.contains(key)) return;
    asked = true;
    if (const std::optional<double> value = number_at(object, key)) values.push_back(*value);
  }
};

// A reading of the whole machine before and after each pair; of its GPU also after each segment.
std::vector<const Json*> machine_readings(const std::vector<PairSample>& samples) {
  std::vector<const Json*> all;
  for (const PairSample& sample : samples) {
    all.push_back(&value_at(sample.telemetry, "before"));
    all.push_back(&value_at(sample.telemetry, "after"));
  }
  return all;
}

std::vector<const Json*> gpu_readings(const std::vector<PairSample>& samples) {
  std::vector<const Json*> all;
  for (const PairSample& sample : samples) {
    all.push_back(&value_at(value_at(sample.telemetry, "before"), "gpu"));
    const Json& segments = value_at(value_at(sample.telemetry, "segments"), "gpu");
    if (segments.is_array()) {
      for (const Json& reading : segments) all.push_back(&reading);
    }
    all.push_back(&value_at(value_at(sample.telemetry, "after"), "gpu"));
  }
  return all;
}

Readings readings(const std::vector<const Json*>& objects, const std::string& key) {
  Readings found;
  for (const Json* object : objects) found.add(*object, key);
  return found;
}

class Rows {
 public:
  void range(const std::string& what, const Readings& found, int digits,
             const std::string& unit = "") {
    if (!found.asked) return;
    if (found.values.empty()) return add(what, kNotMeasured);
    const auto [least, most] = std::minmax_element(found.values.begin(), found.values.end());
    const std::string low = fmt::format("{:.{}f}", *least, digits);
    const std::string high = fmt::format("{:.{}f}", *most, digits);
    add(what, (low == high ? low : low + " to " + high) + unit);
  }

  // A counter in ns: before the first pair, after the last, and by how much it rose.
  void counter(const std::string& what, const Readings& found) {
    if (!found.asked) return;
    if (found.values.empty()) return add(what, kNotMeasured);
    const double before = found.values.front() / 1e6, after = found.values.back() / 1e6;
    add(what, fmt::format("{:.1f} ms before, {:.1f} ms after ({:+.1f} ms)", before, after,
                          after - before));
  }

  void add(const std::string& what, const std::string& value) { rows.emplace_back(what, value); }

  std::vector<std::pair<std::string, std::string>> rows;
};

// Cycles of the multiprocessors over the GPU's own time, for each arm.
void add_clock(Rows& rows, const std::vector<PairSample>& samples) {
  struct Sum {
    double cycles = 0, ns = 0;
  };
  std::map<char, Sum> arms;
  bool asked = false;
  for (const PairSample& sample : samples) {
    const Json& segments = value_at(sample.telemetry, "segments");
    const Json& cycles = value_at(segments, "cycles");
    const Json& times = value_at(segments, "device_ns");
    asked = asked || segments.is_object();
    if (!cycles.is_array() || !times.is_array()) continue;
    const std::size_t count = std::min({sample.labels.size(), cycles.size(), times.size()});
    for (std::size_t i = 0; i < count; ++i) {
      if (!cycles[i].is_number() || !times[i].is_number()) continue;
      arms[sample.labels[i]].cycles += cycles[i].get<double>();
      arms[sample.labels[i]].ns += times[i].get<double>();
    }
  }
  if (!asked) return;
  std::string text;
  for (const auto& [arm, sum] : arms) {
    if (sum.ns <= 0 || sum.cycles <= 0) continue;
    text +=
        fmt::format("{}{} {:.1f} MHz", text.empty() ? "" : ", ", arm, 1e3 * sum.cycles / sum.ns);
  }
  rows.add("SM clock, cycles over time", text.empty() ? kNotMeasured : text);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> telemetry_rows(
    const std::vector<PairSample>& samples) {
  Rows rows;
  rows.range("load average", readings(machine_readings(samples), "load_average"), 2);
  std::vector<const Json*> foreign;
  for (const PairSample& sample : samples) {
    foreign.push_back(&value_at(sample.telemetry, "foreign"));
  }
  rows.range("foreign work, cores", readings(foreign, "cores"), 2);
  const std::vector<const Json*> gpu = gpu_readings(samples);
  const bool on_gpu =
      std::any_of(gpu.begin(), gpu.end(), [](const Json* reading) { return reading->is_object(); });
  if (!on_gpu) return std::move(rows.rows);
  rows.range("foreign processes on the GPU", readings(foreign, "gpu_processes"), 0);
  add_clock(rows, samples);
  rows.range("SM clock, as the driver says", readings(gpu, "sm_mhz"), 0, " MHz");
  rows.range("power", readings(gpu, "power_w"), 1, " W");
  rows.range("temperature", readings(gpu, "temperature_c"), 0, " C");
  rows.counter("throttled for power", readings(gpu, "throttled_power_ns"));
  rows.counter("throttled for heat", readings(gpu, "throttled_thermal_ns"));
  return std::move(rows.rows);
}

}  // namespace assay
