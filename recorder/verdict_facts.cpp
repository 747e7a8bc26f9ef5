#include "recorder/verdict_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>

#include "engine/core/utc_time.h"
#include "recorder/shown_value.h"

namespace assay {
namespace {

using Json = nlohmann::json;

// One-sided, of one attempt; spent after Lan and DeMets with O'Brien and Fleming's shape, where
// fraction t of the pairs has spent 2 (1 - Phi(z / sqrt(t))), z the normal quantile of half of it.
constexpr double kAttemptAlpha = 0.0125;
constexpr double kHalfQuantile = 1.766144478363752;  // z / sqrt(2)
constexpr double kRounding = 0.02;                   // of a stored boundary, as a share

double spent_by(double fraction) {
  return std::erfc(kHalfQuantile / std::sqrt(fraction));
}

std::string text_at(const Json& object, const std::string& key) {
  const Json& value = value_at(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

// A count of pairs; 0 for what cannot be one.
int count_at(const Json& object, const std::string& key) {
  const std::optional<double> number = number_at(object, key);
  return number && *number >= 0 && *number <= 1e6 ? static_cast<int>(*number) : 0;
}

std::vector<double> numbers_at(const Json& object, const std::string& key) {
  std::vector<double> numbers;
  const Json& values = value_at(object, key);
  if (!values.is_array()) return numbers;
  for (const Json& value : values) {
    if (value.is_number()) numbers.push_back(value.get<double>());
  }
  return numbers;
}

double mean_of_first(const std::vector<double>& values, int pairs) {
  const std::size_t count =
      pairs <= 0 ? values.size() : std::min(values.size(), static_cast<std::size_t>(pairs));
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

void read_looks(const AttemptView& attempt, VerdictFacts& facts) {
  for (const Look& look : attempt.looks) {
    JudgedLook judged = judged_look(look);
    if (look.stage == "ab") {
      facts.looks.push_back(std::move(judged));
    } else if (look.stage == "confirmation") {
      facts.confirmation = std::move(judged);
    } else {
      facts.guards.push_back(std::move(judged));
    }
  }
}

// The plan holds ids and values; when each was measured stands beside it, or in the verdict's
// basis.
std::vector<HistoryEffect> frozen_history(const AttemptView& attempt) {
  const Json* dated = attempt.plan ? &value_at(*attempt.plan, "aa") : nullptr;
  if (attempt.verdict && (dated == nullptr || !dated->is_array())) {
    dated = &value_at(attempt.verdict->basis, "aa");
  }
  std::vector<HistoryEffect> known;
  if (dated != nullptr && dated->is_array()) {
    for (const Json& effect : *dated) {
      known.push_back(
          {text_at(effect, "id"), text_at(effect, "at"), numbers_at(effect, "pair_values")});
    }
  }
  const Json& planned = value_at(plan_of(attempt), "aa");
  std::vector<HistoryEffect> history;
  if (planned.is_array() && attempt.plan && &planned != dated) {
    for (const Json& run : planned) {
      HistoryEffect effect{text_at(run, "id"), "", numbers_at(run, "pair_values")};
      for (const HistoryEffect& other : known) {
        if (other.id == effect.id) effect.at = other.at;
      }
      history.push_back(std::move(effect));
    }
  } else {
    history = std::move(known);
  }
  std::erase_if(history, [](const HistoryEffect& effect) { return effect.pair_values.empty(); });
  return history;
}

std::optional<SegmentTag> tag_at(const Json& values, const std::string& key) {
  const Json& stored = value_at(values, key);
  const std::optional<double> effect = number_at(stored, "effect"), p = number_at(stored, "p");
  const Json& tagged = value_at(stored, "tagged");
  if (!effect || !p || !tagged.is_boolean()) return std::nullopt;
  return SegmentTag{std::exp(*effect) - 1, count_at(stored, "pairs"), *p, tagged.get<bool>(),
                    number_at(stored, "by_cycles")};
}

// Stored is the mean of (A - A') sqrt(3) / 2, of logarithms.
std::optional<TwinFacts> twins_of(const Json& judgement) {
  const Json& stored = value_at(judgement, "twins");
  const std::optional<double> mean = number_at(stored, "mean"), p = number_at(stored, "p");
  if (!mean || !p) return std::nullopt;
  return TwinFacts{count_at(stored, "pairs"), std::exp(*mean * 2 / std::numbers::sqrt3) - 1, *p};
}

std::optional<SelectionFacts> selection_of(const Json& values) {
  const Json& stored = value_at(values, "selection");
  const std::optional<double> lands = number_at(stored, "lands"),
                              crossing = number_at(stored, "crossing"),
                              confirmed = number_at(stored, "confirmed");
  if (!lands || !crossing || !confirmed) return std::nullopt;
  return SelectionFacts{*lands, *crossing, *confirmed};
}

void read_ab_values(const Json& values, VerdictFacts& facts) {
  const Json& judgement = value_at(values, "judgement");
  const Json& separated = value_at(judgement, "separated");
  facts.set_aside = count_at(judgement, "set_aside");
  facts.twins = twins_of(judgement);
  if (separated.is_boolean() && !facts.looks.empty()) facts.separated = separated.get<bool>();
  facts.carry_over = tag_at(values, "carry_over");
  facts.clock_mediated = tag_at(values, "clock_mediated");
  facts.selection = selection_of(values);
}

}  // namespace

JudgedLook judged_look(const Look& look) {
  JudgedLook judged;
  judged.stage = look.stage;
  judged.pairs = look.pairs;
  judged.estimate = number_at(look.values, "estimate");
  judged.low = number_at(look.values, "low");
  judged.high = number_at(look.values, "high");
  judged.lower = number_at(look.values, "lower");
  judged.p_boundary = number_at(look.values, "p_boundary");
  judged.aa_error = number_at(look.values, "aa_error");
  judged.says = text_at(look.values, "says");
  const std::optional<double> pair_sd = number_at(look.values, "pair_sd");
  if (pair_sd && look.pairs > 0) judged.own_error = *pair_sd / std::sqrt(look.pairs);
  return judged;
}

const Json& plan_of(const AttemptView& attempt) {
  static const Json kNull;
  if (!attempt.plan) return kNull;
  const Json& inner = value_at(*attempt.plan, "plan");
  return inner.is_object() ? inner : *attempt.plan;
}

const Json& ab_values(const AttemptView& attempt) {
  static const Json kNull;
  const Json* values = &kNull;
  for (const GateInRun& gate : attempt.gates) {
    if (gate.result.gate != "ab") continue;
    values = &gate.result.values;
    if (attempt.verdict && gate.run == attempt.verdict_run) break;
  }
  return *values;
}

bool readable(const PairSample& pair) {
  return !pair.labels.empty() && pair.labels.size() == pair.worker_ns.size() &&
         std::all_of(pair.worker_ns.begin(), pair.worker_ns.end(), [](auto ns) { return ns > 0; });
}

std::optional<double> pair_effect(const PairSample& pair) {
  if (!readable(pair)) return std::nullopt;
  std::array<double, 3> sum{};
  std::array<int, 3> count{};
  for (std::size_t i = 0; i < pair.labels.size(); ++i) {
    const std::size_t arm = pair.labels[i] == 'A' ? 0 : pair.labels[i] == 'C' ? 2 : 1;
    sum[arm] += std::log(static_cast<double>(pair.worker_ns[i]));
    ++count[arm];
  }
  if (count[0] == 0 || count[1] == 0) return std::nullopt;
  double baseline = sum[0] / count[0];
  if (count[2] > 0) baseline = (baseline + sum[2] / count[2]) / 2;
  return std::exp(baseline - sum[1] / count[1]) - 1;
}

double history_effect(const std::vector<double>& pair_values, int pairs) {
  return std::exp(mean_of_first(pair_values, pairs)) - 1;
}

std::optional<double> history_rms(const std::vector<HistoryEffect>& history, int pairs) {
  if (history.empty()) return std::nullopt;
  double sum = 0;
  for (const HistoryEffect& effect : history) {
    const double mean = mean_of_first(effect.pair_values, pairs);
    sum += mean * mean;
  }
  return std::sqrt(sum / static_cast<double>(history.size()));
}

std::optional<double> days_between(const std::string& earlier, const std::string& later) {
  const auto from = utc_time(earlier), to = utc_time(later);
  if (!from || !to) return std::nullopt;
  using std::chrono::seconds;
  const seconds passed = std::chrono::floor<seconds>(*to) - std::chrono::floor<seconds>(*from);
  return static_cast<double>(passed.count()) / 86400;
}

VerdictFacts verdict_facts(const AttemptView& attempt) {
  VerdictFacts facts;
  const Json& plan = plan_of(attempt);
  facts.bar = number_at(plan, "bar");
  facts.pairs_max = count_at(plan, "pairs_max");
  const Json& guards = value_at(plan, "guards");
  if (guards.is_array()) {
    for (const Json& guard : guards) {
      facts.guard_workloads.push_back(text_at(value_at(guard, "workload"), "describe"));
    }
  }
  read_looks(attempt, facts);
  facts.history = frozen_history(attempt);
  for (const PairSample& pair : attempt.samples) {
    ++facts.pairs_run;
    if (!pair.dropped.empty()) {
      facts.dropped.push_back({pair.stage, pair.ordinal + 1, pair.dropped});
    }
  }
  facts.judged_at = attempt.verdict_at;
  read_ab_values(ab_values(attempt), facts);
  if (attempt.verdict) {
    const Json& provisional = value_at(attempt.verdict->effect, "provisional");
    if (provisional.is_boolean()) facts.provisional = provisional.get<bool>();
    // A record whose confirmation has no look of its own.
    const Json& confirmed = value_at(attempt.verdict->effect, "confirmation");
    if (!facts.confirmation && confirmed.is_object()) {
      facts.confirmation = judged_look({"confirmation", count_at(confirmed, "pairs"), confirmed});
    }
  }
  return facts;
}

const HistoryEffect* oldest_effect(const VerdictFacts& facts) {
  const HistoryEffect* oldest = nullptr;
  for (const HistoryEffect& effect : facts.history) {
    if (!effect.at.empty() && (oldest == nullptr || effect.at < oldest->at)) oldest = &effect;
  }
  return oldest;
}

std::optional<AlphaSpent> alpha_spent(const VerdictFacts& facts) {
  if (facts.looks.empty()) return std::nullopt;
  AlphaSpent alpha;
  for (const JudgedLook& look : facts.looks) {
    if (!look.p_boundary) return std::nullopt;
    alpha.spent += *look.p_boundary;
  }
  if (facts.pairs_max <= 0) return alpha;
  const double first = spent_by(static_cast<double>(facts.looks.front().pairs) / facts.pairs_max);
  // A first look's boundary is what it spends; where it is another, so is the plan's kind.
  if (std::abs(*facts.looks.front().p_boundary / first - 1) > kRounding) return alpha;
  const double fraction = static_cast<double>(facts.last_pairs()) / facts.pairs_max;
  alpha.spent = facts.looks.size() == 1 ? *facts.looks.front().p_boundary : spent_by(fraction);
  alpha.planned = kAttemptAlpha;
  return alpha;
}

}  // namespace assay
