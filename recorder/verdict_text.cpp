#include "recorder/verdict_text.h"

#include <fmt/format.h>

#include "engine/core/or_null.h"
#include "recorder/shown_value.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

using Json = nlohmann::json;

std::string amount(std::optional<double> fraction) {
  return fraction ? fmt::format("{:.2f} %", 100 * *fraction) : kNotMeasured;
}

std::string short_number(double value) {
  return fmt::format("{:.3g}", value);
}

std::string signed_amount(std::optional<double> fraction) {
  return fraction ? percent(*fraction) : kNotMeasured;
}

std::string estimate_text(const JudgedLook& look) {
  std::string text = fmt::format("{} ({}", signed_amount(look.estimate), interval_text(look));
  if (look.lower) text += fmt::format(", lower bound {}", percent(*look.lower));
  return text + fmt::format(", {} pairs)", look.pairs);
}

std::string said(const JudgedLook& look) {
  return look.says.empty() ? "" : ": " + visible_line(look.says);
}

// Hours below two days, and minutes below two hours.
std::string age(double days) {
  if (days < 2.0 / 24) return fmt::format("{:.0f} min", days * 24 * 60);
  return days < 2 ? fmt::format("{:.0f} h", days * 24) : fmt::format("{:.1f} days", days);
}

bool provisional(const VerdictFacts& facts) {
  return facts.provisional.value_or(static_cast<int>(facts.history.size()) < kSettledHistory);
}

FactLines history_lines(const VerdictFacts& facts) {
  const std::size_t runs = facts.history.size();
  if (runs == 0) return {"A/A", {"no history is on record"}};
  std::string first = fmt::format("{} effect{}", runs, runs == 1 ? "" : "s");
  if (provisional(facts)) first = fmt::format("provisional ({})", runs);
  const int pairs = facts.last_pairs();
  first += fmt::format(", rms {}{}", amount(history_rms(facts.history, pairs)),
                       pairs > 0 ? fmt::format(" at {} pairs", pairs) : "");
  const std::string oldest = oldest_text(facts);
  if (!oldest.empty()) first += "; oldest " + oldest;
  FactLines lines{"A/A", {first}};
  if (!facts.looks.empty() && facts.looks.back().own_error) {
    const JudgedLook& look = facts.looks.back();
    lines.lines.push_back(fmt::format("own error {} at {} pairs; ruled by: {}",
                                      amount(look.own_error), pairs, ruling_error(look)));
  }
  return lines;
}

FactLines look_lines(const VerdictFacts& facts) {
  FactLines lines{"looks", {}};
  for (const JudgedLook& look : facts.looks) {
    std::string line = fmt::format("at {} pairs{}", look.pairs, said(look));
    if (look.p_boundary) line += fmt::format(", p {}", short_number(*look.p_boundary));
    lines.lines.push_back(std::move(line));
  }
  if (facts.looks.empty()) lines.lines.push_back("none was taken");
  if (const std::optional<AlphaSpent> alpha = alpha_spent(facts)) {
    lines.lines.push_back(alpha->planned
                              ? fmt::format("alpha spent {} of {}", short_number(alpha->spent),
                                            short_number(*alpha->planned))
                              : fmt::format("alpha spent at most {}", short_number(alpha->spent)));
  }
  return lines;
}

FactLines dropped_lines(const VerdictFacts& facts) {
  FactLines lines{"dropped", {}};
  lines.lines.push_back(facts.dropped.empty()
                            ? fmt::format("none of {} pairs", facts.pairs_run)
                            : fmt::format("{} of {} pairs", facts.dropped.size(), facts.pairs_run));
  for (const DroppedPair& pair : facts.dropped) {
    lines.lines.push_back(fmt::format("{} pair {}: {}", visible_line(pair.stage), pair.pair,
                                      visible_line(pair.reason)));
  }
  if (facts.set_aside > 0) {
    lines.lines.push_back(fmt::format(
        "set aside: the first {} of the A/B, of an older environment (build or machine)",
        facts.set_aside));
  }
  return lines;
}

FactLines guard_lines(const VerdictFacts& facts) {
  FactLines lines{"guards", {}};
  for (const JudgedLook& look : facts.guards) {
    lines.lines.push_back(visible_line(look.stage) + ", " + estimate_text(look) + said(look));
  }
  if (!facts.guards.empty()) return lines;
  const std::size_t declared = facts.guard_workloads.size();
  lines.lines.push_back(declared == 0 ? "none declared"
                                      : fmt::format("{} declared, not judged", declared));
  return lines;
}

FactLines twin_lines(const VerdictFacts& facts) {
  if (!facts.twins) return {"twins", {}};
  return {"twins",
          {fmt::format("the baseline's two processes: {} apart over {} pairs, p {}",
                       percent(facts.twins->difference), facts.twins->pairs,
                       short_number(facts.twins->p))}};
}

FactLines grade_lines(const VerdictFacts& facts) {
  if (!facts.separated) return {"grade", {}};
  return {"grade",
          {*facts.separated
               ? "separated: the candidate's slowest process beats the baseline's fastest"
               : "not separated: the candidate's slowest process does not beat the baseline's "
                 "fastest"}};
}

FactLines selection_lines(const VerdictFacts& facts) {
  if (!facts.selection) return {"selected", {}};
  return {
      "selected",
      {fmt::format("at this effect {:.1f} % of runs land, and the estimate at the crossing look "
                   "lies {} too high on average",
                   100 * facts.selection->lands, percent(facts.selection->crossing))}};
}

// Of tags that hold only.
FactLines tag_lines(const VerdictFacts& facts) {
  FactLines lines{"tags", {}};
  if (facts.carry_over && facts.carry_over->tagged) {
    const SegmentTag& tag = *facts.carry_over;
    lines.lines.push_back(
        fmt::format("CARRY-OVER: a segment takes {} longer after the candidate's (p {}, {} pairs)",
                    percent(tag.effect), short_number(tag.p), tag.pairs));
  }
  if (facts.clock_mediated && facts.clock_mediated->tagged) {
    const SegmentTag& tag = *facts.clock_mediated;
    lines.lines.push_back(fmt::format(
        "CLOCK-MEDIATED: {} of the effect is the clock's (p {}, {} pairs); by cycles it is {}",
        percent(tag.effect), short_number(tag.p), tag.pairs, signed_amount(tag.by_cycles)));
  }
  return lines;
}

Json look_json(const JudgedLook& look) {
  return {{"stage", look.stage},
          {"pairs", look.pairs},
          {"estimate", or_null(look.estimate)},
          {"low", or_null(look.low)},
          {"high", or_null(look.high)},
          {"lower", or_null(look.lower)},
          {"p_boundary", or_null(look.p_boundary)},
          {"own_error", or_null(look.own_error)},
          {"aa_error", or_null(look.aa_error)},
          {"says", look.says}};
}

Json tag_json(const std::optional<SegmentTag>& tag) {
  if (!tag) return nullptr;
  return {{"effect", tag->effect},
          {"pairs", tag->pairs},
          {"p", tag->p},
          {"tagged", tag->tagged},
          {"by_cycles", or_null(tag->by_cycles)}};
}

Json looks_json(const std::vector<JudgedLook>& looks) {
  Json all = Json::array();
  for (const JudgedLook& look : looks) all.push_back(look_json(look));
  return all;
}

Json calibration_json(const VerdictFacts& facts) {
  Json json = {{"effects", facts.history.size()},
               {"rms", or_null(history_rms(facts.history, facts.last_pairs()))},
               {"pairs", facts.last_pairs()},
               {"own_error", nullptr},
               {"ruled_by", nullptr},
               {"provisional", provisional(facts)},
               {"oldest", nullptr},
               {"oldest_days", nullptr}};
  if (!facts.looks.empty()) {
    const JudgedLook& look = facts.looks.back();
    json["own_error"] = or_null(look.own_error);
    if (look.own_error && look.aa_error) {
      json["ruled_by"] = look.history_ruled() ? "history" : "own";
    }
  }
  if (const HistoryEffect* oldest = oldest_effect(facts)) {
    json["oldest"] = oldest->at;
    json["oldest_days"] = or_null(days_between(oldest->at, facts.judged_at));
  }
  return json;
}

}  // namespace

std::string interval_text(const JudgedLook& look) {
  if (!look.low || !look.high) return kNotMeasured;
  return percent(*look.low) + " to " + percent(*look.high);
}

std::string ruling_error(const JudgedLook& look) {
  if (!look.own_error || !look.aa_error) return "not recorded";
  return look.history_ruled() ? "A/A history" : "own spread";
}

std::string oldest_text(const VerdictFacts& facts) {
  const HistoryEffect* oldest = oldest_effect(facts);
  if (oldest == nullptr) return "";
  const std::optional<double> days = days_between(oldest->at, facts.judged_at);
  const std::string day = visible_line(oldest->at.substr(0, 10));
  if (!days || *days < 0) return day;
  return fmt::format("{}, {} before the verdict", day, age(*days));
}

std::vector<FactLines> verdict_lines(const VerdictFacts& facts) {
  if (!facts.timed()) return {};
  const std::string confirmed = facts.confirmation
                                    ? estimate_text(*facts.confirmation) + said(*facts.confirmation)
                                    : "not reached";
  std::vector<FactLines> all{history_lines(facts), look_lines(facts), dropped_lines(facts)};
  all.push_back({"confirm", {confirmed}});
  for (const auto& lines_of : {guard_lines, twin_lines, grade_lines, selection_lines, tag_lines}) {
    all.push_back(lines_of(facts));
  }
  std::erase_if(all, [](const FactLines& fact) { return fact.lines.empty(); });
  return all;
}

Json verdict_facts_json(const VerdictFacts& facts) {
  if (!facts.timed()) return nullptr;
  Json dropped = Json::array();
  for (const DroppedPair& pair : facts.dropped) {
    dropped.push_back({{"stage", pair.stage}, {"pair", pair.pair}, {"reason", pair.reason}});
  }
  Json alpha;
  if (const std::optional<AlphaSpent> spent = alpha_spent(facts)) {
    alpha = {{"spent", spent->spent}, {"planned", or_null(spent->planned)}};
  }
  Json twins;
  if (facts.twins) {
    twins = {{"pairs", facts.twins->pairs},
             {"difference", facts.twins->difference},
             {"p", facts.twins->p}};
  }
  Json selection;
  if (facts.selection) {
    selection = {{"lands", facts.selection->lands},
                 {"crossing", facts.selection->crossing},
                 {"confirmed", facts.selection->confirmed}};
  }
  return {{"calibration", calibration_json(facts)},
          {"looks", looks_json(facts.looks)},
          {"alpha", std::move(alpha)},
          {"pairs_run", facts.pairs_run},
          {"dropped", std::move(dropped)},
          {"set_aside", facts.set_aside},
          {"confirmation", facts.confirmation ? look_json(*facts.confirmation) : Json()},
          {"guards", looks_json(facts.guards)},
          {"twins", std::move(twins)},
          {"separated", or_null(facts.separated)},
          {"selection", std::move(selection)},
          {"carry_over", tag_json(facts.carry_over)},
          {"clock_mediated", tag_json(facts.clock_mediated)},
          {"guards_declared", facts.guard_workloads.size()}};
}

}  // namespace assay
