#include "gates/statistics/plan.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/core/error.h"
#include "gates/statistics/spending.h"

namespace assay {
namespace {

constexpr double kLookFractions[] = {0.5, 0.75, 1};

}  // namespace

AbPlan make_plan(double bar, int pairs_max, double guard_margin, int arms) {
  static const std::vector<Boundary> bounds = boundaries(kAttemptAlpha, kLookFractions);
  AbPlan plan;
  plan.arms = arms;
  plan.bar = bar;
  plan.pairs_max = pairs_max;
  plan.guard_margin = guard_margin;
  plan.confirmation_pairs = pairs_max / 2;
  plan.drop_rule = "none";
  plan.environment_changes = kEnvironmentChanges;
  for (int quarter = 2; quarter <= 4; ++quarter) {
    plan.looks.push_back(
        {pairs_max / 4 * quarter, bounds[static_cast<std::size_t>(quarter - 2)].p});
  }
  check_plan(plan);
  return plan;
}

void check_plan(const AbPlan& plan) {
  if (plan.version != 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("A/B plan: version {}; this program knows version 1", plan.version));
  }
  if (plan.arms != 2 && plan.arms != 3) {
    throw Error(ErrorKind::kUsage, fmt::format("A/B plan: {} arms; give 2 or 3", plan.arms));
  }
  if (plan.pairs_max < 8 || plan.pairs_max > 96 || plan.pairs_max % 4 != 0) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("A/B plan: {} pairs; give a multiple of 4 from 8 to 96", plan.pairs_max));
  }
  const auto is_share = [](double value) { return value >= 0 && value < 1; };
  if (!is_share(plan.bar) || !is_share(plan.guard_margin)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("A/B plan: bar {} and guard margin {} must lie in [0, 1)", plan.bar,
                            plan.guard_margin));
  }
  if (plan.confirmation_pairs < 2) {
    throw Error(ErrorKind::kUsage,
                fmt::format("A/B plan: {} confirmation pairs; at least 2 are needed",
                            plan.confirmation_pairs));
  }
  if (plan.environment_changes && *plan.environment_changes < 0) {
    throw Error(ErrorKind::kUsage, fmt::format("A/B plan: {} changes of the environment; give 0 "
                                               "or more",
                                               *plan.environment_changes));
  }
  int last = 1;
  for (const LookRule& look : plan.looks) {
    if (look.pairs <= last || look.p <= 0 || look.p >= 0.5) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("A/B plan: look at {} pairs with p {} (looks rise, p in (0, 0.5))",
                              look.pairs, look.p));
    }
    last = look.pairs;
  }
  if (plan.looks.empty() || last != plan.pairs_max) {
    throw Error(ErrorKind::kUsage,
                fmt::format("A/B plan: the last look must be at {} pairs", plan.pairs_max));
  }
}

void to_json(nlohmann::json& json, const GuardPlan& guard) {
  json = {{"workload", guard.workload}, {"aa", guard.aa}};
  if (!guard.chain.empty()) json["chain"] = guard.chain;
}

void from_json(const nlohmann::json& json, GuardPlan& guard) {
  guard.workload = json.at("workload");
  json.at("aa").get_to(guard.aa);
  guard.chain = json.value("chain", std::vector<GuardEffect>());
}

void to_json(nlohmann::json& json, const AbPlan& plan) {
  json = {{"version", plan.version},
          {"arms", plan.arms},
          {"bar", plan.bar},
          {"pairs_max", plan.pairs_max},
          {"looks", plan.looks},
          {"confirmation_pairs", plan.confirmation_pairs},
          {"guard_margin", plan.guard_margin},
          {"segment_s", plan.segment_s},
          {"drop_rule", plan.drop_rule},
          {"drop_limit", plan.drop_limit},
          {"workload", plan.workload},
          {"aa", plan.aa},
          {"guards", plan.guards}};
  if (plan.environment_changes) json["environment_changes"] = *plan.environment_changes;
}

void from_json(const nlohmann::json& json, AbPlan& plan) {
  plan.arms = json.value("arms", 2);
  json.at("version").get_to(plan.version);
  json.at("bar").get_to(plan.bar);
  json.at("pairs_max").get_to(plan.pairs_max);
  json.at("looks").get_to(plan.looks);
  json.at("confirmation_pairs").get_to(plan.confirmation_pairs);
  json.at("guard_margin").get_to(plan.guard_margin);
  json.at("segment_s").get_to(plan.segment_s);
  json.at("drop_rule").get_to(plan.drop_rule);
  json.at("drop_limit").get_to(plan.drop_limit);
  plan.workload = json.at("workload");
  json.at("aa").get_to(plan.aa);
  json.at("guards").get_to(plan.guards);
  plan.environment_changes.reset();
  if (json.contains("environment_changes")) {
    plan.environment_changes = json.at("environment_changes").get<int>();
  }
}

double smallest_guard_margin(double pair_sd, int pairs_max) {
  return 5 * pair_sd / std::sqrt(pairs_max);
}

}  // namespace assay
