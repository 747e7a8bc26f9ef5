#include "gates/guard_chain.h"

#include <fmt/format.h>

#include <map>

#include "engine/core/error.h"

namespace assay {
namespace {

double number_at(const nlohmann::json& values, const char* name) {
  const auto at = values.is_object() ? values.find(name) : values.end();
  return values.is_object() && at != values.end() && at->is_number() ? at->get<double>() : 0;
}

std::string device_of(const std::string& slug, const std::string& definition) {
  try {
    return parse_definition(definition, slug).scope.device;
  } catch (const Error&) {  // of a version that knew other levers
    return "";
  }
}

}  // namespace

std::string chain_name(const std::string& workload, const std::string& device) {
  return workload + (device.empty() ? "" : " on " + device);
}

std::vector<GuardEffect> guards_of(const std::string& slug, const std::string& device,
                                   const AttemptView& attempt) {
  if (!attempt.verdict || attempt.verdict->verdict != "LAND" || !attempt.plan) return {};
  std::map<std::string, const Look*> last;
  for (const Look& look : attempt.looks) last[look.stage] = &look;
  const nlohmann::json plan = attempt.plan->value("plan", nlohmann::json::object());
  const nlohmann::json guards = plan.value("guards", nlohmann::json::array());
  std::vector<GuardEffect> effects;
  for (std::size_t i = 0; guards.is_array() && i < guards.size(); ++i) {
    const auto look = last.find(fmt::format("guard:{}", i));
    const nlohmann::json workload =
        guards[i].is_object() ? guards[i].value("workload", nlohmann::json()) : nlohmann::json();
    if (look == last.end() || !workload.is_object()) continue;
    if (!look->second->values.is_object() || !look->second->values.contains("estimate")) continue;
    effects.push_back({slug, chain_name(workload.value("describe", ""), device),
                       number_at(look->second->values, "estimate"),
                       number_at(look->second->values, "error")});
  }
  return effects;
}

std::vector<GuardEffect> landed_guards(const History& history) {
  std::vector<GuardEffect> landed;
  for (const ExperimentLabel& label : history.experiments()) {
    const ExperimentView view = fold(history.events(label.slug));
    if (!view.applied) continue;
    const std::string device = device_of(label.slug, view.proposal.definition);
    for (const AttemptView& attempt : view.attempts) {
      for (GuardEffect& effect : guards_of(label.slug, device, attempt)) {
        landed.push_back(std::move(effect));
      }
    }
  }
  return landed;
}

}  // namespace assay
