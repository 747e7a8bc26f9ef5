#include "gates/statistics/plan_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/core/error.h"
#include "engine/core/mix_stream.h"
#include "gates/statistics/choice_approximation.h"
#include "gates/statistics/exact_tests.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/student_t.h"

namespace assay {
namespace {

constexpr std::uint64_t kSeed = 20261130;
constexpr int kRuns = 1500;
constexpr double kPower = 0.8;
constexpr int kCountedPairs = 12;
constexpr double kConfirmationAlpha = 0.05;

class NormalNumbers {
 public:
  double operator()() {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - stream_.uniform()));
    return radius * std::cos(2 * std::numbers::pi * stream_.uniform());
  }

 private:
  MixStream stream_{kSeed};
};

// A stage's mean D and its error, with no effect in it.
struct Measured {
  double mean = 0, error = 0;
  bool by_history = false;
};

struct SimulatedRun {
  std::vector<double> a, b, c;  // three arms: the processes' mean ln times; else D in `b`, negated
  std::vector<Measured> looks;
  Measured confirmation;
};

// What is the same for every run at one number of pairs.
struct Rule {
  int pairs = 0;
  double exact_p = 0;               // what an exact test must reach
  int rare_rank = 0;                // W+ that does
  double t_own = 0, t_history = 0;  // quantile of the look's p at n - 1 and at K
};

struct Landing {
  bool crossed = false, landed = false;
  double look = 0, confirmation = 0;  // means of D, the effect in them
};

class PlanSimulation {
 public:
  PlanSimulation(const AbPlan& plan, double pair_sd, DrawnHistory drawn)
      : plan_(plan), pair_sd_(pair_sd), drawn_(drawn), over_(std::log1p(plan.bar)) {
    check_plan(plan);
    if (!(pair_sd > 0)) {
      throw Error(ErrorKind::kUsage, fmt::format("a plan is simulated with a pair sd above 0, not "
                                                 "{}",
                                                 pair_sd));
    }
    history_runs_ = static_cast<int>(plan.aa.size()) + drawn.runs;
    for (const LookRule& look : plan.looks) rules_.push_back(rule_of(look.pairs, look.p));
    confirmation_ = rule_of(plan.confirmation_pairs, kConfirmationAlpha);
    for (int i = 0; i < kRuns; ++i) runs_.push_back(draw());
  }

  const std::vector<SimulatedRun>& runs() const { return runs_; }

  // The run with an effect of `shift` on D in every pair.
  Landing at(const SimulatedRun& run, double shift) const {
    Landing landing;
    for (std::size_t k = 0; k < rules_.size() && !landing.crossed; ++k) {
      const double reach = reach_of(rules_[k], run.looks[k]);
      landing.look = run.looks[k].mean + shift;
      if (landing.look - over_ <= -reach) return landing;  // no-gain, and slower below it
      landing.crossed = landing.look - over_ >= reach && agreed(rules_[k], run, shift);
    }
    if (!landing.crossed) return landing;
    landing.confirmation = run.confirmation.mean + shift;
    const double lower = landing.confirmation - reach_of(confirmation_, run.confirmation);
    landing.landed = lower > 0 && landing.confirmation > over_;
    return landing;
  }

  double landing_share(double shift) const {
    const auto landed = std::count_if(
        runs_.begin(), runs_.end(), [&](const SimulatedRun& run) { return at(run, shift).landed; });
    return static_cast<double>(landed) / static_cast<double>(runs_.size());
  }

 private:
  Rule rule_of(int pairs, double p) const {
    Rule rule;
    rule.pairs = pairs;
    rule.exact_p = std::max(p, std::pow(plan_.arms, -pairs));
    if (plan_.arms == 2) rule.rare_rank = rare_signed_rank(pairs, rule.exact_p);
    rule.t_own = t_upper_quantile(p, pairs - 1);
    if (history_runs_ > 0) rule.t_history = t_upper_quantile(p, history_runs_);
    return rule;
  }

  static double reach_of(const Rule& rule, const Measured& measured) {
    return (measured.by_history ? rule.t_history : rule.t_own) * measured.error;
  }

  // D of one pair; three arms: its processes, too.
  double draw_pair(SimulatedRun& run) {
    if (plan_.arms == 2) {
      run.b.push_back(-pair_sd_ * normal_());
      return -run.b.back();
    }
    const double process_sd = pair_sd_ / std::sqrt(1.5);
    for (std::vector<double>* process : {&run.a, &run.b, &run.c}) {
      process->push_back(process_sd * normal_());
    }
    return (run.a.back() + run.c.back()) / 2 - run.b.back();
  }

  Measured measured(const std::vector<double>& values, std::size_t pairs, double squares,
                    int runs) const {
    const MeanEstimate own = estimate_mean(std::span(values).first(pairs), {});
    const double history = runs == 0 ? 0 : std::sqrt(squares / runs);
    const bool by_history = history > own.own_error;
    return {own.mean, by_history ? history : own.own_error, by_history};
  }

  // Sum of squared effects of the history at each of `sizes` pairs, ascending.
  std::vector<double> history_squares(const std::vector<int>& sizes) {
    std::vector<double> squares;
    for (const int size : sizes) {
      const double rms = aa_rms(plan_.aa, size);
      squares.push_back(rms * rms * static_cast<double>(plan_.aa.size()));
    }
    for (int run = 0; run < drawn_.runs; ++run) {
      double sum = 0;
      int held = 0;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const int size = std::min(sizes[i], drawn_.pairs);
        if (size > held) sum += std::sqrt(size - held) * pair_sd_ * normal_();
        held = size;
        squares[i] += sum * sum / held / held;
      }
    }
    return squares;
  }

  SimulatedRun draw() {
    std::vector<int> sizes = {plan_.confirmation_pairs};
    for (const Rule& rule : rules_) sizes.push_back(rule.pairs);
    std::sort(sizes.begin(), sizes.end());
    const std::vector<double> squares = history_squares(sizes);
    const auto squares_at = [&](int pairs) {
      const auto found = std::find(sizes.begin(), sizes.end(), pairs);
      return squares[static_cast<std::size_t>(found - sizes.begin())];
    };
    SimulatedRun run;
    std::vector<double> values;
    for (int i = 0; i < plan_.pairs_max; ++i) values.push_back(draw_pair(run));
    for (const Rule& rule : rules_) {
      run.looks.push_back(measured(values, static_cast<std::size_t>(rule.pairs),
                                   squares_at(rule.pairs), history_runs_));
    }
    std::vector<double> fresh;
    for (int i = 0; i < plan_.confirmation_pairs; ++i) fresh.push_back(pair_sd_ * normal_());
    run.confirmation =
        measured(fresh, fresh.size(), squares_at(plan_.confirmation_pairs), history_runs_);
    return run;
  }

  bool agreed(const Rule& rule, const SimulatedRun& run, double shift) const {
    return plan_.arms == 3 ? relabelling_agrees(rule, run, shift) : signs_agree(rule, run, shift);
  }

  bool signs_agree(const Rule& rule, const SimulatedRun& run, double shift) const {
    std::array<double, 2 * 96> choices{};  // v, -v
    std::array<double, 96> beyond{};
    const auto n = static_cast<std::size_t>(rule.pairs);
    for (std::size_t i = 0; i < n; ++i) {
      beyond[i] = shift - over_ - run.b[i];
      choices[2 * i] = beyond[i];
      choices[2 * i + 1] = -beyond[i];
    }
    int rank_sum = 0;  // of the positive values: the number of pairs whose mean is positive
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) rank_sum += beyond[i] + beyond[j] > 0 ? 1 : 0;
    }
    if (rank_sum < rule.rare_rank) return false;
    const double p = rule.pairs <= kCountedPairs
                         ? sign_flip_p(std::span(beyond).first(n))
                         : approximate_choice_tail(std::span(choices).first(2 * n), 2);
    return p <= rule.exact_p;
  }

  bool relabelling_agrees(const Rule& rule, const SimulatedRun& run, double shift) const {
    std::vector<Relabelled> rows;
    std::vector<double> choices;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rule.pairs); ++i) {
      rows.push_back(relabelled(run.a[i], run.b[i] - shift + over_, run.c[i]));
      choices.insert(choices.end(), rows.back().begin(), rows.back().end());
    }
    const double p =
        rule.pairs <= kCountedPairs ? relabelling_p(rows) : approximate_choice_tail(choices, 3);
    return p <= rule.exact_p;
  }

  const AbPlan& plan_;
  double pair_sd_;
  DrawnHistory drawn_;
  double over_;  // ln(1 + bar)
  int history_runs_ = 0;
  std::vector<Rule> rules_;
  Rule confirmation_;
  NormalNumbers normal_;
  std::vector<SimulatedRun> runs_;
};

}  // namespace

double smallest_detectable_effect(const AbPlan& plan, double pair_sd, DrawnHistory drawn) {
  const PlanSimulation simulation(plan, pair_sd, drawn);
  double low = std::log1p(plan.bar);
  double step = pair_sd;
  while (simulation.landing_share(low + step) < kPower) step *= 2;
  double high = low + step;
  while (high - low > 1e-3 * pair_sd) {
    const double middle = (low + high) / 2;
    (simulation.landing_share(middle) < kPower ? low : high) = middle;
  }
  return effect_of(high);
}

SelectionInflation selection_inflation(const AbPlan& plan, double pair_sd, double estimate) {
  const PlanSimulation simulation(plan, pair_sd, {});
  SelectionInflation inflation;
  int crossed = 0;
  int landed = 0;
  for (const SimulatedRun& run : simulation.runs()) {
    const Landing landing = simulation.at(run, std::log1p(estimate));
    if (!landing.crossed) continue;
    ++crossed;
    inflation.crossing += effect_of(landing.look) - estimate;
    if (!landing.landed) continue;
    ++landed;
    inflation.confirmed += effect_of(landing.confirmation) - estimate;
  }
  if (crossed > 0) inflation.crossing /= crossed;
  if (landed > 0) inflation.confirmed /= landed;
  inflation.lands = static_cast<double>(landed) / kRuns;
  return inflation;
}

}  // namespace assay
