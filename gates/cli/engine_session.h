// A worker with a model loaded, for the commands that use the engine and judge nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/protocol/messages.h"
#include "gates/cli/command.h"
#include "gates/gpu_monitor.h"
#include "gates/process/worker_client.h"

namespace assay {

struct EngineSession {
  WorkerClient worker;
  HelloReply device;
  LoadReply model;
  LoadRequest request;         // that loaded it
  std::string service_file;    // the map that says which variants serve
  std::string service_digest;  // of the selection for this device, 12 hex digits
  std::int64_t load_ns = 0;    // until the model was ready, from the worker's start on
  std::unique_ptr<GpuMonitor> gpu = nullptr;  // of backend cuda
};

struct EngineChoice {
  std::string model;  // a file, "embedded", or "synth:SHAPE-QUANT"
  std::string backend = "cpu";
  int threads = 0;     // 0: one per core
  int context = 0;     // 0: the model's own, at most 4,096
  bool graphs = true;  // CUDA: false launches each kernel of a decode step by itself
  bool profile = false;
  std::map<std::string, std::string> overrides = {};  // op -> variant that serves it in any case
};

// -m, --threads, --backend, --context and --no-graph.
void add_engine_options(CLI::App& app, EngineChoice& choice);
// --no-graph alone, for a command that has the others in its own words. `choice` must outlive
// `app`.
CLI::Option* add_no_graph(CLI::App& app, EngineChoice& choice);

// The map of the workspace; outside any workspace, of the sources that the worker was built from.
// Error(kUsage) where model, backend or map are not there.
EngineSession open_engine(const EngineChoice& choice, const CommonOptions& common);

// What an error says of a model that is loaded with too few positions: how many, and what to do.
std::string positions_of(const EngineChoice& choice, int context);
// Error(kUsage) when `command` needs more positions than the model has loaded; without a model,
// than --context says.
void check_positions(const std::string& command, int needed, const EngineChoice& choice,
                     const LoadReply* model = nullptr);
// Bad input is said before a missing GPU: where the worker has none, Error(kUsage) if this load
// would be refused on any machine.
void refuse_bad_load_without_gpu(LoadRequest request, const std::string& service_file,
                                 const HelloReply& device, WorkerClient& worker);
// Error(kInternal) unless `nonfinite`, a WorkReply's count, is 0: what was shown is worth nothing.
void refuse_nonfinite(std::uint64_t nonfinite);

// The service map's file that open_engine takes. Error(kUsage) when there is none.
std::string service_file_for(const CommonOptions& common);
// A map's rows for one device, ready for a worker, and their digest.
ServiceSelection selection_for(const std::string& service_file, const std::string& device_key);
std::string digest_of(const ServiceSelection& selection);

}  // namespace assay
