// Proposing looked at these already. What was there then may be gone now: a record that was deleted
// or never shared, whose lessons the later experiment speaks of. `derived_from` is left out, since
// nothing holds it to anything when it is proposed.
#include "gates/cli/definition_check.h"

#include <fmt/format.h>

#include "engine/core/error.h"
#include "experiments/definition.h"
#include "experiments/historical.h"

namespace assay {

DefinitionCheck::DefinitionCheck(const Workspace& workspace) {
  const HistoricalEntries historical = read_historical(workspace.root());
  if (historical.faults.empty()) {
    historical_.emplace();
    for (const HistoricalEntry& entry : historical.entries) {
      historical_->insert(entry.id);
      historical_->insert(entry.stem());
    }
  }
  if (!workspace.findings().empty()) return;
  experiments_.emplace();
  for (const ExperimentLabel& label : workspace.store().experiments()) {
    experiments_->insert(label.slug);
  }
}

std::vector<std::string> DefinitionCheck::unknown_references(const std::string& name,
                                                             const std::string& text) const {
  const bool names_any =
      text.find("supersedes") != std::string::npos || text.find("answers") != std::string::npos;
  if (!names_any || !historical_) return {};
  Definition definition;
  try {
    definition = parse_definition(text, name);
  } catch (const Error&) {
    return {};  // frozen by a version that knew other keys
  }
  std::vector<std::string> lines;
  const std::string& earlier = definition.supersedes;
  if (!earlier.empty() && experiments_ && !experiments_->contains(earlier) &&
      !historical_->contains(earlier)) {
    lines.push_back(fmt::format(
        "{}: supersedes {}, which is no experiment of this history: its record was deleted, or "
        "never shared; restore it (git log -- 'results/records/*-{}.json' shows where it was), or "
        "`assay import` an archive that has it",
        name, earlier, earlier));
  }
  for (const auto& [answered, why] : definition.answers) {
    if (!answered.starts_with("hist-") || historical_->contains(answered)) continue;
    lines.push_back(fmt::format(
        "{0}: answers {1}, which is no historical entry here: its file was deleted, or never "
        "shared; restore it (git checkout -- {2}/{1}.yaml)",
        name, answered, kHistoricalFolder));
  }
  return lines;
}

std::vector<std::string> DefinitionCheck::faults(const ExperimentLabel& label,
                                                 const ExperimentView& view) const {
  const std::string& frozen = view.proposal.definition;
  if (frozen.empty()) return {};
  return unknown_references(record_stem(label), frozen);
}

}  // namespace assay
