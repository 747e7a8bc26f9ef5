#include "gates/adversaries/adversary.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/mix64.h"
#include "gates/statistics/standard_error.h"

namespace assay::adversaries {
namespace {

// Standard errors above the bar from which who may start over goes on instead.
constexpr double kPromising = 1.5;
constexpr int kStopped = 12;
constexpr int kMostRuns = 60;  // of one experiment; never reached

// 0 .. `choices` - 1, of a seed and a place in its story.
int choice(std::uint64_t seed, int place, int choices) {
  const std::uint64_t state = mix64(seed + kMix64Step * static_cast<std::uint64_t>(place + 1));
  return static_cast<int>(state % static_cast<std::uint64_t>(choices));
}

// Asks to stop once `pairs` pairs of the A/B, or of the confirmation, were committed.
Laboratory::Watch after_pairs(int pairs) {
  return [pairs, seen = 0](EventKind kind, const nlohmann::json&) mutable {
    return kind == EventKind::kSample && ++seen >= pairs;
  };
}

void read_result(const Laboratory& lab, const std::string& slug, Played& played) {
  const ExperimentView view = lab.view_of(slug);
  for (const AttemptView& attempt : view.attempts) {
    for (const Look& look : attempt.looks) {
      played.crossed = played.crossed ||
                       (look.stage == "ab" && look.values.value("says", "") == "above the bar");
    }
    played.landed = played.landed || (attempt.verdict && attempt.verdict->verdict == "LAND");
  }
  for (std::string& line : broken_rules(lab, slug)) played.broken.push_back(std::move(line));
}

std::string slug_of(const Laboratory& lab) {
  return lab.workspace.definition().slug;
}

// Another slug in the definition, which then names the older one in `supersedes` or does not.
void rename(Laboratory& lab, const std::string& slug, const std::string& supersedes) {
  std::string& text = lab.workspace.definition_text;
  text.replace(0, text.find('\n'), "slug: " + slug);
  const std::size_t old = text.find("supersedes: ");
  if (old != std::string::npos) text.resize(old);
  if (!supersedes.empty()) {
    text += fmt::format("supersedes: {}\nretry_when: the moon is full\n", supersedes);
  }
  lab.propose();
}

// Of a run that is expected to be refused.
void note_refusal(const RunOutcome& outcome, Played& played) {
  ++played.runs;
  if (outcome.exit_code == 2) {
    played.refused.push_back(outcome.message);
  } else {
    played.broken.push_back(fmt::format("not refused: {} {}", outcome.outcome, outcome.message));
  }
}

void run_to_the_end(Laboratory& lab, Played& played) {
  lab.run();
  ++played.runs;
  read_result(lab, slug_of(lab), played);
}

}  // namespace

bool is_promising(const Laboratory& lab) {
  const std::vector<double> beyond = lab.beyond_the_bar();
  if (beyond.size() < 2) return false;
  const MeanEstimate seen = estimate_mean(beyond, {});
  return seen.mean >= kPromising * seen.error;
}

Played honest(Laboratory& lab, std::uint64_t seed) {
  Played played;
  lab.begin(seed);
  run_to_the_end(lab, played);
  return played;
}

Played peeking(Laboratory& lab, std::uint64_t seed) {
  Played played;
  lab.begin(seed);
  const RunOptions usual = lab.workspace.options;
  for (; played.runs < kMostRuns; ++played.runs) {
    const RunOutcome outcome = lab.run(after_pairs(1 + choice(seed, played.runs, 5)));
    if (outcome.exit_code != kStopped) break;
    if (is_promising(lab)) continue;
    lab.workspace.options.pairs_max = played.runs % 2 == 0 ? 8 : 32;
    lab.workspace.options.arms = played.runs % 3 == 0 ? 3 : 2;
  }
  lab.workspace.options = usual;
  read_result(lab, slug_of(lab), played);
  return played;
}

Played killing(Laboratory& lab, std::uint64_t seed) {
  Played played;
  lab.begin(seed);
  for (; played.runs < kMostRuns; ++played.runs) {
    if (lab.run_and_kill(1 + choice(seed, played.runs, 20))) break;
  }
  read_result(lab, slug_of(lab), played);
  return played;
}

Played renaming(Laboratory& lab, std::uint64_t seed) {
  Played played;
  const std::string usual = lab.workspace.definition_text;
  lab.begin(seed);
  const std::string first = slug_of(lab);
  lab.run(after_pairs(7));
  ++played.runs;
  if (!is_promising(lab)) {
    rename(lab, "same-lever-again", "");
    note_refusal(lab.run(), played);
    rename(lab, "same-lever-again", first);
    note_refusal(lab.run(), played);
    lab.workspace.definition_text = usual;
  }
  run_to_the_end(lab, played);
  if (!played.landed) {
    rename(lab, "once-more", first);
    run_to_the_end(lab, played);
  }
  if (!played.landed) {
    rename(lab, "and-again", "once-more");
    note_refusal(lab.run(), played);
  }
  lab.workspace.definition_text = usual;
  return played;
}

Played commenting(Laboratory& lab, std::uint64_t seed) {
  Played played;
  lab.begin(seed);
  const std::string id = SimulatedWorkspace::kCandidate;
  const std::string file = "sources/" + id + ".cpp";
  for (int comment = 1; comment <= 2; ++comment) {
    lab.run(after_pairs(7 - static_cast<int>(lab.beyond_the_bar().size())));
    ++played.runs;
    if (is_promising(lab)) break;
    // Another build sets the pairs aside, once. After that only the sources differ: a second build
    // would end the attempt.
    lab.workspace.edit_source(file, fmt::format("// {}, comment {} of {}\n", id, comment, seed));
    if (comment == 1) lab.rebuild_worker();
  }
  run_to_the_end(lab, played);
  return played;
}

const std::vector<Adversary>& adversaries() {
  static const std::vector<Adversary> list = {
      {"none: one run", 1, honest},         {"stops, looks, goes on", 1, peeking},
      {"kills and runs again", 1, killing}, {"renames the experiment", 2, renaming},
      {"changes a comment", 1, commenting},
  };
  return list;
}

}  // namespace assay::adversaries
