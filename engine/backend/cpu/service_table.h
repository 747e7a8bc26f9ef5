// The service map of one model, resolved to launch functions and checked before anything runs.
//
// A map that is wrong must fail at load, with the op and the row named, and never half way through
// a prompt: an op that the model needs but the map lacks, a variant that is unknown, belongs to
// another op, is not built into this program or needs another processor, and rows that leave a
// length without a variant are each an Error here. Nothing falls back to another variant.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/core/cpu.h"
#include "kernels/registry.h"
#include "kernels/selection.h"

namespace assay {

struct ServedOp {
  std::string op;
  std::vector<ServiceRow> rows;
  std::vector<const RegisteredVariant*> variants;  // of the row with the same index
  // The variant that serves the problem. Error(kUsage) when none does.
  const RegisteredVariant& select(const Problem& problem) const;
};

class ServiceTable {
 public:
  // `needed`: ops of the graph; ops of the map that it does not need are checked, too, and kept
  // out. `context` and `max_rows` bound the lengths that rows must cover. Error(kUsage) for a wrong
  // map, Error(kEnvironment) for a variant that this program or this processor cannot run.
  ServiceTable(const ServiceSelection& service, std::span<const std::string> needed, int context,
               int max_rows, CpuLevel level);
  const ServedOp& at(const std::string& op) const { return ops_.at(op); }

 private:
  std::map<std::string, ServedOp> ops_;
};

// The variant of an id that is named for `op`, if this program and a processor of `level` can run
// it; otherwise the errors of ServiceTable, which begin with `where`.
const RegisteredVariant& runnable_variant(const std::string& where, const std::string& op,
                                          const std::string& id, CpuLevel level);

}  // namespace assay
