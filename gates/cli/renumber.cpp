// assay renumber ID [NUMBER]: another number for an experiment, in label, file names and documents.
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
#include "gates/cli/workspace.h"
#include "recorder/ghost_labels.h"
#include "recorder/renumber.h"

namespace assay {
namespace {

struct Options {
  std::string id;
  int number = 0;  // 0: the next free one
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

int act(const Options& options, const CommonOptions& common) {
  Workspace workspace(common, Access::kNumber);
  Store& store = workspace.store();
  refuse_ghost_labels(store, workspace.database());
  const ExperimentLabel before = meant(options.id, workspace);
  const int number =
      options.number > 0 ? options.number : FreeNumbers(store, workspace.root()).next();
  if (number > kLargestNumber) {
    throw Error(ErrorKind::kUsage, fmt::format("renumber: no number above {} can be; name a free "
                                               "one below",
                                               kLargestNumber));
  }
  const ExperimentLabel after{number, before.slug};
  const auto done = begin_renumber(
      store, workspace.root(), after,
      {.command = "renumber", .argv = common.argv, .provenance = light_provenance()});
  if (!done) {
    std::cout << fmt::format("{} has number {} already; nothing changed\n", after.slug, number);
    return workspace.exit_code();
  }
  workspace.settle_numbers();
  std::cout << fmt::format("{} is number {} now (it was {}); no hash changed\n", after.slug, number,
                           done->earlier.front());
  for (const auto& finding : workspace.findings()) std::cerr << "assay: " << finding.text << "\n";
  if (!workspace.findings().empty()) {
    std::cerr << "assay: documents are written once this is mended, by the next command\n";
  }
  return workspace.exit_code();
}

}  // namespace

Action define_renumber(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "the experiment's slug or number")->required();
  app.add_option("NUMBER", options->number, "its new number (default: the next free one)")
      ->check(whole_number(1, kLargestNumber));
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
