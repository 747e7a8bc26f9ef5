// Preflight: is it worth running?
//
// No kernel runs here. The definition is already valid and the candidate built; what is left is
// whether the question can be answered: a class whose gates exist, one model and thread count (see
// proposal_checks.cpp), alpha that no other experiment has spent, a predicted gain and guards that
// this machine can resolve. Until shares of the step can be measured, the prediction is the
// definition's own `expect.wall`.
#include <fmt/format.h>

#include <algorithm>

#include "engine/core/or_null.h"
#include "experiments/definition.h"
#include "gates/gate.h"
#include "gates/proposal.h"
#include "gates/run_plan.h"
#include "gates/statistics/plan.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kUsage, what);
}

// Pairs that do not look promising are not left behind under another name.
void check_is_over(const std::string& slug, const Subject& subject, const History& history) {
  const ExperimentView view = fold(history.events(slug));
  if (view.state != ExperimentState::kProposed && view.state != ExperimentState::kOpen) return;
  for (const AttemptView& attempt : view.attempts) {
    if (attempt.opened.alpha_key != subject.alpha_key || attempt.verdict) continue;
    const auto pairs = std::count_if(attempt.samples.begin(), attempt.samples.end(),
                                     [](const PairSample& sample) { return sample.stage == "ab"; });
    if (pairs == 0) continue;
    refuse(fmt::format(
        "experiment {0}, which this one supersedes, has measured {1} pair{2} of this code and has "
        "no verdict on it: run it to its end, or give it up with `assay close {0} --as reverted "
        "--because TEXT`",
        slug, pairs, pairs == 1 ? "" : "s"));
  }
}

// A guard can only pass where its margin is wide against what this machine can resolve.
void check_guard_margins(const GateInput& input) {
  const Definition& definition = input.subject.definition;
  const double margin = definition.guard_margin.value_or(definition.bar);
  for (const Workload& guard : definition.guards) {
    const auto pair_sd = pair_sd_of(guard, input.subject, input.model, input.context.history);
    if (!pair_sd) continue;
    const double least = smallest_guard_margin(*pair_sd, input.options.pairs_max);
    if (margin >= least) continue;
    refuse(fmt::format(
        "guard {} may lose {:.2f} %, but {} pairs could not show that it loses less than {:.2f} % "
        "(pair sd {:.2f} %): allow that in `guard_margin`, or, if the machine was busy when its "
        "noise was measured, run `assay calibrate --for {} --runs 6` while it is quiet",
        describe(guard), 100 * margin, input.options.pairs_max, 100 * least, 100 * *pair_sd,
        definition.slug));
  }
}

}  // namespace

GateResult gate_preflight(const GateInput& input) {
  const Subject& subject = input.subject;
  const Definition& definition = subject.definition;
  check_answerable(definition);
  GateResult result{.gate = "preflight",
                    .outcome = "green",
                    .reason = "",
                    .sentence = "",
                    .values = nlohmann::json::object(),
                    .seconds = 0};
  const int arms = arms_of(input.options, subject.device);
  for (const std::string& user : input.context.history.alpha_users(subject.alpha_key)) {
    if (user == definition.slug) continue;
    if (user == definition.supersedes) {
      check_is_over(user, subject, input.context.history);
      continue;
    }
    refuse(
        fmt::format("experiment {} has already judged this code on this workload and device: name "
                    "it in `supersedes` and say in `retry_when` which condition now holds",
                    user));
  }
  for (const OpChange& change : subject.changes) {
    result.values["changes"][change.op] = {{"incumbent", change.incumbent},
                                           {"candidate", change.candidate},
                                           {"incumbent_hash", change.incumbent_hash},
                                           {"candidate_hash", change.candidate_hash},
                                           {"row", change.device_key}};
  }
  check_guard_margins(input);
  result.values["edges"] = input.facts.edges;
  const Detectability detect =
      detectability(subject, input.model, input.context.history, input.options.pairs_max, arms);
  result.values["pair_sd"] = or_null(detect.pair_sd);
  result.values["smallest_detectable"] = or_null(detect.smallest);
  result.values["expect_wall"] = or_null(definition.expect_wall);
  const bool hopeless =
      detect.smallest && definition.expect_wall && *definition.expect_wall < *detect.smallest;
  if (hopeless && definition.override_reason.empty()) {
    refuse(fmt::format(
        "expect.wall is {:.2f} %, but the smallest effect that this machine could land "
        "is {:.2f} % (bar {:.2f} %, pair sd {:.2f} %): raise the gain, lower the bar, say in "
        "`override` why it should run all the same, or, if the machine was busy when its noise was "
        "measured, run `assay calibrate --for {} --runs 6` while it is quiet",
        100 * *definition.expect_wall, 100 * *detect.smallest, 100 * definition.bar,
        100 * *detect.pair_sd, definition.slug));
  }
  result.sentence =
      detect.smallest
          ? fmt::format("smallest detectable effect {:.2f} %, expected {:.2f} %{}",
                        100 * *detect.smallest, 100 * definition.expect_wall.value_or(0),
                        hopeless ? " (overridden)" : "")
          : "no calibration yet: the prediction is not checked";
  return result;
}

}  // namespace assay
