#include "experiments/record/event.h"

#include <array>
#include <string_view>

#include "engine/core/error.h"

namespace assay {
namespace {

// In the order of EventKind. These words are stored: they never change.
constexpr std::array<std::string_view, 14> kKinds{
    "run-opened", "proposed", "attempt-opened", "gate-result", "plan-frozen",
    "sample",     "look",     "verdict",        "applied",     "closed",
    "calibrated", "imported", "renumbered",     "run-ended"};

}  // namespace

std::string to_string(EventKind kind) {
  return std::string(kKinds[static_cast<std::size_t>(kind)]);
}

EventKind event_kind(const std::string& text) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == text) return static_cast<EventKind>(i);
  }
  throw Error(ErrorKind::kUsage, "there is no event kind `" + text +
                                     "`: this history was written by a newer assay, or is damaged");
}

void to_json(nlohmann::json& json, const Event& event) {
  json = {{"slug", event.slug},   {"run", event.run},
          {"index", event.index}, {"kind", to_string(event.kind)},
          {"at", event.at},       {"body", event.body}};
}

void from_json(const nlohmann::json& json, Event& event) {
  json.at("slug").get_to(event.slug);
  json.at("run").get_to(event.run);
  json.at("index").get_to(event.index);
  event.kind = event_kind(json.at("kind").get<std::string>());
  json.at("at").get_to(event.at);
  event.body = json.at("body");
}

}  // namespace assay
