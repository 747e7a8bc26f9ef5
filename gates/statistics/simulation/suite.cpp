#include "gates/statistics/simulation/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>

#include "gates/statistics/simulation/adversary.h"
#include "gates/statistics/simulation/amplitudes.h"
#include "gates/statistics/simulation/experiment.h"
#include "gates/statistics/simulation/rates.h"
#include "gates/statistics/simulation/seeds.h"
#include "gates/statistics/simulation/tally.h"
#include "gates/statistics/simulation/weak_designs.h"
#include "gates/statistics/student_t.h"

namespace assay::simulation {
namespace {

constexpr double kBar = 0.003;
constexpr int kPairsMax = 16;
// Of an attempt: 0.0125 are spent; the rest is for what t tails at dependent looks add and for the
// error of 10,000 experiments.
constexpr double kAttemptLimit = 0.019;
constexpr double kExperimentLimit = 2 * kAttemptLimit;
constexpr double kWeakRate = 0.10;

Figure at_most(Figure figure, double limit) {
  figure.bound = Bound::kAtMost;
  figure.limit = limit;
  return figure;
}

Figure at_least(Figure figure, double limit) {
  figure.bound = Bound::kAtLeast;
  figure.limit = limit;
  return figure;
}

Figure above(Figure figure, double limit) {
  figure.bound = Bound::kAbove;
  figure.limit = limit;
  return figure;
}

AbPlan same(AbPlan plan) {
  return plan;
}

// A t statistic held against the z boundary: as if each p were the t tail of its z.
AbPlan z_for_t(AbPlan plan) {
  for (LookRule& look : plan.looks) {
    const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), look.p));
    look.p = t_upper_tail(z, look.pairs - 1);
  }
  return plan;
}

AbPlan no_spending(AbPlan plan) {
  for (LookRule& look : plan.looks) look.p = 0.0125;
  return plan;
}

AbPlan twice_alpha(AbPlan plan) {
  for (LookRule& look : plan.looks) look.p *= 2;
  return plan;
}

struct Mutant {
  std::string_view name;
  AbPlan (*change)(AbPlan plan);
  bool offset;  // runs differ, and no history is used
};

}  // namespace

Table false_land_section(const SuiteOptions& options) {
  Table table{fmt::format("False LAND per attempt (bar {} %, n_max {})", 100 * kBar, kPairsMax),
              "Share of experiments that reach the confirmation, at an effect equal to the bar "
              "and at 0; \"confirmed\": that land, at the bar. With a history of K runs, every run "
              "keeps an offset between the arms whose sd is the scenario's pair sd.",
              "scenario",
              {"off: at bar", "off: at 0", "off: confirmed", "K 6: at bar", "K 6: at 0",
               "K 6: confirmed", "K 20: at bar", "K 20: at 0", "K 20: confirmed"},
              {}};
  const AbPlan plan = make_plan(kBar, kPairsMax, kBar);
  for (const Scenario& scenario : chosen_scenarios(options)) {
    const double offset = pair_sd_of(scenario, kPairsMax) * kDayOffset;
    Row row{std::string(scenario.name), {}};
    for (const int aa_runs : {0, 6, 20}) {
      const std::string cell = fmt::format("{}/K {}", scenario.name, aa_runs);
      Setting setting{.scenario = scenario,
                      .effect = kBar,
                      .aa_runs = aa_runs,
                      .offset_sd = aa_runs > 0 ? offset : 0};
      const AbRates at_bar = ab_rates(setting, plan, {kRatesSeed, cell, options.experiments});
      setting.effect = 0;
      const AbRates at_zero = ab_rates(setting, plan, {kRatesSeed, cell, options.experiments});
      row.figures.push_back(at_most(at_bar.eligible, kAttemptLimit));
      row.figures.push_back(at_zero.eligible);
      row.figures.push_back(at_bar.landed);
    }
    table.rows.push_back(row);
  }
  return table;
}

Table mutants_section(const SuiteOptions& options) {
  Table table{
      "Mutants of the procedure",
      fmt::format("False LAND at the bar ({} %), scenario normal, history off, before "
                  "confirmation; \"t alone\": without the second opinion. A mutant must exceed the "
                  "limit; at n_max 12 the second opinion hides two, so those are shown.",
                  100 * kBar),
      "procedure",
      {"n_max 12, t alone", "n_max 12", "n_max 16, t alone", "n_max 16"},
      {}};
  const Mutant mutants[] = {
      {"as it is", same, false},
      {"z boundaries on t statistics", z_for_t, false},
      {"no spending: 0.0125 at each look", no_spending, false},
      {"alpha 0.025 per attempt: each p doubled", twice_alpha, false},
      {"runs differ by a pair sd, history ignored", same, true},
  };
  const Scenario& normal = scenario_named("normal");
  for (const Mutant& mutant : mutants) {
    Row row{std::string(mutant.name), {}};
    for (const int pairs_max : {12, 16}) {
      const AbPlan plan = mutant.change(make_plan(kBar, pairs_max, kBar));
      const Setting setting{.scenario = normal,
                            .effect = kBar,
                            .offset_sd = mutant.offset ? pair_sd_of(normal, pairs_max) : 0};
      const std::string cell = fmt::format("n_max {}", pairs_max);
      const AbRates rates = ab_rates(setting, plan, {kMutantsSeed, cell, options.experiments});
      if (&mutant == &mutants[0]) {
        row.figures.push_back(at_most(rates.t_crossed, kAttemptLimit));
        row.figures.push_back(at_most(rates.eligible, kAttemptLimit));
        continue;
      }
      row.figures.push_back(above(rates.t_crossed, kAttemptLimit));
      row.figures.push_back(pairs_max < kPairsMax ? rates.eligible
                                                  : above(rates.eligible, kAttemptLimit));
    }
    table.rows.push_back(row);
  }
  return table;
}

Table power_section(const SuiteOptions& options) {
  Table table{
      fmt::format("LAND of what is worth having (bar {} %, n_max {}, K 20)", 100 * kBar, kPairsMax),
      "Share of experiments that reach the confirmation and that land, at effects above "
      "the bar. Pair sd: of the scenario, in %.",
      "scenario (pair sd)",
      {"bar + 0.3 %", "confirmed", "bar + 3 %", "confirmed "},
      {}};
  const AbPlan plan = make_plan(kBar, kPairsMax, kBar);
  const auto is_one_of = [](std::string_view name, std::vector<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const Scenario& scenario : chosen_scenarios(options)) {
    Row row{fmt::format("{} ({:.2f})", scenario.name, 100 * pair_sd_of(scenario, kPairsMax)), {}};
    Setting setting{.scenario = scenario, .effect = kBar + 0.003, .aa_runs = 20};
    const CellSeed seed{kPowerSeed, std::string(scenario.name), options.experiments};
    const AbRates little = ab_rates(setting, plan, seed);
    setting.effect = kBar + 0.03;
    const AbRates much = ab_rates(setting, plan, seed);
    const bool is_quiet = is_one_of(scenario.name, {"normal", "drift", "slot"});
    const bool is_rough = is_one_of(scenario.name, {"spikes", "all"});
    row.figures = {is_quiet ? at_least(little.eligible, 0.9) : little.eligible, little.landed,
                   is_rough ? at_least(much.eligible, 0.8) : much.eligible, much.landed};
    table.rows.push_back(row);
  }
  return table;
}

Table resolution_section(const SuiteOptions& options) {
  Table table{"What a plan resolves (normal noise)",
              "LAND rates at the effects that the design names: f pair sd / sqrt(n_max) over the "
              "bar, meant to land in 0.8 of runs, and 0.2 % over the bar at two pair sds.",
              "effect",
              {"looks", "confirmed"},
              {}};
  struct Case {
    const char* name;
    double bar, pair_sd, over;
    int pairs_max, aa_runs;
  };
  constexpr double kSd = 0.0021;
  constexpr double kRoot = 4;  // of 16 pairs
  const Case cases[] = {
      {"f 4.3, bar 0.3 %, K 6", kBar, kSd, 4.3 * kSd / kRoot, 16, 6},
      {"f 3.8, bar 0.3 %, K 20", kBar, kSd, 3.8 * kSd / kRoot, 16, 20},
      {"f 4.9, bar 0, K 6", 0, kSd, 4.9 * kSd / kRoot, 16, 6},
      {"f 4.6, bar 0, K 20", 0, kSd, 4.6 * kSd / kRoot, 16, 20},
      {"bar + 0.2 %, pair sd 0.64 %, n_max 12, K 20", kBar, 0.0064, 0.002, 12, 20},
      {"bar + 0.2 %, pair sd 0.14 %, n_max 12, K 20", kBar, 0.0014, 0.002, 12, 20},
  };
  for (const Case& one : cases) {
    const Setting setting{.scenario = normal_noise(one.pair_sd),
                          .effect = one.bar + one.over,
                          .aa_runs = one.aa_runs};
    const AbRates rates = ab_rates(setting, make_plan(one.bar, one.pairs_max, one.bar),
                                   {kPowerSeed, one.name, options.experiments});
    table.rows.push_back({one.name, {rates.eligible, rates.landed}});
  }
  return table;
}

Table two_cores_section(const SuiteOptions& options) {
  Table table{"Two noisy cores (bar 5 %, pair sd 2 %, n_max 16, six A/A runs of 8 pairs)",
              "What the whole procedure says, confirmation included.",
              "true effect",
              {"LAND", "no-gain", "slower"},
              {}};
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  for (const int percent : {10, 0, -10}) {
    const Setting setting{
        .scenario = normal_noise(0.02), .effect = percent / 100.0, .aa_runs = 6, .aa_pairs = 8};
    const std::string name = fmt::format("{:+d} %", percent);
    const AbRates rates = ab_rates(setting, plan, {kPowerSeed, name, options.experiments});
    Row row{name, {rates.landed, rates.no_gain, rates.slower}};
    const std::size_t right = percent > 0 ? 0 : percent == 0 ? 1 : 2;
    row.figures[right] = at_least(*row.figures[right], 0.98);
    if (right != 0) row.figures[0] = at_most(rates.landed, 0.0005);
    table.rows.push_back(row);
  }
  return table;
}

Table designs_section(const SuiteOptions& options) {
  Table table{"Weak designs (bar 0, effect 0, 16 values)",
              "Share of levers worth nothing that would land, before any confirmation. Where a "
              "design is weak by nature it must be seen to be.",
              "scenario",
              {},
              {}};
  for (const WeakDesign& design : weak_designs()) table.columns.emplace_back(design.name);
  for (const Scenario& scenario : chosen_scenarios(options)) {
    Row row{std::string(scenario.name), {}};
    for (const WeakDesign& design : weak_designs()) {
      const CellSeed seed{kDesignsSeed, fmt::format("{}/{}", design.name, scenario.name),
                          options.experiments};
      const Figure rate =
          rate_of(seed, [&](Random& random) { return design.lands(scenario, kPairsMax, random); });
      const bool is_weak =
          std::any_of(design.weak_in.begin(), design.weak_in.end(),
                      [&](std::string_view name) { return name.empty() || name == scenario.name; });
      row.figures.push_back(is_weak ? above(rate, kWeakRate) : rate);
    }
    table.rows.push_back(row);
  }
  return table;
}

Table adversaries_section(const SuiteOptions& options) {
  Table table{fmt::format("Adversaries (bar {} %, n_max {}, history off)", 100 * kBar, kPairsMax),
              "Share of levers worth exactly the bar that reach the confirmation, per attempt; of "
              "those who use both attempts, per experiment.",
              "adversary",
              {},
              {}};
  const AbPlan plan = make_plan(kBar, kPairsMax, kBar);
  std::vector<Scenario> met;
  for (const Scenario& scenario : chosen_scenarios(options)) {
    for (const char* name : {"normal", "ramp", "AR(1)", "all"}) {
      if (scenario.name == name) met.push_back(scenario);
    }
  }
  for (const Scenario& scenario : met) table.columns.emplace_back(scenario.name);
  for (const Adversary& adversary : adversaries()) {
    Row row{std::string(adversary.name), {}};
    for (const Scenario& scenario : met) {
      // Peeking must not change a single experiment, so who keeps to the rules shares the numbers.
      const Figure rate =
          rate_of({kAdversariesSeed, std::string(scenario.name), options.experiments},
                  [&](Random& random) { return adversary.lands(scenario, plan, random); });
      const double limit = adversary.attempts == 2 ? kExperimentLimit : kAttemptLimit;
      const bool must_gain = adversary.kind == AdversaryKind::kBreaker && scenario.name == "normal";
      row.figures.push_back(adversary.kind == AdversaryKind::kWithin ? at_most(rate, limit)
                            : must_gain                              ? above(rate, limit)
                                                                     : rate);
    }
    table.rows.push_back(row);
  }
  return table;
}

std::vector<Table> run_suite(const SuiteOptions& options) {
  std::vector<Table> tables = {false_land_section(options), mutants_section(options),
                               power_section(options),      resolution_section(options),
                               two_cores_section(options),  designs_section(options),
                               adversaries_section(options)};
  for (Table& table : rules_sections(options)) tables.push_back(std::move(table));
  return tables;
}

}  // namespace assay::simulation
