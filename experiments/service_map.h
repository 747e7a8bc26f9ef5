// in_service.yaml: which variant serves which problem on which device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/definition.h"
#include "kernels/selection.h"

namespace assay {

struct MapRow {
  ServiceRow row;
  std::string by;  // slug of the experiment that landed it, or "incumbent"
};

struct ServiceMap {
  // device key -> op -> rows
  std::map<std::string, std::map<std::string, std::vector<MapRow>>> devices;
};

// Error(kUsage) with file:line:column and a caret, as definitions have it: unknown variants or ops,
// gaps, overlaps, a variant of another op, a device key that is not known.
ServiceMap parse_service_map(const std::string& text, const std::string& file_name);
// A map as it stood on some day: as above, but variants and ops that this program does not know are
// taken as they are written.
ServiceMap parse_past_service_map(const std::string& text, const std::string& file_name);
ServiceMap read_service_map(const std::string& path);
// The canonical text; parse and emit again gives the same bytes.
std::string emit(const ServiceMap& map);

struct ResolvedOp {
  std::vector<ServiceRow> rows;
  std::string from_key;  // the device key whose rows were taken
};
// Rows for one device: exact key, then older keys of the family, op by op.
std::map<std::string, ResolvedOp> resolve(const ServiceMap& map, const std::string& device_key);
ServiceSelection selection(const std::map<std::string, ResolvedOp>& resolved);

// The row of (device key, op, scope's range); null when the map has none such.
const MapRow* find_row(const ServiceMap& map, const std::string& device_key, const Scope& scope,
                       const std::string& op);
// "rms_norm on cpu-avx2", "attention_decode on cuda-sm90 for nkv 1..1920".
std::string row_name(const std::string& device_key, const Scope& scope, const std::string& op);

// The map with the row of (device key, op, scope's range) replaced by `variant`, marked `by`.
// Error(kUsage) when the map has no such row.
ServiceMap with_landed(const ServiceMap& map, const std::string& device_key, const Scope& scope,
                       const std::string& op, const std::string& variant, const std::string& by);

}  // namespace assay
