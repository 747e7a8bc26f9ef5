// Proposing looked at these already. What was there then may be gone now: a record that was deleted
// or never shared, whose lessons the later experiment speaks of. `derived_from` is left out, since
// nothing holds it to anything when it is proposed.
//
// A file that is not there is no finding: `propose` takes it from any place, and leaves it there.
#include "gates/cli/definition_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "experiments/definition.h"
#include "experiments/historical.h"
#include "recorder/visible_text.h"

namespace assay {

bool is_settled(const ExperimentView& view) {
  const bool open =
      view.state == ExperimentState::kProposed || view.state == ExperimentState::kOpen;
  return !open || view.used_attempts() > 0 || view.measured_pairs() > 0;
}

DefinitionCheck::DefinitionCheck(const Workspace& workspace) : root_(workspace.root()) {
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
        "{}: supersedes {}, which is no experiment of this history: its record was deleted, "
        "never shared, or left out of an export; restore it (git log -- "
        "'results/records/*-{}.json' "
        "shows where it was), or `assay import` an archive that has it",
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

// "" where the file is as frozen, or is not there.
std::string DefinitionCheck::edited(const ExperimentLabel& label, std::string frozen) const {
  const std::string path = fmt::format("experiments/definitions/{}.yaml", label.slug);
  std::optional<std::string> text;
  try {
    text = read_whole_file(root_ + "/" + path, path);
  } catch (const Error& error) {
    return error.what();
  }
  if (!text) return "";
  for (std::string* of : {&*text, &frozen}) std::erase(*of, '\r');  // git may change line ends
  if (*text == frozen) return "";
  const auto at = static_cast<std::size_t>(
      std::mismatch(text->begin(), text->end(), frozen.begin(), frozen.end()).first -
      text->begin());
  const std::size_t start = at == 0 ? 0 : text->rfind('\n', at - 1) + 1;
  // Up to there both are the same.
  const auto line = [&](const std::string& of) {
    return start >= of.size()
               ? "the end of the file"
               : fmt::format(
                     "\"{}\"",
                     cut_to_width(visible_line(of.substr(start, of.find('\n', start) - start)),
                                  120));
  };
  return fmt::format(
      "{0}:{1}: is {2}, was frozen as {3}, which counts; put it back (git checkout -- {0}; `assay "
      "show {4}` has the frozen text), and ask anything new under another slug",
      path, 1 + std::count(text->begin(), text->begin() + static_cast<long>(start), '\n'),
      line(*text), line(frozen), label.slug);
}

std::vector<std::string> DefinitionCheck::faults(const ExperimentLabel& label,
                                                 const ExperimentView& view) const {
  const std::string& frozen = view.proposal.definition;
  if (frozen.empty()) return {};
  std::vector<std::string> lines = unknown_references(record_stem(label), frozen);
  if (!is_settled(view)) return lines;
  if (std::string line = edited(label, frozen); !line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace assay
