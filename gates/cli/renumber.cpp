// assay renumber ID [NUMBER]: another number for an experiment, in label, file names and documents;
// with --swap, the number of another one, which gets this one's.
//
// It is the way out of a clash (two records with one number after a `git merge`, or before an
// `assay merge`), so it goes on where other commands that write would stop for one.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "gates/cli/command.h"
#include "gates/cli/number_check.h"
#include "gates/cli/tell.h"
#include "gates/cli/workspace.h"
#include "recorder/ghost_labels.h"
#include "recorder/renumber.h"

namespace assay {
namespace {

struct Options {
  std::string id;
  int number = 0;  // 0: the next free one
  bool swap = false;
};

// The slug that ID means: of the database, or of a record file that could not come in.
ExperimentLabel meant(const std::string& id, const Workspace& workspace) {
  const std::vector<RecordFile> files = record_files_of(workspace.root());
  const auto known = workspace.store().find(id);
  std::vector<std::string> slugs;
  if (known) slugs.push_back(known->slug);
  for (const RecordFile& file : files) {
    const bool named =
        file.label.slug == id || (known && known->slug != id && file.label.number == known->number);
    if (named && std::find(slugs.begin(), slugs.end(), file.label.slug) == slugs.end()) {
      slugs.push_back(file.label.slug);
    }
  }
  if (slugs.size() > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("renumber: number {} is {} and {}: name the one by its slug", id,
                            slugs[0], slugs[1]));
  }
  if (slugs.empty()) return workspace.experiment(id);  // says what to do
  if (known) return *known;
  for (const RecordFile& file : files) {
    if (file.label.slug == slugs[0]) return file.label;
  }
  return workspace.experiment(id);
}

// Error(kUsage) for a number that would leave every later experiment far from the others.
void refuse_far(int number, FreeNumbers free) {
  const int highest = free.next() - 1;
  const int most = std::min(kLargestNumber, highest + kMostAhead);
  if (number <= most) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("renumber: {} is too far above {}, the highest number in use: those that "
                          "are proposed later would follow it. {} is the highest that can be, and "
                          "any free one below will do; nothing was changed",
                          number, highest, most));
}

// What is left to do, once the labels are changed, and `said` of it.
int finish(Workspace& workspace, const std::string& said) {
  try {
    workspace.settle_numbers();
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}; but not all of its files are in place yet: {}", said,
                                          for_the_next_command(error.what())));
  }
  std::cout << said << "; no hash changed\n";
  for (const auto& finding : workspace.findings()) tell(finding.text);
  if (!workspace.findings().empty()) {
    tell("documents are written once this is mended, by the next command");
  }
  return workspace.exit_code();
}

int swap(Workspace& workspace, const ExperimentLabel& one, int number, const RunOpened& opened) {
  const auto other = workspace.store().find(std::to_string(number));
  if (!other || other->slug == one.slug) {
    throw Error(ErrorKind::kUsage,
                fmt::format("renumber: --swap: {} {}; leave --swap out", number,
                            other ? "is its own number" : "is no other experiment's number"));
  }
  begin_swap(workspace.store(), workspace.root(), one, *other, opened);
  return finish(workspace, fmt::format("{} is number {} now (it was {}), and {} is number {}",
                                       one.slug, number, one.number, other->slug, one.number));
}

int act(const Options& options, const CommonOptions& common) {
  if (options.swap && options.number == 0) {
    throw Error(ErrorKind::kUsage,
                "renumber: --swap needs a NUMBER: that of the experiment to exchange it with");
  }
  Workspace workspace(common, Access::kNumber);
  Store& store = workspace.store();
  refuse_ghost_labels(store, workspace.database());
  const ExperimentLabel before = meant(options.id, workspace);
  const RunOpened opened{
      .command = "renumber", .argv = common.argv, .provenance = light_provenance()};
  if (options.swap) return swap(workspace, before, options.number, opened);
  FreeNumbers free(store, workspace.root());
  refuse_far(options.number, free);
  const int number = options.number > 0 ? options.number : free.next();
  const ExperimentLabel after{number, before.slug};
  const auto done = begin_renumber(store, workspace.root(), after, opened);
  if (!done) {
    std::cout << fmt::format("{} has number {} already; nothing changed\n", after.slug, number);
    return workspace.exit_code();
  }
  return finish(workspace, fmt::format("{} is number {} now (it was {})", after.slug, number,
                                       done->earlier.front()));
}

}  // namespace

Action define_renumber(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "the experiment's slug or number")->required();
  app.add_option("NUMBER", options->number,
                 fmt::format("its new number (default: the next free one): any that is free, up to "
                             "{} above the highest in use",
                             kMostAhead))
      ->transform(whole_number(1, kLargestNumber));
  app.add_flag("--swap", options->swap,
               "NUMBER is another experiment's, which gets this one's in exchange");
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
