// An effect's key names the model by its SHA-256; the runs on record know which name had which.
#include "gates/cli/calibration_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <vector>

#include "engine/core/json_output.h"
#include "engine/core/or_null.h"
#include "gates/cli/aa_summary.h"
#include "gates/cli/noise_components.h"
#include "gates/cli/percent.h"
#include "gates/cli/workspace.h"
#include "gates/statistics/look.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/plan.h"
#include "gates/subject.h"
#include "recorder/verdict_picture.h"
#include "recorder/verdict_text.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

// "device | build | model's SHA-256 workload" (aa_key).
struct KeyParts {
  std::string device, build, model_sha256, workload;
};

KeyParts parts_of(const std::string& key) {
  constexpr std::size_t kBar = 3;  // " | "
  const std::size_t first = key.find(" | "), last = key.rfind(" | ");
  if (first == std::string::npos || first == last) return {"", "", "", key};
  const std::string work = key.substr(last + kBar);
  const std::size_t space = std::min(work.find(' '), work.size());
  return {key.substr(0, first), key.substr(first + kBar, last - first - kBar),
          work.substr(0, space), work.substr(std::min(space + 1, work.size()))};
}

// Models' names by SHA-256, as the runs of this history have them.
std::map<std::string, std::set<std::string>> model_names(const Store& store) {
  std::map<std::string, std::set<std::string>> names;
  const auto read = [&](const std::string& slug) {
    for (const Event& event : store.events(slug)) {
      if (event.kind != EventKind::kRunOpened) continue;
      const nlohmann::json& facts = event.body.get<RunOpened>().provenance;
      if (!facts.is_object()) continue;
      const std::string sha256 = facts.value("model_sha256", std::string());
      const std::string workload = facts.value("workload", std::string());
      if (!sha256.empty()) names[sha256].insert(workload.substr(0, workload.find(' ')));
    }
  };
  read("");
  for (const ExperimentLabel& label : store.experiments()) read(label.slug);
  return names;
}

struct EffectRow {
  const AaEffect* effect = nullptr;
  LookRow look;  // by its own spread; without one where there is a single pair
  bool excludes_zero = false;
};

struct WorkloadHistory {
  KeyParts key;
  std::string model;
  std::vector<EffectRow> rows;  // oldest first
  AaSummary summary;
  std::optional<VarianceComponents> noise;
};

EffectRow effect_row(const AaEffect& effect) {
  EffectRow row;
  row.effect = &effect;
  if (effect.pair_values.size() < 2) {
    row.look.estimate = row.look.low = row.look.high =
        effect.pair_values.empty() ? 0 : effect_of(effect.pair_values[0]);
    return row;
  }
  row.look = measure_row("aa", effect.pair_values, {}, 0, 0.05);
  row.excludes_zero = row.look.low > 0 || row.look.high < 0;
  return row;
}

void summarize(WorkloadHistory& history, const Store& store) {
  std::vector<std::string> runs_of;
  for (const EffectRow& row : history.rows) runs_of.push_back(row.effect->id);
  history.noise = noise_components(store, runs_of);
  for (const EffectRow& row : history.rows) {
    history.summary.add(row.look.estimate, row.look.pair_sd, row.excludes_zero);
  }
}

// By key, in the keys' order.
std::vector<WorkloadHistory> histories(const std::vector<AaEffect>& effects, const Store& store,
                                       const std::optional<Workload>& wanted) {
  const auto names = model_names(store);
  std::map<std::string, WorkloadHistory> by_key;
  for (const AaEffect& effect : effects) {
    const KeyParts key = parts_of(effect.key);
    const auto known = names.find(key.model_sha256);
    if (wanted) {
      Workload bare = *wanted;
      bare.model = key.model_sha256;
      const bool same_model = known != names.end() && known->second.contains(wanted->model);
      if (!same_model || describe(bare) != key.model_sha256 + " " + key.workload) continue;
    }
    WorkloadHistory& history = by_key[effect.key];
    history.key = key;
    if (known != names.end()) history.model = *known->second.begin();
    history.rows.push_back(effect_row(effect));
  }
  std::vector<WorkloadHistory> all;
  for (auto& [key, history] : by_key) {
    summarize(history, store);
    all.push_back(std::move(history));
  }
  return all;
}

std::string history_text(const WorkloadHistory& history) {
  const std::string sha = history.key.model_sha256.substr(0, 12);
  const std::string model =
      history.model.empty() ? "model " + sha : fmt::format("{} ({})", history.model, sha);
  std::vector<HistoryRow> rows;
  for (const EffectRow& row : history.rows) {
    rows.push_back(
        {row.effect->at, row.look.low, row.look.estimate, row.look.high, row.excludes_zero});
  }
  const bool few = static_cast<int>(history.rows.size()) < kSettledAaRuns;
  std::string text = fmt::format(
      "{}, {} {}\nbuild {}\n\n{}\n{} (!){}\n", visible_line(history.key.device),
      visible_line(model), visible_line(history.key.workload), visible_line(history.key.build),
      history_picture(rows, history.summary.rms_effect()), history.summary.text(),
      few ? fmt::format("; below {}: verdicts are provisional", kSettledAaRuns) : "");
  if (history.noise) text += noise_line(*history.noise);
  return text;
}

nlohmann::json history_json(const WorkloadHistory& history) {
  nlohmann::json effects = nlohmann::json::array();
  for (const EffectRow& row : history.rows) {
    effects.push_back({{"id", row.effect->id},
                       {"at", row.effect->at},
                       {"host", row.effect->host},
                       {"estimate", row.look.estimate},
                       {"interval", {row.look.low, row.look.high}},
                       {"pair_sd", row.look.pair_sd},
                       {"pairs", row.effect->pair_values.size()},
                       {"excludes_zero", row.excludes_zero}});
  }
  return {{"device", history.key.device},
          {"build", history.key.build},
          {"model", history.model.empty() ? nlohmann::json() : nlohmann::json(history.model)},
          {"model_sha256", history.key.model_sha256},
          {"workload", history.key.workload},
          {"effects", std::move(effects)},
          {"pair_sd", history.summary.pair_sd()},
          {"rms_effect", history.summary.rms_effect()},
          {"components", or_null(history.noise)},
          {"excluding_zero", history.summary.excluding}};
}

}  // namespace

int show_calibrations(const ShownHistory& shown, const CommonOptions& common) {
  const Workspace workspace(common, Access::kRead);
  std::optional<Workload> wanted = shown.workload;
  if (!shown.for_id.empty()) {
    const ExperimentLabel label = workspace.experiment(shown.for_id);
    wanted = workspace.frozen(label, workspace.view(label)).workloads.front();
  }
  const std::vector<AaEffect> effects = workspace.store().aa_effects();
  const std::vector<WorkloadHistory> all = histories(effects, workspace.store(), wanted);
  if (all.empty()) {
    std::cerr << "assay: no A/A effect is on record"
              << (wanted ? " for " + visible_line(describe(*wanted)) : "")
              << ": `assay calibrate` measures one\n";
  }
  if (common.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const WorkloadHistory& history : all) list.push_back(history_json(history));
    std::cout << json_output(nlohmann::json{{"histories", std::move(list)}}) << std::endl;
    return workspace.exit_code();
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::cout << (i > 0 ? "\n" : "") << history_text(all[i]);
  }
  std::cout << std::flush;
  return workspace.exit_code();
}

}  // namespace assay
