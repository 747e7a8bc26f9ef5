#include "recorder/verdict_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "recorder/interval_picture.h"
#include "recorder/shown_value.h"
#include "recorder/verdict_facts.h"
#include "recorder/verdict_text.h"

namespace assay {
namespace {

constexpr std::size_t kMostRows = 24;

std::size_t values_per_row(std::size_t values) {
  return std::max<std::size_t>(1, (values + kMostRows - 1) / kMostRows);
}

// "2026-11-29 21:08" of "2026-11-29T21:08:04.399Z".
std::string minute_of(const std::string& at) {
  std::string minute = at.substr(0, 16);
  std::replace(minute.begin(), minute.end(), 'T', ' ');
  return minute.empty() ? "no date" : minute;
}

void add_look(PictureSection& section, const JudgedLook& look) {
  if (!look.low || !look.estimate || !look.high) return;
  const std::string stage = look.stage == "ab" ? "look" : look.stage;
  section.rows.push_back(interval_row(fmt::format("{}, {} pairs", stage, look.pairs), *look.low,
                                      *look.estimate, *look.high));
}

PictureSection look_section(const VerdictFacts& facts) {
  PictureSection section{"looks", {}};
  for (const JudgedLook& look : facts.looks) add_look(section, look);
  for (const JudgedLook& look : facts.guards) add_look(section, look);
  if (facts.confirmation) add_look(section, *facts.confirmation);
  return section;
}

// The pairs of a stage that can be read, in the order they ran.
struct StageDots {
  std::string stage;
  std::vector<PictureDot> dots;
  std::vector<int> numbers;
};

std::vector<StageDots> stages_of(const AttemptView& attempt) {
  std::vector<StageDots> stages;
  for (const PairSample& pair : attempt.samples) {
    const std::optional<double> effect = pair_effect(pair);
    if (!effect) continue;
    auto stage = std::find_if(stages.begin(), stages.end(),
                              [&](const StageDots& known) { return known.stage == pair.stage; });
    if (stage == stages.end()) stage = stages.insert(stages.end(), {pair.stage, {}, {}});
    stage->dots.push_back({*effect, !pair.dropped.empty()});
    stage->numbers.push_back(pair.ordinal + 1);
  }
  return stages;
}

std::string note_of(const std::vector<PictureDot>& dots) {
  if (dots.size() == 1) return dots[0].dropped ? "dropped" : percent(dots[0].value);
  const auto dropped =
      std::count_if(dots.begin(), dots.end(), [](const PictureDot& dot) { return dot.dropped; });
  return dropped == 0 ? "" : fmt::format("{} dropped", dropped);
}

PictureSection pair_section(const StageDots& stage) {
  const std::size_t step = values_per_row(stage.dots.size());
  PictureSection section;
  section.title = fmt::format("pairs of stage {} in the order they ran", stage.stage);
  if (step > 1) section.title += fmt::format(", {} to a row", step);
  for (std::size_t i = 0; i < stage.dots.size(); i += step) {
    const std::size_t end = std::min(i + step, stage.dots.size());
    std::vector<PictureDot> dots(stage.dots.begin() + static_cast<long>(i),
                                 stage.dots.begin() + static_cast<long>(end));
    std::string name = fmt::format("pair {}", stage.numbers[i]);
    if (end - i > 1) name = fmt::format("pairs {} to {}", stage.numbers[i], stage.numbers[end - 1]);
    std::string note = note_of(dots);
    section.rows.push_back(dots_row(std::move(name), std::move(dots), std::move(note)));
  }
  return section;
}

PictureSection history_section(const VerdictFacts& facts) {
  PictureSection section;
  if (facts.history.empty()) return section;
  const int pairs = facts.last_pairs();
  const double rms = history_rms(facts.history, pairs).value_or(0);
  const std::string oldest = oldest_text(facts);
  const std::size_t step = values_per_row(facts.history.size());
  section.title =
      fmt::format("A/A history{}{}", pairs > 0 ? fmt::format(" at {} pairs", pairs) : "",
                  oldest.empty() ? "" : "; oldest " + oldest);
  if (step > 1) section.title += fmt::format("; {} to a row", step);
  for (std::size_t i = 0; i < facts.history.size(); i += step) {
    std::vector<PictureDot> dots;
    for (std::size_t k = i; k < std::min(i + step, facts.history.size()); ++k) {
      dots.push_back({history_effect(facts.history[k].pair_values, pairs), false});
    }
    std::string note = note_of(dots);
    section.rows.push_back(
        dots_row(minute_of(facts.history[i].at), std::move(dots), std::move(note)));
  }
  section.rows.push_back(band_row(fmt::format("rms, K {}", facts.history.size()), -rms, rms,
                                  fmt::format("{:.2f} %", 100 * rms)));
  return section;
}

}  // namespace

std::string verdict_picture(const AttemptView& attempt) {
  const VerdictFacts facts = verdict_facts(attempt);
  if (!facts.timed()) return "";
  std::vector<PictureSection> sections{look_section(facts)};
  for (const StageDots& stage : stages_of(attempt)) sections.push_back(pair_section(stage));
  sections.push_back(history_section(facts));
  return interval_picture(sections, facts.bar);
}

std::string look_picture(const AttemptView& attempt) {
  constexpr std::size_t kMostLooks = 6;
  const VerdictFacts facts = verdict_facts(attempt);
  if (!facts.timed()) return "";
  PictureSection section = look_section(facts);
  section.title.clear();
  if (section.rows.size() > kMostLooks) {
    section.rows.erase(section.rows.begin(),
                       section.rows.end() - static_cast<std::ptrdiff_t>(kMostLooks));
  }
  if (const auto rms = history_rms(facts.history, facts.last_pairs())) {
    section.rows.push_back(band_row(fmt::format("A/A rms, K {}", facts.history.size()), -*rms, *rms,
                                    fmt::format("{:.2f} %", 100 * *rms)));
  }
  return interval_picture({section}, facts.bar);
}

std::string history_picture(const std::vector<HistoryRow>& rows, double rms) {
  PictureSection section;
  for (const HistoryRow& row : rows) {
    const std::string name = minute_of(row.at) + (row.excludes_zero ? " !" : "");
    section.rows.push_back(interval_row(name, row.low, row.estimate, row.high));
  }
  section.rows.push_back(band_row(fmt::format("rms, K {}", rows.size()), -rms, rms,
                                  fmt::format("{:.2f} %", 100 * rms)));
  return interval_picture({section}, std::nullopt);
}

}  // namespace assay
