// assay levers: what can be tried, derived from the variants, and what runs here now.
#include <fmt/format.h>

#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/core/device.h"
#include "experiments/levers.h"
#include "experiments/service_map.h"
#include "gates/cli/command.h"
#include "gates/cli/workspace.h"
#include "kernels/variant.h"

namespace assay {
namespace {

// Variant id -> the ranges that it serves on this device: "", "nkv 1..1920".
std::map<std::string, std::string> in_service(const CommonOptions& common, const std::string& key) {
  std::map<std::string, std::string> serving;
  const auto workspace = look_for_workspace(common);
  if (!workspace) return serving;
  const ServiceMap map = read_service_map(*workspace + "/experiments/in_service.yaml");
  for (const auto& [op, resolved] : resolve(map, key)) {
    for (const ServiceRow& row : resolved.rows) {
      std::string& ranges = serving[row.variant];
      if (row.key.empty()) continue;
      const bool open = row.high == std::numeric_limits<int>::max();
      ranges += fmt::format("{}{} {}..{}", ranges.empty() ? "" : ", ", row.key, row.low,
                            open ? std::string() : std::to_string(row.high));
    }
  }
  return serving;
}

bool runs_here(const VariantInfo& info) {
  return offers(cpu_level(), info.needs);
}

nlohmann::json as_json(const std::string& key, const std::map<std::string, std::string>& serving) {
  nlohmann::json list = nlohmann::json::array();
  for (const Lever& lever : levers()) {
    nlohmann::json variants = nlohmann::json::array();
    for (const std::string& id : lever.variants) {
      const VariantInfo* info = find_variant(id);
      const auto at = serving.find(id);
      variants.push_back({{"id", id},
                          {"in_service", at != serving.end()},
                          {"range", at == serving.end() ? "" : at->second},
                          {"needs", need_name(info->needs)},
                          {"runs_here", runs_here(*info)},
                          {"summary", std::string(info->summary)}});
    }
    list.push_back(
        {{"lever", lever.name}, {"op", lever.op}, {"device", key}, {"variants", variants}});
  }
  return list;
}

void print_variant(const std::string& id, const std::map<std::string, std::string>& serving) {
  const VariantInfo* info = find_variant(id);
  const auto at = serving.find(id);
  std::string state;
  if (at != serving.end()) {
    state = at->second.empty() ? "in service" : "in service for " + at->second;
  } else if (!runs_here(*info)) {
    state = fmt::format("needs {}", need_name(info->needs));
  }
  std::cout << fmt::format("  {} {:<44} {}{}{}\n", at != serving.end() ? '*' : ' ', id,
                           info->summary, state.empty() ? "" : "; ", state);
}

int act(const CommonOptions& common) {
  const std::string key(device_key(cpu_level()));
  const std::map<std::string, std::string> serving = in_service(common, key);
  if (common.json) {
    std::cout << as_json(key, serving).dump(2) << std::endl;
    return 0;
  }
  std::set<std::string> shown;
  for (const Lever& lever : levers()) {
    std::cout << lever.name << "\n";
    for (const std::string& id : lever.variants) print_variant(id, serving);
    shown.insert(lever.op);
    std::cout << "\n";
  }
  std::string rest;
  for (const OpVariants& op : all_ops()) {
    if (!shown.contains(std::string(op.op.op))) rest += fmt::format(" {}", op.op.op);
  }
  if (!rest.empty()) std::cout << "ops with one variant, and so no lever:" << rest << "\n";
  std::cout << (serving.empty() ? "no workspace here, so nothing is said of what is in service\n"
                                : "* in service on this device (" + key + ")\n");
  return 0;
}

}  // namespace

Action define_levers(CLI::App&) {
  return act;
}

}  // namespace assay
