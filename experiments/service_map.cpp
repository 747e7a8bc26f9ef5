// Problem: one file says what runs, a LAND rewrites one row of it, and people merge it with git. So
// a fault in it must be found at its place, and a rewrite must touch nothing else.
//
// Method: strict reading as for definitions; rows of an op tile [1, end] in order, so that
// selection can never find none or two; one canonical text (devices and ops sorted, one row per
// line), so that a row's change is a one-line diff. Rejected: patching the text in place (comments
// survive, but two writers of one format), and ranges that fall through to a default row (a
// misplaced bound would pass silently).
#include "experiments/service_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "engine/core/cpu.h"
#include "engine/core/error.h"
#include "experiments/slug.h"
#include "experiments/variant_reference.h"
#include "experiments/yaml_map.h"
#include "experiments/yaml_source.h"

namespace assay {
namespace {

using Kind = YamlValue::Kind;

constexpr std::size_t kVariantBytes = 200;
constexpr int kEnd = std::numeric_limits<int>::max();
constexpr std::array<std::string_view, 2> kMapKeys{"version", "devices"};
constexpr std::array<std::string_view, 3> kRowKeys{"when", "variant", "by"};
constexpr std::array<std::string_view, 2> kWhenKeys{"nkv", "t"};

constexpr std::string_view kHeading =
    "# Which variant serves which problem on which device; what a device lacks comes from the "
    "older\n"
    "# keys of its family. A LAND rewrites one row in this form, and comments are not kept.\n"
    "version: 1\n";

std::string range_text(const ServiceRow& row) {
  return row.high == kEnd ? fmt::format("{}..", row.low) : fmt::format("{}..{}", row.low, row.high);
}

enum class Names { kKnown, kAny };

MapRow read_row(const YamlSource& source, const YamlValue& value, std::string_view op,
                std::string_view device, Names names) {
  const YamlMap map(source, value, "a row", kRowKeys);
  MapRow row;
  const YamlValue& variant = map.need("variant");
  row.row.variant = names == Names::kKnown
                        ? std::string(read_variant(source, variant, op, device).id)
                        : read_line(source, variant, "variant", kVariantBytes);
  row.by = read_slug(source, map.need("by"), "by");  // "incumbent" has a slug's form, too
  const YamlValue* when = map.find("when");
  if (when == nullptr) return row;
  const YamlMap ranges(source, *when, "`when`", kWhenKeys);
  for (const std::string_view key : kWhenKeys) {
    const YamlValue* range = ranges.find(key);
    if (range == nullptr) continue;
    if (!row.row.key.empty()) {
      source.fail(ranges.key(key), "`when` names one range: nkv or t, not both");
    }
    const WholeRange whole = read_range(source, *range, key);
    row.row.key = key;
    row.row.low = whole.low;
    row.row.high = whole.high;
  }
  return row;
}

// `row` must go on where `before` ends.
void check_joint(const YamlSource& source, const YamlValue& at, const ServiceRow& before,
                 const ServiceRow& row) {
  if (before.key.empty() || row.key.empty()) {
    source.fail(at, "a row without `when` serves everything, so it must be the op's only one");
  }
  if (row.key != before.key) {
    source.fail(at, fmt::format("rows of one op split one range; this one splits `{}`, the one "
                                "before it `{}`",
                                row.key, before.key));
  }
  if (before.high == kEnd || row.low <= before.high) {
    source.fail(at, fmt::format("{} {} overlaps the row before it, {}", row.key, range_text(row),
                                range_text(before)));
  }
  if (row.low != before.high + 1) {
    source.fail(at,
                fmt::format("gap: no row serves {} {}..{}", row.key, before.high + 1, row.low - 1));
  }
}

std::vector<MapRow> read_rows(const YamlSource& source, const YamlValue& value, std::string_view op,
                              std::string_view device, Names names) {
  require_kind(source, value, Kind::kList, op);
  if (value.items.empty()) source.fail(value, fmt::format("`{}` has no rows", op));
  std::vector<MapRow> rows;
  for (const YamlValue& item : value.items) {
    MapRow row = read_row(source, item, op, device, names);
    if (!rows.empty()) check_joint(source, item, rows.back().row, row.row);
    if (rows.empty() && row.row.low != 1) {
      source.fail(item, fmt::format("gap: no row serves {} 1..{}", row.row.key, row.row.low - 1));
    }
    rows.push_back(std::move(row));
  }
  const ServiceRow& last = rows.back().row;
  if (last.high != kEnd) {
    source.fail(value.items.back(), fmt::format("gap: no row serves {} {}..; the last row has no "
                                                "upper end",
                                                last.key, last.high + 1));
  }
  return rows;
}

std::string row_text(const MapRow& row) {
  const std::string when =
      row.row.key.empty() ? ""
                          : fmt::format("when: {{{}: \"{}\"}}, ", row.row.key, range_text(row.row));
  return fmt::format("{{{}variant: \"{}\", by: {}}}", when, row.row.variant, row.by);
}

bool is_scoped(const ServiceRow& row, const Scope& scope) {
  if (scope.when_key.empty()) return row.key.empty();
  return row.key == scope.when_key && row.low == scope.when_low && row.high == scope.when_high;
}

ServiceMap parse_map(const std::string& text, const std::string& file_name, Names names) {
  const YamlSource source(text, file_name);
  const YamlMap root(source, source.root(), "a service map", kMapKeys);
  read_whole(source, root.need("version"), "version", 1, 1);
  const YamlValue& devices = root.need("devices");
  require_kind(source, devices, Kind::kMap, "devices");
  refuse_duplicates(source, devices);
  ServiceMap map;
  for (const auto& [device, ops] : devices.entries) {
    const std::string key = read_device_key(source, device, "devices");
    require_kind(source, ops, Kind::kMap, key);
    refuse_duplicates(source, ops);
    auto& served = map.devices[key];
    for (const auto& [op, rows] : ops.entries) {
      if (names == Names::kKnown) read_op(source, op);
      served.emplace(op.text, read_rows(source, rows, op.text, key, names));
    }
  }
  return map;
}

}  // namespace

ServiceMap parse_service_map(const std::string& text, const std::string& file_name) {
  return parse_map(text, file_name, Names::kKnown);
}

ServiceMap parse_past_service_map(const std::string& text, const std::string& file_name) {
  return parse_map(text, file_name, Names::kAny);
}

ServiceMap read_service_map(const std::string& path) {
  return parse_service_map(read_yaml_text(path), path);
}

std::string emit(const ServiceMap& map) {
  std::string text(kHeading);
  text += map.devices.empty() ? "devices: {}\n" : "devices:\n";
  for (const auto& [device, ops] : map.devices) {
    text += fmt::format("  {}:{}\n", device, ops.empty() ? " {}" : "");
    for (const auto& [op, rows] : ops) {
      if (rows.size() == 1) {
        text += fmt::format("    {}: [{}]\n", op, row_text(rows.front()));
        continue;
      }
      text += fmt::format("    {}:\n", op);
      for (const MapRow& row : rows) text += fmt::format("      - {}\n", row_text(row));
    }
  }
  return text;
}

std::map<std::string, ResolvedOp> resolve(const ServiceMap& map, const std::string& device_key) {
  std::map<std::string, ResolvedOp> resolved;
  for (const std::string& key : fallback_keys(device_key)) {
    const auto device = map.devices.find(key);
    if (device == map.devices.end()) continue;
    for (const auto& [op, rows] : device->second) {
      const auto [entry, fresh] = resolved.try_emplace(op);
      if (!fresh) continue;
      entry->second.from_key = key;
      for (const MapRow& row : rows) entry->second.rows.push_back(row.row);
    }
  }
  return resolved;
}

ServiceSelection selection(const std::map<std::string, ResolvedOp>& resolved) {
  ServiceSelection selected;
  for (const auto& [op, rows] : resolved) selected.emplace(op, rows.rows);
  return selected;
}

const MapRow* find_row(const ServiceMap& map, const std::string& device_key, const Scope& scope,
                       const std::string& op) {
  const auto device = map.devices.find(device_key);
  if (device == map.devices.end()) return nullptr;
  const auto rows = device->second.find(op);
  if (rows == device->second.end()) return nullptr;
  for (const MapRow& row : rows->second) {
    if (is_scoped(row.row, scope)) return &row;
  }
  return nullptr;
}

std::string row_name(const std::string& device_key, const Scope& scope, const std::string& op) {
  if (scope.when_key.empty()) return fmt::format("{} on {}", op, device_key);
  return fmt::format("{} on {} for {} {}", op, device_key, scope.when_key,
                     range_text({scope.when_key, scope.when_low, scope.when_high, ""}));
}

ServiceMap with_landed(const ServiceMap& map, const std::string& device_key, const Scope& scope,
                       const std::string& op, const std::string& variant, const std::string& by) {
  if (find_row(map, device_key, scope, op) == nullptr) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("the service map has no row for {}: a LAND changes a row that exists, so "
                    "write the first one by hand, or name an existing range in `scope.when`",
                    row_name(device_key, scope, op)));
  }
  ServiceMap landed = map;
  for (MapRow& row : landed.devices.at(device_key).at(op)) {
    if (!is_scoped(row.row, scope)) continue;
    row.row.variant = variant;
    row.by = by;
  }
  return landed;
}

}  // namespace assay
