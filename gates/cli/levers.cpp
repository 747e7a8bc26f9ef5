// assay levers: what can be tried, derived from the variants, and what runs here now.
//
// A device has one backend, so each backend's levers stand by themselves: a lever that both have is
// two choices. What the GPU is, only the worker can say; where there is none, the rows that every
// GPU falls back to say what would be in service.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/core/device.h"
#include "engine/core/error.h"
#include "experiments/levers.h"
#include "experiments/service_map.h"
#include "gates/cli/command.h"
#include "gates/cli/workspace.h"
#include "gates/process/worker_client.h"
#include "kernels/variant.h"

namespace assay {
namespace {

// A backend, and this machine's device of it.
struct Device {
  BackendKind backend = BackendKind::kCpu;
  std::string key;     // where there is none: the plain key of the backend's family
  std::string absent;  // why there is none; empty where there is one
  bool map_found = false;
  std::map<std::string, std::string> serving;  // variant id -> its ranges: "", "nkv 1..1920"
};

void read_serving(const CommonOptions& common, Device& device) {
  const auto workspace = look_for_workspace(common);
  if (!workspace) return;
  device.map_found = true;
  const ServiceMap map = read_service_map(*workspace + "/experiments/in_service.yaml");
  for (const auto& [op, resolved] : resolve(map, device.key)) {
    for (const ServiceRow& row : resolved.rows) {
      std::string& ranges = device.serving[row.variant];
      if (row.key.empty()) continue;
      const bool open = row.high == std::numeric_limits<int>::max();
      ranges += fmt::format("{}{} {}..{}", ranges.empty() ? "" : ", ", row.key, row.low,
                            open ? std::string() : std::to_string(row.high));
    }
  }
}

void look_for_gpu(const CommonOptions& common, Device& device) {
  device.key = "cuda";
  try {
    WorkerClient worker({.path = common.worker});
    const HelloReply hello = value_or_throw(worker.hello());
    if (hello.gpu_key.empty()) {
      device.absent = hello.gpu_absent;
    } else {
      device.key = hello.gpu_key;
    }
  } catch (const Error& error) {
    device.absent = error.what();
  }
}

Device device_of(const CommonOptions& common, BackendKind backend) {
  Device device;
  device.backend = backend;
  if (backend == BackendKind::kCpu) {
    device.key = device_key(cpu_level());
  } else {
    look_for_gpu(common, device);
  }
  read_serving(common, device);
  return device;
}

bool runs_here(const Device& device, const VariantInfo& info) {
  return device.absent.empty() && offers(parse_device_key(device.key).value(), info.needs);
}

// The levers of a backend; of each, its variants there.
std::vector<Lever> levers_of(BackendKind backend) {
  std::vector<Lever> kept;
  for (Lever lever : levers()) {
    std::erase_if(lever.variants, [backend](const std::string& id) {
      return find_variant(id)->needs.backend != backend;
    });
    if (!lever.variants.empty()) kept.push_back(std::move(lever));
  }
  return kept;
}

void add_json(nlohmann::json& list, const Device& device) {
  for (const Lever& lever : levers_of(device.backend)) {
    nlohmann::json variants = nlohmann::json::array();
    for (const std::string& id : lever.variants) {
      const VariantInfo* info = find_variant(id);
      const auto at = device.serving.find(id);
      variants.push_back({{"id", id},
                          {"in_service", at != device.serving.end()},
                          {"range", at == device.serving.end() ? "" : at->second},
                          {"needs", need_name(info->needs)},
                          {"runs_here", runs_here(device, *info)},
                          {"summary", std::string(info->summary)}});
    }
    list.push_back({{"lever", lever.name},
                    {"op", lever.op},
                    {"backend", to_string(device.backend)},
                    {"device", device.key},
                    {"device_here", device.absent.empty()},
                    {"variants", variants}});
  }
}

void print_variant(const std::string& id, const Device& device) {
  const VariantInfo* info = find_variant(id);
  const auto at = device.serving.find(id);
  const bool serves = at != device.serving.end();
  std::string state;
  if (serves) {
    state = at->second.empty() ? "in service" : "in service for " + at->second;
  } else if (!runs_here(device, *info)) {
    state = fmt::format("needs {}", need_name(info->needs));
  }
  std::cout << fmt::format("  {} {:<44} {}{}{}\n", serves ? '*' : ' ', id, info->summary,
                           state.empty() ? "" : "; ", state);
}

// Ops that the backend has without a choice.
std::string ops_without_lever(BackendKind backend, const std::set<std::string>& shown) {
  std::string names;
  for (const OpVariants& op : all_ops()) {
    const bool has =
        std::any_of(op.variants.begin(), op.variants.end(),
                    [backend](const VariantInfo& info) { return info.needs.backend == backend; });
    if (has && !shown.contains(std::string(op.op.op))) names += fmt::format(" {}", op.op.op);
  }
  return names;
}

std::string stars_mean(const Device& device) {
  if (!device.map_found) return "no workspace here, so nothing is said of what is in service";
  if (!device.absent.empty())
    return "* in service on any GPU, as the map has it (" + device.key + ")";
  return "* in service on this device (" + device.key + ")";
}

void print(const Device& device) {
  const std::string_view name = device.backend == BackendKind::kCpu ? "CPU" : "CUDA";
  std::cout << (device.absent.empty()
                    ? fmt::format("{} levers; this device is {}\n\n", name, device.key)
                    : fmt::format("{} levers; no GPU can be used: {}\n\n", name, device.absent));
  std::set<std::string> shown;
  for (const Lever& lever : levers_of(device.backend)) {
    std::cout << lever.name << "\n";
    for (const std::string& id : lever.variants) print_variant(id, device);
    shown.insert(lever.op);
    std::cout << "\n";
  }
  const std::string rest = ops_without_lever(device.backend, shown);
  if (!rest.empty()) std::cout << "ops with one variant, and so no lever:" << rest << "\n";
  std::cout << stars_mean(device) << "\n";
}

int act(const std::string& backend, const CommonOptions& common) {
  if (!backend.empty() && !parse_backend(backend)) {
    throw Error(ErrorKind::kUsage,
                "levers: --backend " + backend + ": no such backend: write cpu or cuda");
  }
  nlohmann::json list = nlohmann::json::array();
  bool first = true;
  for (const BackendKind kind : {BackendKind::kCpu, BackendKind::kCuda}) {
    if (!backend.empty() && backend != to_string(kind)) continue;
    const Device device = device_of(common, kind);
    if (common.json) {
      add_json(list, device);
      continue;
    }
    if (!first) std::cout << "\n";
    first = false;
    print(device);
  }
  if (common.json) std::cout << list.dump(2) << std::endl;
  return 0;
}

}  // namespace

Action define_levers(CLI::App& app) {
  const auto backend = std::make_shared<std::string>();
  app.add_option("--backend", *backend, "cpu or cuda only (default: one after the other)")
      ->type_name("B");
  return [backend](const CommonOptions& common) { return act(*backend, common); };
}

}  // namespace assay
