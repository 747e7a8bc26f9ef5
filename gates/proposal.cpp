#include "gates/proposal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/core/utc_time.h"
#include "experiments/definition_checks.h"
#include "gates/proposal_laws.h"
#include "gates/statistics/plan_simulation.h"
#include "gates/twin_effect.h"

namespace assay {
namespace {

// Pooled sd of the pair values within the runs.
std::optional<double> pooled_sd(const std::vector<AaEffect>& effects) {
  double squares = 0;
  double freedom = 0;
  for (const AaEffect& effect : effects) {
    const double n = static_cast<double>(effect.pair_values.size());
    if (n < 2) continue;
    double mean = 0;
    for (const double value : effect.pair_values) mean += value / n;
    for (const double value : effect.pair_values) squares += (value - mean) * (value - mean);
    freedom += n - 1;
  }
  if (freedom < 1) return std::nullopt;
  return std::sqrt(squares / freedom);
}

void add_line(ProposalCheck& check, const std::string& line) {
  check.lines.push_back(line);
}

// Earlier experiments on the same lever, most recent last.
void add_prior(const Definition& definition, const RunContext& context, ProposalCheck& check) {
  nlohmann::json prior = nlohmann::json::array();
  for (const ExperimentLabel& label : context.history.experiments()) {
    if (label.slug == definition.slug) continue;
    const ExperimentView view = fold(context.history.events(label.slug));
    if (view.proposal.definition.empty()) continue;
    Definition other;
    try {
      other = parse_definition(view.proposal.definition, label.slug);
    } catch (const Error&) {
      continue;  // its lever or a variant is gone
    }
    if (other.lever != definition.lever) continue;
    const AttemptView* judged = view.judged();
    const std::string verdict =
        judged == nullptr
            ? to_string(view.state)
            : judged->verdict->verdict +
                  (judged->verdict->reason.empty() ? "" : " (" + judged->verdict->reason + ")");
    add_line(check, fmt::format("prior   {:04} {}  {}", label.number, label.slug, verdict));
    if (!other.retry_when.empty()) add_line(check, "        retry when: " + other.retry_when);
    prior.push_back({{"number", label.number}, {"slug", label.slug}, {"verdict", verdict}});
  }
  if (prior.empty()) add_line(check, "prior   none on lever " + definition.lever);
  check.stored["prior"] = std::move(prior);
}

}  // namespace

std::string aa_since() {
  return utc_text(std::chrono::system_clock::now() - std::chrono::hours(24 * 30));
}

Detectability detectability(const Subject& subject, const LoadReply& model, const History& history,
                            int pairs_max, int arms) {
  const Definition& definition = subject.definition;
  const std::string key =
      aa_key(subject.manifest, subject.device, model.sha256, definition.workloads.front());
  const std::vector<AaEffect> effects = history.aa_history(key, aa_since());
  Detectability detect;
  detect.pair_sd = pooled_sd(effects);
  if (detect.pair_sd) {
    *detect.pair_sd *= aa_scale(arms);
    AbPlan plan = make_plan(definition.bar, pairs_max,
                            definition.guard_margin.value_or(definition.bar), arms);
    for (const AaEffect& effect : effects) plan.aa.push_back(aa_run_of(effect, arms));
    const int missing = kLeastAaRuns - static_cast<int>(effects.size());
    if (*detect.pair_sd > 0) {
      detect.smallest = smallest_detectable_effect(
          plan, *detect.pair_sd, {.runs = std::max(0, missing), .pairs = CalibrateOptions{}.pairs});
    }
  }
  return detect;
}

std::optional<double> pair_sd_of(const Workload& workload, const Subject& subject,
                                 const LoadReply& model, const History& history) {
  const std::string key = aa_key(subject.manifest, subject.device, model.sha256, workload);
  return pooled_sd(history.aa_history(key, aa_since()));
}

ProposalCheck check_proposal(const Definition& definition, const RunContext& context) {
  check_definition(definition);
  check_answerable(definition);
  const std::string unasked = check_runnable(definition, context);
  ProposalCheck check;
  check.stored = nlohmann::json::object();
  add_line(check, fmt::format("lever   {} (class {})", definition.lever,
                              to_string(definition.lever_class)));
  add_line(check, "measure " + describe(definition.workloads.front()));
  if (!unasked.empty()) add_line(check, unasked);
  add_prior(definition, context, check);
  check_known_ground(definition, context, check);
  add_line(check, fmt::format("bar     {:.2f} %{}", 100 * definition.bar,
                              definition.expect_wall ? fmt::format(", expected {:.2f} %",
                                                                   100 * *definition.expect_wall)
                                                     : ""));
  if (!definition.supersedes.empty()) {
    if (!context.history.find(definition.supersedes)) {
      throw Error(ErrorKind::kUsage,
                  "supersedes names " + definition.supersedes +
                      ", which history does not know; `assay query` lists slugs");
    }
    if (definition.retry_when.empty()) {
      throw Error(ErrorKind::kUsage, "supersedes " + definition.supersedes +
                                         " needs retry_when: say which condition now holds");
    }
  }
  return check;
}

}  // namespace assay
