// History and Journal in memory, for tests: the same contracts as the recorder's store, without a
// file. Run ids count up, so the coins that depend on them fall the same way in every run of a
// test. `on_event` sees each event once it counts as committed; a test may stop, rewrite the world,
// or throw there (the runner is then gone, as if killed between two events).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "experiments/record/history.h"
#include "experiments/record/journal.h"

namespace assay {

class MemoryJournal : public History, public Journal {
 public:
  std::vector<Event> log;  // all runs, in the order of their commits
  std::map<std::string, std::string> blobs;
  std::function<void(const Event&)> on_event;

  // History
  std::vector<ExperimentLabel> experiments() const override { return labels_; }
  std::optional<ExperimentLabel> find(const std::string& id) const override {
    for (const ExperimentLabel& label : labels_) {
      if (label.slug == id || std::to_string(label.number) == id) return label;
    }
    return std::nullopt;
  }
  std::vector<Event> events(const std::string& slug) const override {
    std::vector<Event> own;
    for (const Event& event : log) {
      if (event.slug == slug) own.push_back(event);
    }
    return own;
  }
  std::vector<AaEffect> aa_history(const std::string& key,
                                   const std::string& since) const override {
    std::vector<AaEffect> effects;
    for (const Event& event : log) {
      if (event.kind != EventKind::kCalibrated) continue;
      const auto effect = event.body.get<AaEffect>();
      if (effect.key == key && effect.at >= since) effects.push_back(effect);
    }
    return effects;
  }
  std::optional<nlohmann::json> anchor(const std::string& key) const override {
    std::optional<nlohmann::json> last;
    for (const Event& event : log) {
      if (event.kind != EventKind::kGateResult) continue;
      const auto gate = event.body.get<GateResult>();
      if (gate.gate == "baseline" && gate.outcome == "green" &&
          gate.values.value("anchor_key", "") == key && !gate.values.contains("anchor_ns")) {
        last = gate.values;
      }
    }
    return last;
  }
  std::vector<std::string> alpha_users(const std::string& alpha_key) const override {
    std::set<std::string> slugs;
    for (const Event& event : log) {
      if (event.kind == EventKind::kAttemptOpened && event.body.at("alpha_key") == alpha_key) {
        slugs.insert(event.slug);
      }
    }
    return {slugs.begin(), slugs.end()};
  }
  std::optional<std::string> blob(const std::string& sha256) const override {
    const auto at = blobs.find(sha256);
    return at == blobs.end() ? std::nullopt : std::optional(at->second);
  }

  // Journal
  int number_for(const std::string& slug) override {
    if (const auto label = find(slug)) return label->number;
    labels_.push_back({static_cast<int>(labels_.size()) + 1, slug});
    return labels_.back().number;
  }
  std::string open_run(const std::string& slug, const RunOpened& opened) override {
    if (!slug.empty()) number_for(slug);
    const std::string run = sha256_hex(fmt::format("run {}", runs_.size())).substr(0, 32);
    runs_[run] = {slug, 0, false};
    append(run, EventKind::kRunOpened, opened);
    return run;
  }
  void append(const std::string& run, EventKind kind, const nlohmann::json& body) override {
    Run& at = runs_.at(run);
    if (at.ended) throw Error(ErrorKind::kInternal, "run " + run + " has ended and is sealed");
    const std::string text = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const std::string when = fmt::format("2026-01-01T00:00:{:06.3f}Z", 0.001 * ++clock_);
    log.push_back({at.slug, run, at.events++, kind, when, nlohmann::json::parse(text)});
    if (on_event) on_event(Event(log.back()));
  }
  AdmissionResult open_attempt(const std::string& run, const AttemptOpened& attempt,
                               const std::map<std::string, std::string>& sources) override {
    const AdmissionResult result = admit(fold(events(runs_.at(run).slug)), attempt.fingerprint);
    if (result.admission == Admission::kNew || result.admission == Admission::kResume ||
        result.admission == Admission::kRedAgain) {
      AttemptOpened opened = attempt;
      opened.ordinal = result.ordinal;
      blobs.insert(sources.begin(), sources.end());
      append(run, EventKind::kAttemptOpened, opened);
    }
    return result;
  }
  std::string end_run(const std::string& run, const RunEnded& ended) override {
    append(run, EventKind::kRunEnded, ended);
    runs_.at(run).ended = true;
    return sha256_hex(run);
  }

 private:
  struct Run {
    std::string slug;
    int events = 0;
    bool ended = false;
  };
  std::vector<ExperimentLabel> labels_;
  std::map<std::string, Run> runs_;
  int clock_ = 0;
};

}  // namespace assay
