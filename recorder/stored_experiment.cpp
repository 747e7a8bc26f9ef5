#include "recorder/stored_experiment.h"

#include <algorithm>

namespace assay {

const std::vector<Event>& StoredExperiment::events() {
  if (events_) return *events_;
  std::vector<Event> events;
  for (const Store::RunTexts& of : runs_) {
    for (const Store::EventText& text : of.events) events.push_back(store_.event_of(of.run, text));
  }
  return events_.emplace(std::move(events));
}

std::span<const Event> StoredExperiment::sealed_events() {
  const auto is_open = [](const Store::RunTexts& of) { return of.run.seal.empty(); };
  if (std::none_of(runs_.begin(), runs_.end(), is_open)) return events();
  if (!sealed_) {
    sealed_.emplace();
    for (const Store::RunTexts& of : runs_) {
      if (is_open(of)) continue;
      for (const Store::EventText& text : of.events) {
        sealed_->push_back(store_.event_of(of.run, text));
      }
    }
  }
  return *sealed_;
}

}  // namespace assay
