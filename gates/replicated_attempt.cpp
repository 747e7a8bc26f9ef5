// What an attempt was, from its record, and a workspace in which it can be that again.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/core/error.h"
#include "engine/protocol/manifest.h"
#include "experiments/service_map.h"
#include "gates/ab_values.h"
#include "gates/gate_ab.h"
#include "gates/replicate.h"
#include "gates/subject.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const AttemptView& chosen_attempt(const ExperimentView& view, int ordinal) {
  if (ordinal == 0) {
    if (const AttemptView* judged = view.judged()) return *judged;
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is {} and has no verdict that could be reproduced: `assay run {}` "
                            "gives it one",
                            view.slug, to_string(view.state), view.slug));
  }
  for (const AttemptView& attempt : view.attempts) {
    if (attempt.opened.ordinal == ordinal && attempt.verdict) return attempt;
  }
  throw Error(ErrorKind::kUsage, fmt::format("{} has no attempt {} with a verdict: `assay show {}` "
                                             "shows those there are",
                                             view.slug, ordinal, view.slug));
}

std::string recorded_incumbent(const AttemptView& attempt, const std::string& op) {
  std::string incumbent;
  for (const GateInRun& gate : attempt.gates) {
    const nlohmann::json& values = gate.result.values;
    if (gate.result.gate != "preflight" || !values.is_object()) continue;
    incumbent = values.value("changes", nlohmann::json::object())
                    .value(op, nlohmann::json::object())
                    .value("incumbent", incumbent);
  }
  return incumbent;
}

// The model file under the definition's own path, which is relative to a workspace.
void link_model(const std::string& model, const fs::path& models, const fs::path& folder) {
  if (!is_model_file(model) || fs::path(model).is_absolute()) return;
  const fs::path link = (folder / model).lexically_normal();
  const std::string relative = fs::path(model).lexically_normal().string();
  if (relative.starts_with("..") || fs::exists(fs::symlink_status(link))) return;
  fs::create_directories(link.parent_path());
  fs::create_symlink(fs::absolute(models / model), link);
}

// A later LAND may have given a newer device of the family rows of its own for the op; the recorded
// ones are those of the scope.
void uncover_row(ServiceMap& map, const std::string& device_key, const Scope& scope,
                 const std::string& op) {
  while (!scope.device.empty()) {
    const auto resolved = resolve(map, device_key);
    const auto at = resolved.find(op);
    if (at == resolved.end() || at->second.from_key == scope.device) return;
    map.devices[at->second.from_key].erase(op);
  }
}

}  // namespace

Replicated replicated_attempt(const ExperimentView& view, int ordinal) {
  Replicated replicated;
  replicated.attempt = chosen_attempt(view, ordinal);
  const AttemptView& attempt = replicated.attempt;
  if (attempt.runs.empty() ||
      (attempt.verdict->reason == "unproven" && attempt.verdict->effect.is_null())) {
    throw Error(ErrorKind::kUsage,
                fmt::format("attempt {} of {} was given up before anything was found, so there is "
                            "nothing to hold a replication against",
                            attempt.opened.ordinal, view.slug));
  }
  try {
    replicated.definition = parse_definition(view.proposal.definition, view.slug + ".yaml, frozen");
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("this program does not know all that {} names any more; check out the "
                            "commit of its record and reproduce it there: {}",
                            view.slug, error.what()));
  }
  for (const auto& [op, variant] : attempt.opened.candidate) {
    replicated.definition.candidate[op] = variant;
    const std::string incumbent = recorded_incumbent(attempt, op);
    if (incumbent.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the record of {} does not say which variant of {} was in service",
                              view.slug, op));
    }
    replicated.incumbents[op] = incumbent;
  }
  const bool own = std::count(attempt.runs.begin(), attempt.runs.end(), attempt.verdict_run) > 0;
  const std::string& decided = own ? attempt.verdict_run : attempt.runs.back();
  for (const RunView& run : view.runs) {
    if (run.run == decided) replicated.provenance = run.provenance;
  }
  return replicated;
}

ReplicationWorkspace::ReplicationWorkspace(const Replicated& replicated,
                                           const std::string& map_text, const std::string& map_name,
                                           const std::string& device_key,
                                           const std::string& models) {
  const Definition& definition = replicated.definition;
  ServiceMap map = parse_service_map(map_text, map_name);
  for (const auto& [op, incumbent] : replicated.incumbents) {
    uncover_row(map, device_key, definition.scope, op);
    const ScopedRow row = scoped_row(map, map_name, device_key, definition.scope, op);
    map = with_landed(map, row.device_key, definition.scope, op, incumbent, "incumbent");
  }
  const fs::path folder(path());
  fs::create_directories(folder / "experiments");
  std::ofstream file(folder / "experiments" / definition.service, std::ios::binary);
  file << emit(map);
  file.close();
  if (!file) {
    throw Error(
        ErrorKind::kEnvironment,
        fmt::format("{}: the map of the replication cannot be written; is the disk full?", path()));
  }
  for (const Workload& workload : definition.workloads) link_model(workload.model, models, folder);
  for (const Workload& guard : definition.guards) link_model(guard.model, models, folder);
}

std::vector<std::string> other_code(const Replicated& replicated, const std::string& worker_path) {
  const Manifest manifest = read_manifest(worker_path);
  std::vector<std::string> other;
  const auto look = [&](const std::string& id) {
    const ManifestVariant* built = manifest.find(id);
    if (built == nullptr) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} is not built into {}, so it cannot run here", id, worker_path));
    }
    const auto recorded = replicated.attempt.opened.code_hashes.find(id);
    const std::string then =
        recorded == replicated.attempt.opened.code_hashes.end() ? "unknown" : recorded->second;
    if (built->code_hash == then) return;
    other.push_back(fmt::format("{} is {} here, {} in the record", id,
                                built->code_hash.substr(0, 12), then.substr(0, 12)));
  };
  for (const auto& [op, id] : replicated.incumbents) look(id);
  for (const auto& [op, id] : replicated.attempt.opened.candidate) look(id);
  return other;
}

namespace {

// The finding that a replication's plan and samples give; nothing where it was not timed.
std::optional<Finding> timed_again(const nlohmann::json& plan_body,
                                   const std::vector<PairSample>& samples) {
  if (plan_body.is_null() || samples.empty()) return std::nullopt;
  const AbPlan plan = plan_body.at("plan").get<AbPlan>();
  check_plan(plan);
  const AbJudgement judgement = judge(plan, launch_pairs(samples));
  VerdictBody verdict;
  verdict.verdict = judgement.action == AbAction::kLand ? "LAND" : "REVERT";
  verdict.reason = judgement.reason;
  verdict.effect = effect_json(judgement);
  return finding_of(verdict);
}

bool same_effect(const nlohmann::json& a, const nlohmann::json& b) {
  for (const char* key : {"estimate", "low", "high"}) {
    const double one = a.value(key, 0.0);
    const double two = b.value(key, 0.0);
    if (std::abs(one - two) > 1e-9 * std::max(std::abs(one), std::abs(two))) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> replication_faults(std::span<const Event> events) {
  std::vector<std::string> faults;
  std::map<std::string, std::pair<nlohmann::json, std::vector<PairSample>>> runs;
  for (const Event& event : events) {
    try {
      if (event.kind == EventKind::kRunOpened) {
        if (event.body.get<RunOpened>().command == kReproduce) runs[event.run];
      }
      const auto run = runs.find(event.run);
      if (run == runs.end()) continue;
      if (event.kind == EventKind::kPlanFrozen) run->second.first = event.body;
      if (event.kind == EventKind::kSample) run->second.second.push_back(sample_of(event));
      if (event.kind != EventKind::kGateResult) continue;
      const auto gate = event.body.get<GateResult>();
      if (!gate.values.is_object() || !gate.values.contains("again")) continue;
      const Finding again = gate.values.at("again").get<Finding>();
      if (!again.timed()) continue;
      const auto computed = timed_again(run->second.first, run->second.second);
      if (!computed || !computed->timed() || !same_effect(computed->effect, again.effect)) {
        faults.push_back(fmt::format(
            "run {}: the effect of this replication does not follow from its samples", event.run));
      }
    } catch (const nlohmann::json::exception&) {
      faults.push_back(fmt::format("run {}: its replication is of another form", event.run));
    } catch (const Error& error) {
      faults.push_back(fmt::format("run {}: {}", event.run, error.what()));
    }
  }
  return faults;
}

}  // namespace assay
