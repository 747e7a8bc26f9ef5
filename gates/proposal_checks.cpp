// What a definition asks, held against this version, this workspace and this machine. Each fault is
// shown at its place in the definition.
#include <fmt/format.h>

#include <filesystem>

#include "engine/core/device.h"
#include "experiments/definition_checks.h"
#include "experiments/definition_place.h"
#include "gates/judged_device.h"
#include "gates/proposal.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

using Workloads = std::vector<Workload>;

const DefinitionPath kModel{"workloads", "0", "model"};

// Calls `check(workload, path, kind)` for the workloads, then for the guards.
template <typename Check>
void for_each_workload(const Definition& definition, const Check& check) {
  const auto visit = [&](const Workloads& workloads, const char* key, const char* kind) {
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      check(workloads[i], DefinitionPath{key, std::to_string(i)}, kind);
    }
  };
  visit(definition.workloads, "workloads", "workload");
  visit(definition.guards, "guards", "guard");
}

ServiceMap read_map(const Definition& definition, const RunContext& context) {
  const std::string file = context.workspace + "/experiments/" + definition.service;
  if (!fs::exists(file)) {
    refuse_at(
        definition, {"service"},
        fmt::format("there is no map {}: name one that exists, such as in_service.yaml", file));
  }
  return read_service_map(file);
}

// Every op of the candidate has a row to replace, and something else in it.
void check_rows(const Definition& definition, const ServiceMap& map) {
  const Scope& scope = definition.scope;
  const std::string device =
      scope.device.empty() ? std::string(device_key(cpu_level())) : scope.device;
  for (const auto& [op, variant] : definition.candidate) {
    ScopedRow row;
    try {
      row = scoped_row(map, "experiments/" + definition.service, device, scope, op);
    } catch (const Error& error) {
      refuse_at(definition, {"candidate", op}, error.what());
    }
    if (row.variant != variant) continue;
    refuse_at(
        definition, {"candidate", op},
        fmt::format("`{}` is already in service for {} on {}: name another point of the lever; "
                    "`assay levers` lists them",
                    variant, op, row.device_key));
  }
}

void check_model_file(const Definition& definition, const std::string& path) {
  if (!is_model_file(path)) return;
  if (!fs::exists(path)) {
    refuse_at(definition, kModel,
              fmt::format("there is no model file {}: name a GGUF file (from the workspace), "
                          "`embedded`, or `synth:SHAPE-QUANT`",
                          path));
  }
  if (!fs::is_regular_file(path)) {
    refuse_at(definition, kModel, fmt::format("{} is not a regular file", path));
  }
}

WorkerResult<LoadReply> load_here(LoadRequest load, const ServiceMap& map,
                                  const RunContext& context) {
  try {
    WorkerClient worker({.path = context.worker_path});
    const WorkerResult<HelloReply> hello = worker.hello();
    if (const auto* fault = std::get_if<WorkerFault>(&hello)) return *fault;
    const HelloReply device = as_device(std::get<HelloReply>(hello), *parse_backend(load.backend));
    load.service = selection(resolve(map, device.device_key));
    return worker.load(load);
  } catch (const Error& error) {  // it could not be started
    WorkerFault fault;
    fault.detail = error.what();
    return fault;
  }
}

}  // namespace

void check_answerable(const Definition& definition) {
  if (definition.lever_class != LeverClass::kBitwise) {
    const std::string name = to_string(definition.lever_class);
    refuse_at(
        definition, {"class"},
        fmt::format("class {}: only class bitwise can be judged in this version, since the {} "
                    "gates need calibrated drift that is not built yet",
                    name, name));
  }
  const Workload& primary = definition.workloads.front();
  for_each_workload(definition, [&](const Workload& workload, const DefinitionPath& path,
                                    const char* kind) {
    if (workload.model == primary.model && workload.threads == primary.threads) return;
    refuse_at(definition, path,
              fmt::format("{} {}: model and threads must be those of the first workload, since all "
                          "share its processes",
                          kind, describe(workload)));
  });
}

void check_context(const Definition& definition, int context) {
  for_each_workload(definition, [&](const Workload& workload, const DefinitionPath& path,
                                    const char* kind) {
    if (positions(workload) <= context) return;
    refuse_at(definition, path,
              fmt::format("{} {} needs {} positions, and the model is loaded with {}: ask for less",
                          kind, describe(workload), positions(workload), context));
  });
}

std::string check_runnable(const Definition& definition, const RunContext& context) {
  const ServiceMap map = read_map(definition, context);
  check_rows(definition, map);
  const Workload& primary = definition.workloads.front();
  LoadRequest load;
  load.model = model_path(primary.model, context.workspace);
  load.threads = primary.threads;
  load.backend = to_string(backend_of_key(definition.scope.device));
  check_model_file(definition, load.model);
  const WorkerResult<LoadReply> loaded = load_here(load, map, context);
  if (const auto* fault = std::get_if<WorkerFault>(&loaded)) {
    const bool of_machine = fault->error_kind == ErrorKind::kEnvironment;
    if (fault->kind == FaultKind::kRefused && !of_machine) {
      refuse_at(definition, kModel, fault->detail);
    }
    return fmt::format("model   not loaded here ({}); `run` checks it", fault->detail);
  }
  check_context(definition, std::get<LoadReply>(loaded).context);
  return "";
}

}  // namespace assay
