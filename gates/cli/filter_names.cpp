#include "gates/cli/filter_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/lower.h"
#include "experiments/levers.h"
#include "experiments/nearest_name.h"

namespace assay {
namespace {

using Names = std::set<std::string>;

// "a, b or c"
std::string listed(const Names& names) {
  std::string out;
  std::size_t left = names.size();
  for (const std::string& name : names) {
    out += name;
    --left;
    if (left > 0) out += left == 1 ? " or " : ", ";
  }
  return out;
}

// `option` as far as it was right: "--op ", "--gate identity=".
[[noreturn]] void unknown(const std::string& option, const std::string& typed,
                          const std::string& what, const Names& names,
                          const std::string& else_text) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw Error(ErrorKind::kUsage, fmt::format("query: {}{}: {}{}", option, typed, what,
                                             suggestion(typed, views, else_text)));
}

// One of a fixed list, in upper or lower case; empty is no filter.
void check_choice(const std::string& option, const std::string& typed, const Names& names) {
  const bool known =
      typed.empty() || std::any_of(names.begin(), names.end(),
                                   [&](const auto& name) { return lower(name) == lower(typed); });
  if (!known) unknown(option + " ", typed, "there is none such", names, "give " + listed(names));
}

void check_name(const std::string& option, const std::string& typed, const std::string& what,
                const Names& names, const std::string& else_text) {
  if (typed.empty() || names.contains(typed)) return;
  unknown(option + " ", typed, what, names, else_text);
}

// "identity" or "identity=green".
void check_gate(const std::string& asked, const HistoryNames& history) {
  if (asked.empty()) return;
  Names gates = history.gates;
  gates.insert({"preflight", "baseline", "identity", "parity", "margin", "ab"});
  Names outcomes = history.outcomes;
  outcomes.insert({"green", "red", "invalid", "error", "skipped", "no-power"});
  const std::size_t at = asked.find('=');
  const std::string gate = asked.substr(0, at);
  if (!gates.contains(gate)) {
    unknown("--gate ", gate, "no such gate", gates, "the gates are " + listed(gates));
  }
  if (at == std::string::npos) return;
  const std::string outcome = asked.substr(at + 1);
  if (!outcomes.contains(outcome)) {
    unknown("--gate " + gate + "=", outcome, "no such outcome", outcomes,
            "the outcomes are " + listed(outcomes));
  }
}

// The filter is a part of a name: of a model, of a device.
void check_part(const std::string& option, const std::string& part, const std::string& what,
                const Names& names) {
  const bool known =
      part.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return lower(name).find(lower(part)) != std::string::npos;
      });
  if (known) return;
  unknown(option + " ", part, what, names,
          names.empty() ? "there is none yet" : "those used are " + listed(names));
}

}  // namespace

void check_fixed_filters(const QueryFilter& filter) {
  check_choice("--verdict", filter.verdict, {"LAND", "REVERT"});
  check_choice(
      "--state", filter.state,
      {"proposed", "open", "landed", "reverted", "closed", "measured", "unreached", "historical"});
  if (!filter.since.empty()) check_since(filter.since);
}

void check_filter_names(const QueryFilter& filter, const Catalog& catalog) {
  if (filter.lever.empty() && filter.op.empty() && filter.gate.empty() && filter.model.empty() &&
      filter.gpu.empty()) {
    return;
  }
  HistoryNames known = catalog.names();
  for (const Lever& lever : levers()) known.levers.insert(lever.name);
  for (const OpVariants& op : all_ops()) known.ops.insert(std::string(op.op.op));
  check_name("--lever", filter.lever, "no lever of the kernels, and none on record", known.levers,
             "`assay levers` lists them");
  check_name("--op", filter.op, "no op of the kernels, and none on record", known.ops,
             "`assay levers` lists them");
  check_gate(filter.gate, known);
  known.models.insert("embedded");
  check_part("--model", filter.model, "no experiment on record uses such a model", known.models);
  check_part("--gpu", filter.gpu, "no attempt on record ran on such a device", known.gpus);
}

}  // namespace assay
