// assay propose FILE: checks a definition, gives it a number, and freezes it.
//
// Freezing means: `run` reads the stored text and never the file. Until the first pair of an A/B is
// measured, or an attempt is used, proposing another text replaces it; afterwards the question is
// settled and an edit is refused with a diff (who could replace it after some pairs would start
// over whenever they do not look promising). The same text again changes nothing, so that a script
// may propose before every run.
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "experiments/record/text_diff.h"
#include "gates/cli/command.h"
#include "gates/cli/counted.h"
#include "gates/cli/definition_check.h"
#include "gates/cli/file_text.h"
#include "gates/cli/workspace.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

// True when the stored definition is this very text.
bool already_proposed(const Definition& definition, const ExperimentView& view) {
  if (view.proposal.definition == definition.text) return true;
  const bool finished =
      view.state != ExperimentState::kProposed && view.state != ExperimentState::kOpen;
  const int measured = view.measured_pairs();
  if (!is_settled(view)) return false;
  const std::string diff =
      unified_diff(view.proposal.definition, definition.text, "as frozen", "this file");
  const std::string why =
      finished ? fmt::format("{} is {}", definition.slug, to_string(view.state))
      : view.used_attempts() > 0
          ? fmt::format("{} has used {} of 2 attempts", definition.slug, view.used_attempts())
          : fmt::format("{} has measured {} of its A/B", definition.slug,
                        counted(static_cast<std::size_t>(measured), "pair"));
  throw Error(
      ErrorKind::kUsage,
      fmt::format("{}, so its definition is frozen and cannot change:\n{}Put the old text back, or "
                  "ask the new question under another slug{}.",
                  why, diff, finished ? " (with supersedes and retry_when)" : ""));
}

int act(const std::string& file, const CommonOptions& common) {
  const Definition definition = parse_definition(read_text_file(file), file);
  Workspace workspace(common, Access::kWrite);
  Store& store = workspace.store();
  bool replaces = false;
  if (const auto label = store.find(definition.slug); label && label->slug == definition.slug) {
    const ExperimentView view = workspace.view(*label);
    if (already_proposed(definition, view)) {
      workspace.publish(*label);  // an earlier one may have been cut short before this
      std::cout << fmt::format(
          "{:04} {} is proposed already with this very text ({}); nothing "
          "changed\n",
          label->number, label->slug, to_string(view.state));
      return 0;
    }
    replaces = !view.proposal.definition.empty();
  }
  const ProposalCheck check = check_proposal(definition, workspace.context(common));
  for (const std::string& line : check.lines) std::cout << visible_line(line) << "\n";

  ExperimentLabel label{0, definition.slug};
  // A number without a proposal would be half a step.
  store.together([&] {
    label.number = store.number_for(definition.slug);
    const std::string run = store.open_run(
        label.slug, {.command = "propose", .argv = common.argv, .provenance = light_provenance()});
    store.append(run, EventKind::kProposed,
                 Proposed{.definition = definition.text,
                          .definition_sha256 = sha256_hex(definition.text),
                          .preflight = check.stored});
    store.end_run(run, {.outcome = "proposed", .exit_code = 0, .message = "definition frozen"});
  });
  const std::string record = workspace.publish(label);
  std::cout << fmt::format("{} {:04} {}\nrecord  {}\nnext    `assay run {}`\n",
                           replaces ? "proposed again," : "proposed", label.number, label.slug,
                           record, label.slug);
  return 0;
}

}  // namespace

Action define_propose(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  app.add_option("FILE", *file, "the definition, usually experiments/definitions/SLUG.yaml")
      ->required();
  return [file](const CommonOptions& common) { return act(*file, common); };
}

}  // namespace assay
