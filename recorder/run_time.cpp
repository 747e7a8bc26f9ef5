#include "recorder/run_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/core/or_null.h"
#include "engine/core/utc_time.h"
#include "recorder/shown_value.h"

namespace assay {
namespace {

std::optional<double> seconds_between(const std::string& earlier, const std::string& later) {
  const auto from = utc_time(earlier), to = utc_time(later);
  if (!from || !to) return std::nullopt;
  return std::chrono::duration<double>(*to - *from).count();
}

std::optional<RunTime::Parts> parts_of(const nlohmann::json& values) {
  const nlohmann::json& spent = value_at(values, "spent");
  const auto history = number_at(spent, "history_s"), launch = number_at(spent, "launch_s"),
             warm_up = number_at(spent, "warm_up_s"), filler = number_at(spent, "filler_s"),
             measure = number_at(spent, "measure_s");
  if (!history || !launch || !warm_up || !filler || !measure) return std::nullopt;
  return RunTime::Parts{*history, *launch, *warm_up, *filler, *measure};
}

std::string seconds(double value) {
  return fmt::format("{:.1f}", std::max(0.0, value));
}

}  // namespace

RunTime run_time(const RunView& run) {
  RunTime time;
  for (const GateInRun& gate : run.gates) {
    if (gate.result.gate != "ab") {
      time.gates_s += gate.result.seconds;
      continue;
    }
    time.ab_s = gate.result.seconds;
    time.parts = parts_of(gate.result.values);
  }
  if (run.ended) time.whole_s = seconds_between(run.opened_at, run.ended_at);
  return time;
}

std::string run_time_text(const RunTime& time) {
  std::string text = "gates " + seconds(time.gates_s);
  if (time.ab_s) {
    text += ", A/B " + seconds(*time.ab_s);
    if (time.parts) {
      text += fmt::format(
          " ({}launching {}, warming up {}, fillers {}, measuring {}, the rest {})",
          time.parts->history_s > 0 ? "A/A history " + seconds(time.parts->history_s) + ", " : "",
          seconds(time.parts->launch_s), seconds(time.parts->warm_up_s),
          seconds(time.parts->filler_s), seconds(time.parts->measure_s),
          seconds(*time.ab_s - time.parts->sum()));
    } else {
      text += " (its parts are not recorded)";
    }
  }
  if (!time.whole_s) return text + " s, and it has no end";
  return fmt::format("{} s: {}, the rest {}", seconds(*time.whole_s), text,
                     seconds(*time.whole_s - time.gates_s - time.ab_s.value_or(0)));
}

nlohmann::json run_time_json(const RunTime& time) {
  nlohmann::json json = {{"whole_s", or_null(time.whole_s)},
                         {"gates_s", time.gates_s},
                         {"ab_s", or_null(time.ab_s)},
                         {"parts", nullptr}};
  if (time.parts) {
    json["parts"] = {
        {"history_s", time.parts->history_s}, {"launch_s", time.parts->launch_s},
        {"warm_up_s", time.parts->warm_up_s}, {"filler_s", time.parts->filler_s},
        {"measure_s", time.parts->measure_s}, {"rest_s", *time.ab_s - time.parts->sum()}};
  }
  return json;
}

}  // namespace assay
