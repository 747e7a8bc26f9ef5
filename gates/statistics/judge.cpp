#include "gates/statistics/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/core/error.h"
#include "gates/statistics/guards.h"
#include "gates/statistics/look.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/student_t.h"

namespace assay {
namespace {

constexpr double kOneSided = 0.05;  // confirmation

std::string percent(double fraction) {
  return fmt::format("{:+.2f} %", 100 * fraction);
}

bool confirms(const LookRow& row, double bar) {
  return row.lower > 0 && row.estimate > bar;
}

// Walks the stages of one plan over one sequence of pairs; each step returns true when the
// judgement is complete.
class Judge {
 public:
  Judge(const AbPlan& plan, std::span<const LaunchPair> pairs) : plan_(plan), pairs_(pairs) {}

  AbJudgement run() {
    result_.provisional = static_cast<int>(plan_.aa.size()) < kSettledAaRuns;
    walk();
    result_.separated = separated();
    const bool verdict = result_.action == AbAction::kLand || result_.action == AbAction::kRevert;
    if (verdict && plan_.arms == 3) check_twins();
    return std::move(result_);
  }

 private:
  void walk() {
    const std::string ended = cut_at_new_environment();
    const bool complete = std::any_of(plan_.looks.begin(), plan_.looks.end(),
                                      [&](const LookRule& rule) { return look(rule); });
    if (!ended.empty() && complete && result_.action == AbAction::kMorePairs) {
      finish(AbAction::kRevert, "unproven", ended);
    }
    if (complete) return;
    finish(AbAction::kRevert, "unproven",
           fmt::format("no verdict after all {} pairs", plan_.pairs_max));
  }

  void finish(AbAction action, const std::string& reason, const std::string& sentence) {
    result_.action = action;
    result_.reason = reason;
    result_.sentence = sentence;
  }

  // Invariant 4. Keeps the pairs of the last environment, or, where the attempt ends at a change,
  // those that count up to it; then it says why no more may follow.
  std::string cut_at_new_environment() {
    std::size_t& begin = result_.pooled_from;
    int kept = 0;
    int changes = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (i > begin && pairs_[i].environment != pairs_[i - 1].environment) {
        if (kept >= plan_.looks.front().pairs) {
          keep(begin, i);
          return "the environment changed after a look";
        }
        begin = i;
        kept = 0;
        if (plan_.environment_changes && ++changes > *plan_.environment_changes) {
          keep(begin, begin);
          return fmt::format(
              "the environment changed {} times before the first look; the plan allows {}", changes,
              *plan_.environment_changes);
        }
      }
      if (pairs_[i].stage == "ab" && !pairs_[i].dropped) ++kept;
    }
    keep(begin, pairs_.size());
    return "";
  }

  void keep(std::size_t begin, std::size_t end) {
    for (const LaunchPair& pair : pairs_.first(begin)) {
      if (pair.stage != "ab") continue;
      ++result_.set_aside;
      if (pair.dropped || !plan_.environment_changes) continue;
      aside_.push_back(measure_pair(pair.labels, pair.times));
      if (aside_.back().arms == plan_.arms) continue;
      throw Error(ErrorKind::kCheckFound,
                  fmt::format("launch pair: {} arms of stage ab where the plan has {}",
                              aside_.back().arms, plan_.arms));
    }
    pairs_ = pairs_.subspan(begin, end - begin);
    result_.pooled = pairs_.size();
  }

  // The pairs of a stage up to its `wanted`th kept one; nothing when they have not run, or when too
  // many were dropped (then the result is INVALID).
  std::optional<StagePairs> read(const std::string& stage, int wanted) {
    std::optional<StagePairs> read = first_pairs(pairs_, stage, plan_.arms, wanted);
    if (!read) {
      result_.next_stage = stage;
      result_.next_pairs = wanted;
      finish(AbAction::kMorePairs, "",
             fmt::format("{} pairs of stage {} are needed", wanted, stage));
      return std::nullopt;
    }
    const double share = 1.0 - static_cast<double>(read->kept.size()) / read->all.size();
    if (share > plan_.drop_limit) {
      finish(AbAction::kInvalid, "",
             fmt::format("{} of {} pairs of stage {} were dropped; at most {:.0f} % may be",
                         read->all.size() - read->kept.size(), read->all.size(), stage,
                         100 * plan_.drop_limit));
      return std::nullopt;
    }
    return read;
  }

  LookRow& add(LookRow row, const StagePairs& read) {
    row.dropped = static_cast<int>(read.all.size() - read.kept.size());
    result_.looks.push_back(std::move(row));
    return result_.looks.back();
  }

  bool look(const LookRule& rule) {
    const auto pairs = read("ab", rule.pairs);
    if (!pairs) return true;
    LookRow& row = add(take_look(pairs->kept, plan_.aa, plan_.bar, rule.p), *pairs);
    result_.looked = true;
    judged_ = pairs->kept;
    // A LAND holds with and without the dropped pairs, here and at each step after it; and with
    // those that were set aside.
    if (row.says == "above the bar" && !holds_with_all(*pairs, rule.p)) row.says = "continue";
    if (row.says == "slower" || row.says == "no-gain") {
      finish(AbAction::kRevert, row.says,
             fmt::format("{} [{}, {}] after {} pairs", percent(row.estimate), percent(row.low),
                         percent(row.high), row.pairs));
      return true;
    }
    if (row.says == "continue") return false;
    bool safe = true;
    if (guards(rule.pairs, safe)) return true;
    return safe && confirm();
  }

  bool holds_with_all(const StagePairs& pairs, double p) const {
    const auto crosses = [&](const std::vector<PairMeasure>& of) {
      return take_look(of, plan_.aa, plan_.bar, p).says == "above the bar";
    };
    if (pairs.all.size() > pairs.kept.size() && !crosses(pairs.all)) return false;
    if (aside_.empty()) return true;
    std::vector<PairMeasure> with_aside = aside_;
    with_aside.insert(with_aside.end(), pairs.kept.begin(), pairs.kept.end());
    return crosses(with_aside);
  }

  // Every guard over as many pairs as the look that crossed. True when the judgement is complete.
  bool guards(int wanted, bool& safe) {
    std::vector<LookRow> kept;
    std::vector<LookRow> all;
    std::vector<StagePairs> stages;
    for (std::size_t i = 0; i < plan_.guards.size(); ++i) {
      const std::string stage = fmt::format("guard:{}", i);
      const std::vector<AaRun>& aa = plan_.guards[i].aa;
      auto pairs = read(stage, wanted);
      if (!pairs) return true;
      kept.push_back(measure_row(stage, values_of(pairs->kept), aa, 0, kGuardAlpha));
      all.push_back(measure_row(stage, values_of(pairs->all), aa, 0, kGuardAlpha));
      stages.push_back(std::move(*pairs));
    }
    const std::vector<GuardSays> says = read_guards(kept, plan_.guard_margin);
    const std::vector<GuardSays> with_dropped = read_guards(all, plan_.guard_margin);
    int losing = -1;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const bool passes = says[i] == GuardSays::kPasses;
      const bool holds = passes && with_dropped[i] == GuardSays::kPasses;
      kept[i].says = to_string(passes && !holds ? GuardSays::kNotShown : says[i]);
      add(kept[i], stages[i]);
      safe = safe && holds;
      if (says[i] == GuardSays::kLoses) losing = static_cast<int>(i);
    }
    if (losing < 0) return safe && chain_blocks(kept);
    finish(AbAction::kRevert, "guard",
           fmt::format("guard {} loses more than {:.2f} %", losing, 100 * plan_.guard_margin));
    return true;
  }

  // Whether a guard that passes loses what the LANDs before it left of the chain's limit.
  bool chain_blocks(const std::vector<LookRow>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<GuardEffect> chain = plan_.guards[i].chain;
      if (chain.empty() || rows[i].mean >= 0) continue;
      for (GuardEffect& landed : chain) landed.workload = rows[i].stage;
      chain.push_back({"", rows[i].stage, rows[i].estimate, rows[i].error});
      const ChainLoss sum = chain_losses(chain).front();
      if (!sum.blocks) continue;
      finish(AbAction::kRevert, "guard",
             fmt::format("guard {} loses {}: with the {} LAND{} in service it adds up to {} (at "
                         "most {}), and the limit is {}",
                         i, percent(rows[i].estimate), sum.records - 1, sum.records == 2 ? "" : "s",
                         percent(sum.loss), percent(sum.upper), percent(kChainLimit)));
      return true;
    }
    return false;
  }

  bool confirm() {
    const auto pairs = read("confirmation", plan_.confirmation_pairs);
    if (!pairs) return true;
    const auto measured = [&](const std::vector<PairMeasure>& of) {
      return measure_row("confirmation", values_of(of), plan_.aa, plan_.bar, kOneSided);
    };
    LookRow& row = add(measured(pairs->kept), *pairs);
    judged_.insert(judged_.end(), pairs->kept.begin(), pairs->kept.end());
    const bool passes =
        confirms(row, plan_.bar) && (row.dropped == 0 || confirms(measured(pairs->all), plan_.bar));
    row.says = passes ? "passes" : "fails";
    const std::string seen = fmt::format("{} [{}, {}] in {} fresh pairs", percent(row.estimate),
                                         percent(row.low), percent(row.high), row.pairs);
    finish(passes ? AbAction::kLand : AbAction::kRevert, passes ? "" : "unproven",
           (passes ? "confirmed: " : "confirmation failed: ") + seen);
    return true;
  }

  bool separated() const {
    double slowest_b = -std::numeric_limits<double>::infinity();
    double fastest_a = std::numeric_limits<double>::infinity();
    for (const PairMeasure& pair : judged_) {
      slowest_b = std::max(slowest_b, pair.mean_b);
      fastest_a = std::min(fastest_a, pair.mean_a);
      if (pair.arms == 3) fastest_a = std::min(fastest_a, pair.mean_c);
    }
    return !judged_.empty() && slowest_b < fastest_a;
  }

  // Invariant 5.
  void check_twins() {
    const MeanEstimate mean = estimate_mean(contrasts_of(judged_), plan_.aa);
    const double t = t_ratio(mean.mean, mean.error);
    result_.twins = TwinCheck{mean.pairs, mean.mean, mean.error, mean.df,
                              2 * t_upper_tail(std::fabs(t), mean.df)};
    if (result_.twins->p >= kTwinAlpha) return;
    finish(AbAction::kInvalid, "",
           fmt::format("the baseline differs from itself: {} between its two processes over {} "
                       "pairs (p {:.2g})",
                       percent(effect_of(mean.mean * 2 / std::numbers::sqrt3)), mean.pairs,
                       result_.twins->p));
  }

  const AbPlan& plan_;
  std::span<const LaunchPair> pairs_;
  std::vector<PairMeasure> aside_;   // of an older environment
  std::vector<PairMeasure> judged_;  // of the last look, and of the confirmation
  AbJudgement result_;
};

}  // namespace

std::string to_string(AbAction action) {
  switch (action) {
    case AbAction::kMorePairs:
      return "more pairs";
    case AbAction::kLand:
      return "LAND";
    case AbAction::kRevert:
      return "REVERT";
    case AbAction::kInvalid:
      return "INVALID";
  }
  throw Error(ErrorKind::kInternal, "to_string: unknown AbAction");
}

AbJudgement judge(const AbPlan& plan, const std::vector<LaunchPair>& pairs) {
  check_plan(plan);
  return Judge(plan, pairs).run();
}

std::vector<double> twin_contrasts(std::span<const LaunchPair> pairs) {
  std::vector<double> contrasts;
  for (const LaunchPair& pair : pairs) {
    if (pair.dropped || (pair.stage != "ab" && pair.stage != "confirmation")) continue;
    const PairMeasure measure = measure_pair(pair.labels, pair.times);
    if (measure.arms == 3) contrasts.push_back(measure.contrast);
  }
  return contrasts;
}

}  // namespace assay
