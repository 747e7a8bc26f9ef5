// The service map of one model, checked against what a backend can launch before anything runs.
//
// A map that is wrong must fail at load, with the op and the row named, and never half way through
// a prompt: an op that the model needs but the map lacks, a variant that is unknown, belongs to
// another op, is not built into this program or needs another device, and rows that leave a length
// without a variant are each an Error here. Nothing falls back to another variant.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/device.h"
#include "kernels/selection.h"
#include "kernels/variant.h"

namespace assay {

// What a backend can launch: variants that this device offers and this program has.
struct LaunchableHere {
  DeviceLevel device;
  bool (*is_built)(std::string_view id);
};

struct ServedOp {
  std::string op;
  std::vector<ServiceRow> rows;
  std::vector<const VariantInfo*> infos;  // of the row with the same index
  // The row that serves the problem. Error(kUsage) when none does.
  std::size_t select(const Problem& problem) const;
};

class ServiceTable {
 public:
  // `needed`: ops of the graph; ops of the map that it does not need are checked, too, and kept
  // out. `context` and `max_rows` bound the lengths that rows must cover. Error(kUsage) for a wrong
  // map, Error(kEnvironment) for a variant that this program or this device cannot run.
  ServiceTable(const ServiceSelection& service, std::span<const std::string> needed, int context,
               int max_rows, const LaunchableHere& here);
  const ServedOp& at(const std::string& op) const { return ops_.at(op); }

 private:
  std::map<std::string, ServedOp> ops_;
};

// The variant of an id that is named for `op`, if it can be launched here; otherwise the errors of
// ServiceTable, which begin with `where`.
const VariantInfo& runnable_variant(const std::string& where, const std::string& op,
                                    const std::string& id, const LaunchableHere& here);

}  // namespace assay
