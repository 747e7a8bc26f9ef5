// assay doctor: what this machine, this build and this workspace offer, in one page.
//
// Nothing here changes anything but what opening a database does. A part that is missing is a line
// that says what to do; parts without which nothing can run make the exit code 3.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "engine/core/device.h"
#include "engine/core/error.h"
#include "engine/protocol/manifest.h"
#include "gates/cli/child_process.h"
#include "gates/cli/command.h"
#include "gates/cli/counted.h"
#include "gates/cli/engine_session.h"
#include "gates/cli/machine_facts.h"
#include "gates/cli/workspace.h"
#include "gates/gpu_monitor.h"
#include "kernels/variant.h"
#include "recorder/schema.h"

namespace assay {
namespace {

// Lines as they are found: name, text, and whether work is impossible without it.
struct Line {
  std::string name, text;
  bool broken = false;
};
struct Report {
  std::vector<Line> lines;
  void say(const std::string& name, const std::string& text) { lines.push_back({name, text}); }
  void fault(const std::string& name, const std::string& text) {
    lines.push_back({name, text, true});
  }
};

std::string or_unknown(const std::string& text) {
  return text.empty() ? "cannot be read here" : text;
}

void look_at_machine(Report& report) {
  const MachineFacts facts = machine_facts();
  report.say("device", std::string(device_key(cpu_level())));
  report.say("processor", fmt::format("{}, {} cores", cpu_model_name(), facts.cores));
  report.say("features", or_unknown(facts.features));
  report.say("frequency", or_unknown(facts.frequency));
  report.say("governor", facts.governor.empty() ? "cannot be read here (usual in a virtual machine)"
                                                : facts.governor);
  report.say("load", fmt::format("{} over the last minute; measuring wants it near 0",
                                 or_unknown(facts.load)));
  report.say("memory", or_unknown(facts.memory));
  report.say("gpu nodes", facts.gpu.empty() ? "none here" : facts.gpu);
}

void look_at_tools(Report& report) {
  for (const char* tool : {"cmake", "ninja", "c++", "git", "perf", "nvcc"}) {
    const std::string path = find_program(tool);
    const bool speaks = std::string(tool) != "perf" && std::string(tool) != "nvcc";
    const std::string version = path.empty() || !speaks ? "" : first_line_of({path, "--version"});
    report.say(std::string("tool ") + tool,
               path.empty() ? "not found" : path + (version.empty() ? "" : " (" + version + ")"));
  }
}

void look_at_manifest(const CommonOptions& common, Report& report) {
  try {
    const Manifest manifest = read_manifest(common.worker);
    report.say("build",
               fmt::format("{}, {}, tree {}", manifest.compiler, manifest.flags, manifest.tree));
    std::size_t stale = 0;
    std::string which;
    for (const ManifestVariant& variant : manifest.variants) {
      const std::vector<std::string> files = stale_files(manifest, variant);
      if (files.empty()) continue;
      ++stale;
      which = files.front();
    }
    report.say("manifest", fmt::format("matches the worker; {} variants, sources in {}",
                                       manifest.variants.size(), manifest.source_root));
    if (stale != 0) {
      report.say("sources",
                 fmt::format("{} variants differ on disk from the build ({}): rebuild, or "
                             "`assay run --build`",
                             stale, which));
    }
  } catch (const Error& error) {
    report.fault("manifest", error.what());
  }
}

void look_at_variants(const HelloReply& hello, Report& report) {
  std::string absent;
  std::size_t count = 0;
  std::size_t known = 0;
  std::size_t for_a_gpu = 0;
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) {
      ++known;
      const bool runs =
          std::find(hello.variants.begin(), hello.variants.end(), info.id) != hello.variants.end();
      if (runs) continue;
      ++count;
      if (info.needs.backend == BackendKind::kCuda && hello.gpu_key.empty()) {
        ++for_a_gpu;
        continue;
      }
      const bool too_new = !offers(cpu_level(), info.needs);
      absent += fmt::format(
          "\n             {} ({})", info.id,
          too_new ? "needs " + need_name(info.needs) : std::string("known, not built here"));
    }
  }
  if (for_a_gpu > 0) absent += fmt::format("\n             {} for a GPU", for_a_gpu);
  report.say("variants", fmt::format("{} of {} known can run here{}", known - count, known,
                                     absent.empty() ? "" : "; not these:" + absent));
}

std::string gpu_text(const HelloReply& hello) {
  if (hello.gpu_key.empty()) return "cannot be used: " + hello.gpu_absent;
  std::string text = fmt::format("{} ({}), {}", hello.gpu_name, hello.gpu_key, hello.gpu_uuid);
  std::string why;
  const auto gpu = GpuMonitor::open(hello.gpu_uuid, &why);
  if (gpu == nullptr) return text + "; no telemetry: " + why;
  const GpuIdentity& identity = gpu->identity();
  text += ", driver " + identity.driver;
  if (identity.memory_bytes) {
    text += fmt::format(", {} of {} MiB in use", gpu->used_bytes().value_or(0) >> 20,
                        *identity.memory_bytes >> 20);
  }
  const nlohmann::json now = gpu->reading();
  for (const auto& [name, unit] :
       {std::pair{"sm_mhz", "MHz"}, std::pair{"power_w", "W"}, std::pair{"temperature_c", "C"}}) {
    if (!now.at(name).is_null())
      text += fmt::format(", {:.0f} {}", now.at(name).get<double>(), unit);
  }
  if (identity.power_limit_w)
    text += fmt::format(" (power limit {:.0f} W)", *identity.power_limit_w);
  return text;
}

void look_at_worker(const CommonOptions& common, Report& report) {
  try {
    WorkerClient worker({.path = common.worker});
    const HelloReply hello = value_or_throw(worker.hello());
    report.say("worker",
               fmt::format("{} ({} {}, protocol {}, device {})", common.worker, hello.program,
                           hello.version, hello.protocol, hello.device_key));
    report.say("gpu", gpu_text(hello));
    look_at_variants(hello, report);
  } catch (const Error& error) {
    report.fault("worker", error.what());
    return;
  }
  try {
    const EngineSession engine = open_engine({.model = "embedded"}, common);
    report.say("embedded", fmt::format("{} loads: {} layers, {} wide, vocabulary {}, {:.1f} MB",
                                       engine.model.name, engine.model.layers,
                                       engine.model.embedding, engine.model.vocab,
                                       static_cast<double>(engine.model.weight_bytes) / 1e6));
    report.say("in service",
               fmt::format("{} (digest {})", engine.service_file, engine.service_digest));
  } catch (const Error& error) {
    report.fault("embedded", error.what());
  }
}

void look_at_workspace(const CommonOptions& common, Report& report) {
  try {
    const auto root = look_for_workspace(common);
    if (!root) {
      report.say("workspace",
                 "none here: go into a folder that holds experiments/in_service.yaml, or "
                 "name one with --workspace");
      return;
    }
    report.say("workspace", *root);
    Workspace workspace(common, Access::kCheck);
    const auto rows = workspace.store().sql(
        "SELECT (SELECT COUNT(*) FROM label), (SELECT COUNT(*) FROM run), "
        "(SELECT COUNT(*) FROM event)");
    const Store::SqlRow& counts = rows.at(1);
    report.say("database", fmt::format("{}: {}, {}, {}; schema {}", workspace.database(),
                                       counted(counts[0], "experiment"), counted(counts[1], "run"),
                                       counted(counts[2], "event"), schema_version()));
    for (const auto& finding : workspace.findings()) report.fault("records", finding.text);
  } catch (const Error& error) {
    report.fault("database", error.what());
  }
}

int act(const CommonOptions& common) {
  Report report;
  look_at_machine(report);
  look_at_tools(report);
  look_at_manifest(common, report);
  look_at_worker(common, report);
  look_at_workspace(common, report);
  bool broken = false;
  nlohmann::json json = nlohmann::json::array();
  for (const Line& line : report.lines) {
    broken = broken || line.broken;
    json.push_back({{"name", line.name}, {"text", line.text}, {"ok", !line.broken}});
    if (!common.json) {
      std::cout << fmt::format("{:<12} {}{}\n", line.name, line.broken ? "BROKEN: " : "",
                               line.text);
    }
  }
  if (common.json) {
    std::cout << nlohmann::json{{"device_key", std::string(device_key(cpu_level()))},
                                {"ok", !broken},
                                {"findings", json}}
                     .dump(2)
              << std::endl;
  }
  return broken ? static_cast<int>(ErrorKind::kCheckFound) : 0;
}

}  // namespace

Action define_doctor(CLI::App&) {
  return act;
}

}  // namespace assay
