#include "engine/backend/service_table.h"

#include <fmt/format.h>

#include "engine/core/error.h"

namespace assay {
namespace {

void check_keys(const ServedOp& served) {
  if (served.rows.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("service map: {} has no rows; name a variant for it", served.op));
  }
  for (const ServiceRow& row : served.rows) {
    if (row.key.empty() || row.key == "nkv" || row.key == "t") continue;
    throw Error(
        ErrorKind::kUsage,
        fmt::format("service map: {}: key '{}' is not known; known: '' (always), 'nkv', 't'",
                    served.op, row.key));
  }
}

void check_cover(const ServedOp& served, int context, int max_rows) {
  for (int nkv = 1; nkv <= context; ++nkv) served.select({.t = 1, .nkv = nkv});
  for (int t = 1; t <= max_rows; ++t) served.select({.t = t, .nkv = t});
}

}  // namespace

std::size_t ServedOp::select(const Problem& problem) const {
  const ServiceRow* row = select_row(rows, problem);
  if (row == nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("service map: no row of {} serves t={}, nkv={}; add one", op, problem.t,
                            problem.nkv));
  }
  return static_cast<std::size_t>(row - rows.data());
}

const VariantInfo& runnable_variant(const std::string& where, const std::string& op,
                                    const std::string& id, const LaunchableHere& here) {
  const VariantInfo* info = find_variant(id);
  if (info == nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no variant is called '{}'; `assay levers` lists them", where, id));
  }
  const std::string variant_op = id.substr(0, id.find('.'));
  if (variant_op != op) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: {} is a variant of {}, not of {}", where, id, variant_op, op));
  }
  if (!offers(here.device, info->needs)) {
    const bool cpu = here.device.backend == BackendKind::kCpu;
    throw Error(ErrorKind::kEnvironment,
                fmt::format("{}: {} needs {}, this {} offers {}", where, id, need_name(info->needs),
                            cpu ? "processor" : "GPU", device_key(here.device)));
  }
  if (!here.is_built(id)) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("{}: {} is known, but not built into this program", where, id));
  }
  return *info;
}

ServiceTable::ServiceTable(const ServiceSelection& service, std::span<const std::string> needed,
                           int context, int max_rows, const LaunchableHere& here) {
  std::map<std::string, ServedOp> all;
  for (const auto& [op, rows] : service) {
    ServedOp served{.op = op, .rows = rows, .infos = {}};
    check_keys(served);
    for (const ServiceRow& row : rows) {
      served.infos.push_back(&runnable_variant("service map: " + op, op, row.variant, here));
    }
    all.emplace(op, std::move(served));
  }
  for (const std::string& op : needed) {
    const auto found = all.find(op);
    if (found == all.end()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("service map: the model needs {}, for which the map has no row", op));
    }
    check_cover(found->second, context, max_rows);
    ops_.emplace(op, std::move(found->second));
  }
}

}  // namespace assay
