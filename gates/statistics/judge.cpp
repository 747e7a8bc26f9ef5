#include "gates/statistics/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "gates/statistics/look.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/student_t.h"

namespace assay {
namespace {

constexpr double kOneSided = 0.05;  // guards and confirmation

std::string percent(double fraction) {
  return fmt::format("{:+.2f} %", 100 * fraction);
}

// Walks the stages of one plan over one sequence of pairs; each step returns true when the
// judgement is complete.
class Judge {
 public:
  Judge(const AbPlan& plan, const std::vector<LaunchPair>& pairs) : plan_(plan), pairs_(pairs) {}

  AbJudgement run() {
    result_.provisional = static_cast<int>(plan_.aa.size()) < kSettledAaRuns;
    if (!one_environment()) return result_;
    for (const LookRule& rule : plan_.looks) {
      if (look(rule)) return result_;
    }
    return finish(AbAction::kRevert, "unproven",
                  fmt::format("no verdict after all {} pairs", plan_.pairs_max));
  }

 private:
  AbJudgement& finish(AbAction action, const std::string& reason, const std::string& sentence) {
    result_.action = action;
    result_.reason = reason;
    result_.sentence = sentence;
    return result_;
  }

  bool want(const std::string& stage, int pairs) {
    result_.next_stage = stage;
    result_.next_pairs = pairs;
    finish(AbAction::kMorePairs, "", fmt::format("{} pairs of stage {} are needed", pairs, stage));
    return true;
  }

  // Invariant 4. Keeps the pairs of the last environment when no look was taken before the change.
  bool one_environment() {
    int kept = 0;
    std::vector<LaunchPair> pool;
    for (const LaunchPair& pair : pairs_) {
      if (!pool.empty() && pool.back().environment != pair.environment) {
        if (kept >= plan_.looks.front().pairs) return changed_after_look(pool);
        pool.clear();
        kept = 0;
      }
      pool.push_back(pair);
      if (pair.stage == "ab" && !pair.dropped) ++kept;
    }
    pairs_ = std::move(pool);
    return true;
  }

  bool changed_after_look(const std::vector<LaunchPair>& before) {
    pairs_ = before;
    for (const LookRule& rule : plan_.looks) {
      if (look(rule)) break;
    }
    // A verdict that stood before the change stands.
    if (result_.action == AbAction::kMorePairs) {
      finish(AbAction::kRevert, "unproven", "the environment changed after a look");
    }
    return false;
  }

  // The row of a stage over its first `wanted` kept pairs; nothing when they have not run, or when
  // too many were dropped (then the result is INVALID).
  std::optional<StagePairs> read(const std::string& stage, int wanted) {
    std::optional<StagePairs> read = first_pairs(pairs_, stage, wanted);
    if (!read) {
      want(stage, wanted);
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
    LookRow& row = add(measure_row("ab", pairs->kept, plan_.aa, plan_.bar, rule.p), *pairs);
    result_.looked = true;
    row.says = read_look(row);
    if (row.says == "above the bar" && row.dropped > 0) {
      const LookRow whole = measure_row("ab", pairs->all, plan_.aa, plan_.bar, rule.p);
      if (read_look(whole) != row.says) row.says = "continue";
    }
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

  // Every guard over as many pairs as the look that crossed. True when the judgement is complete.
  bool guards(int wanted, bool& safe) {
    const double floor = std::log1p(-plan_.guard_margin);
    const double holm = kOneSided / std::max<std::size_t>(1, plan_.guards.size());
    int losing = -1;
    for (std::size_t i = 0; i < plan_.guards.size(); ++i) {
      const std::string stage = fmt::format("guard:{}", i);
      const auto pairs = read(stage, wanted);
      if (!pairs) return true;
      LookRow& row = add(measure_row(stage, pairs->kept, plan_.guards[i].aa, 0, kOneSided), *pairs);
      const double t = t_ratio(row.mean - floor, row.error);
      const bool passes = t_upper_tail(t, row.df) < kOneSided;
      row.says = passes ? "passes" : "not shown";
      safe = safe && passes;
      if (t_upper_tail(-t, row.df) < holm) {
        row.says = "loses";
        losing = static_cast<int>(i);
      }
    }
    if (losing < 0) return false;
    finish(AbAction::kRevert, "guard",
           fmt::format("guard {} loses more than {:.2f} %", losing, 100 * plan_.guard_margin));
    return true;
  }

  bool confirm() {
    const auto pairs = read("confirmation", plan_.confirmation_pairs);
    if (!pairs) return true;
    LookRow& row =
        add(measure_row("confirmation", pairs->kept, plan_.aa, plan_.bar, kOneSided), *pairs);
    const bool passes = row.lower > 0 && row.estimate > plan_.bar;
    row.says = passes ? "passes" : "fails";
    const std::string seen = fmt::format("{} [{}, {}] in {} fresh pairs", percent(row.estimate),
                                         percent(row.low), percent(row.high), row.pairs);
    finish(passes ? AbAction::kLand : AbAction::kRevert, passes ? "" : "unproven",
           (passes ? "confirmed: " : "confirmation failed: ") + seen);
    return true;
  }

  const AbPlan& plan_;
  std::vector<LaunchPair> pairs_;
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

void to_json(nlohmann::json& json, const AbJudgement& judgement) {
  json = {{"action", to_string(judgement.action)},
          {"next_stage", judgement.next_stage},
          {"next_pairs", judgement.next_pairs},
          {"reason", judgement.reason},
          {"sentence", judgement.sentence},
          {"looks", judgement.looks},
          {"looked", judgement.looked},
          {"provisional", judgement.provisional}};
}

}  // namespace assay
