// A worker with a model loaded, for the commands that use the engine and judge nothing.
#pragma once

#include <string>

#include "engine/protocol/messages.h"
#include "gates/cli/command.h"
#include "gates/process/worker_client.h"

namespace assay {

struct EngineSession {
  WorkerClient worker;
  HelloReply device;
  LoadReply model;
  std::string service_file;    // the map that says which variants serve
  std::string service_digest;  // of the selection for this device, 12 hex digits
};

struct EngineChoice {
  std::string model;  // a file, "embedded", or "synth:SHAPE-QUANT"
  std::string backend = "cpu";
  int threads = 0;  // 0: one per core
  int context = 0;  // 0: the model's own
};

// The map of the workspace; outside any workspace, of the sources that the worker was built from.
// Error(kUsage) where model, backend or map are not there.
EngineSession open_engine(const EngineChoice& choice, const CommonOptions& common);

// The service map's file that open_engine takes. Error(kUsage) when there is none.
std::string service_file_for(const CommonOptions& common);
// A map's rows for one device, ready for a worker, and their digest.
ServiceSelection selection_for(const std::string& service_file, const std::string& device_key);
std::string digest_of(const ServiceSelection& selection);

}  // namespace assay
