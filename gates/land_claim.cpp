// The claim is read from three places that must agree: the frozen definition (what may be asked),
// the attempt (what was tried, against what) and the intent (what the map became). A map of an
// older day may name variants that this program has no more, so the intent's is read without asking
// whether it knows them.
#include "gates/land_claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "experiments/levers.h"

namespace assay {
namespace {

constexpr const char* kSettled = "settled by hand: ";
constexpr const char* kKept = " kept as it is";

[[noreturn]] void refuse(const ExperimentView& view, const std::string& what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: its LAND {}", view.slug, what));
}

bool is_of(const std::string& variant, const std::string& op) {
  return variant.size() > op.size() && variant.starts_with(op) && variant[op.size()] == '.';
}

std::string ops_of(const Definition& definition) {
  std::string ops;
  for (const auto& [op, variant] : definition.candidate) ops += (ops.empty() ? "" : ", ") + op;
  return ops;
}

// The attempt's candidate is the definition's, or another point of the same lever.
void check_candidate(const ExperimentView& view, const AttemptOpened& attempt,
                     const Definition& definition) {
  const Lever& lever = *find_lever(definition.lever);
  for (const auto& [op, variant] : attempt.candidate) {
    if (!definition.candidate.contains(op)) {
      refuse(view, fmt::format("serves {} with {}, and its definition asks for {} (lever {})", op,
                               variant, ops_of(definition), lever.name));
    }
    const bool point =
        op != lever.op || std::count(lever.variants.begin(), lever.variants.end(), variant) > 0;
    if (!point || !is_of(variant, op)) {
      refuse(view, fmt::format("serves {} with {}, which is no point of its lever {}", op, variant,
                               lever.name));
    }
  }
  for (const auto& [op, variant] : definition.candidate) {
    if (attempt.candidate.contains(op)) continue;
    refuse(view, fmt::format("leaves out {}, for which its definition asks", op));
  }
}

// The variant that served when the attempt was opened: of the two of this op whose code it names,
// the other; "" where there is none, or more than one.
std::string incumbent_of(const AttemptOpened& attempt, const std::string& op,
                         const std::string& candidate) {
  std::string incumbent;
  for (const auto& [id, code_hash] : attempt.code_hashes) {
    if (id == candidate || !is_of(id, op)) continue;
    if (!incumbent.empty()) return "";
    incumbent = id;
  }
  return incumbent;
}

// The one device key whose row of `op` the LAND changed; "" where that cannot be said.
std::string changed_key(const ServiceMap& landed, const ExperimentView& view, const Scope& scope,
                        const std::string& op, const std::string& candidate) {
  std::string changed;
  for (const auto& [key, ops] : landed.devices) {
    if (!scope.device.empty() && key != scope.device) continue;
    const MapRow* row = find_row(landed, key, scope, op);
    if (!is_as_landed(row, {key, op, "", candidate}, view.slug)) continue;
    if (!changed.empty()) return "";
    changed = key;
  }
  return changed;
}

}  // namespace

bool has_landed(const ExperimentView& view) {
  const AttemptView* judged = view.judged();
  return judged != nullptr && judged->verdict->verdict == "LAND";
}

LandClaim land_claim(const ExperimentView& view) {
  const AttemptView& attempt = *view.judged();
  const std::vector<Intent>& intents = attempt.verdict->intents;
  if (intents.size() != 1) {
    refuse(view, fmt::format("names {} changes of a map, and a LAND is one", intents.size()));
  }
  const Definition definition =
      parse_definition(view.proposal.definition, view.slug + ".yaml, as frozen");
  LandClaim claim{view.slug, attempt.verdict_at, intents.front().path, definition.scope, {}};
  if (claim.path != "experiments/" + definition.service) {
    refuse(view,
           fmt::format("changed {}, and its definition names {}", claim.path, definition.service));
  }
  check_candidate(view, attempt.opened, definition);
  const ServiceMap landed =
      parse_past_service_map(intents.front().after_text, view.slug + ", as landed");
  for (const auto& [op, candidate] : attempt.opened.candidate) {
    const std::string key = changed_key(landed, view, claim.scope, op, candidate);
    const std::string incumbent = incumbent_of(attempt.opened, op, candidate);
    if (key.empty() || incumbent.empty()) {
      refuse(view,
             fmt::format("does not say which row of {} it changed, or what served before", op));
    }
    claim.rows.push_back({key, op, incumbent, candidate});
  }
  return claim;
}

bool is_as_landed(const MapRow* here, const LandClaim::Row& row, const std::string& slug) {
  return here != nullptr && here->row.variant == row.candidate && here->by == slug;
}

ServiceMap with_claim(const ServiceMap& map, const LandClaim& claim) {
  ServiceMap after = map;
  for (const LandClaim::Row& row : claim.rows) {
    after = with_landed(after, row.device_key, claim.scope, row.op, row.candidate, claim.slug);
  }
  return after;
}

std::optional<Settlement> last_settlement(const ExperimentView& view) {
  const AttemptView* judged = view.judged();
  if (judged == nullptr) return std::nullopt;
  for (auto run = view.runs.rbegin(); run != view.runs.rend(); ++run) {
    const bool may = run->run == judged->verdict_run || run->command == "apply";
    if (!may || !run->ended || !run->ended->message.starts_with(kSettled)) continue;
    return Settlement{run->run, run->ended_at, run->ended->message.ends_with(kKept)};
  }
  return std::nullopt;
}

std::string settlement_message(const std::string& path, bool kept) {
  return kept ? kSettled + path + kKept : kSettled + ("the landed row put into " + path);
}

}  // namespace assay
