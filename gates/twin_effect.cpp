#include "gates/twin_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/utc_time.h"
#include "gates/environment.h"
#include "gates/proposal.h"
#include "gates/statistics/pair_value.h"

namespace assay {

double aa_scale(int arms) {
  return arms == 3 ? std::sqrt(3.0) / 2 : 1;
}

AaRun aa_run_of(const AaEffect& effect, int arms) {
  AaRun run{effect.id, effect.pair_values};
  for (double& value : run.pair_values) value *= aa_scale(arms);
  return run;
}

void record_twins(const AbPlan& plan, const std::vector<LaunchPair>& pairs,
                  const std::string& attempt, const std::string& key, const RunOpened& opened,
                  const RunContext& context) {
  std::vector<double> contrasts = twin_contrasts(pairs);
  if (plan.arms != 3 || contrasts.size() < 2) return;
  const std::string id = "twins-of-" + attempt;
  for (const AaEffect& known : context.history.aa_history(key, aa_since())) {
    if (known.id == id) return;
  }
  for (double& value : contrasts) value /= aa_scale(3);
  double sum = 0;
  for (const double value : contrasts) sum += value;
  const double estimate = effect_of(sum / static_cast<double>(contrasts.size()));
  const std::string run = context.journal.open_run("", opened);
  const AaEffect effect{.id = id,
                        .key = key,
                        .host = host_name(),
                        .at = utc_now(),
                        .pair_values = std::move(contrasts)};
  context.journal.append(run, EventKind::kCalibrated, effect);
  context.journal.end_run(run, {"calibrated", 0, fmt::format("{:+.2f} %", 100 * estimate)});
}

}  // namespace assay
