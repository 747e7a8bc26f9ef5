// What a run is about, once everything has been resolved: the two service selections that differ in
// the candidate's ops only, the code behind them, and the device that will run them.
//
// definition + in_service.yaml + manifest + device --> Subject. Nothing here runs a kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/protocol/manifest.h"
#include "engine/protocol/messages.h"
#include "experiments/definition.h"
#include "experiments/service_map.h"
#include "gates/runner.h"

namespace assay {

// One op whose variant the candidate changes.
struct OpChange {
  std::string op;
  std::string incumbent, candidate;            // variant ids
  std::string incumbent_hash, candidate_hash;  // code hashes
  std::string device_key;                      // the map's key whose row is replaced
};

struct Subject {
  Definition definition;
  std::map<std::string, std::string> candidate_ids;  // op -> variant, after --candidate
  Manifest manifest;
  HelloReply device;
  std::string service_path;  // relative to the workspace
  std::string service_text;  // bytes of the file as read
  ServiceMap map;
  ServiceSelection baseline, candidate;
  std::vector<OpChange> changes;
  std::string fingerprint;            // SHA-256 over the candidate's ids and code hashes
  std::string alpha_key;              // what alpha belongs to
  bool no_op = false;                 // every changed op's code equals the incumbent's
  std::vector<std::string> not_live;  // candidate variants whose code reaches another's launcher
};

// Error(kUsage) where the run must be refused (exit 2), Error(kBaseline) where worker or manifest
// fail.
Subject resolve_subject(const Definition& definition, const RunOptions& options,
                        const RunContext& context);

// The row that a candidate of `op` would replace: the definition's scope on a device.
struct ScopedRow {
  std::string device_key;  // the map's key that has the row
  std::string variant;     // which serves now
};
// Error(kUsage) when the map has no such row. `path` names the map in messages.
ScopedRow scoped_row(const ServiceMap& map, const std::string& path, const std::string& device_key,
                     const Scope& scope, const std::string& op);

// Whether a model is a file, and not one that every worker has: `embedded`, `synth:SHAPE-QUANT`.
bool is_model_file(const std::string& model);
// The absolute path of a workload's model; a model that is no file, as it is.
std::string model_path(const std::string& model, const std::string& workspace);
// A readable, stable description: "embedded prefill tokens=128 threads=1".
std::string describe(const Workload& workload);

// Device model, compiler and flags, model file, workload: what an A/A effect is valid for.
std::string aa_key(const Manifest& manifest, const HelloReply& device,
                   const std::string& model_sha256, const Workload& workload);

}  // namespace assay
