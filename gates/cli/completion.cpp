// assay completion SHELL: a script that completes commands, flags, and what they take.
//
// The scripts ask back for what depends on the workspace (`--words`, which `--help` does not list):
// experiments by their records' file names, so that no database is opened while somebody types.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "engine/core/error.h"
#include "experiments/historical.h"
#include "experiments/law.h"
#include "experiments/levers.h"
#include "gates/cli/command.h"
#include "gates/cli/completion_script.h"
#include "gates/cli/workspace.h"
#include "kernels/variant.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string shell, words;
};

std::vector<std::string> names_in(const std::string& folder, const char* extension) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator file(folder, error);
  for (; !error && file != fs::directory_iterator(); file.increment(error)) {
    if (file->path().extension() == extension) names.push_back(file->path().stem().string());
  }
  return names;
}

// What a shell would not take for itself: a name of a file may be anything.
bool is_plain(const std::string& word) {
  return !word.empty() &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

// Slugs of records and of definitions that were not proposed yet; historical entries by id.
std::set<std::string> ids(const std::string& root) {
  std::set<std::string> found;
  for (const std::string& stem : names_in(root + "/results/records", ".json")) {
    const std::size_t dash = stem.find('-');
    if (dash != std::string::npos && is_plain(stem.substr(dash + 1))) {
      found.insert(stem.substr(dash + 1));
    }
  }
  for (const std::string& slug : names_in(root + "/experiments/definitions", ".yaml")) {
    if (is_plain(slug)) found.insert(slug);
  }
  for (const HistoricalEntry& entry : read_historical(root).entries) found.insert(entry.id);
  return found;
}

std::set<std::string> asked(const std::string& kind, const CommonOptions& common) {
  std::set<std::string> words;
  const auto root = look_for_workspace(common);
  if (kind == "ids" && root) return ids(*root);
  if (kind == "laws" && root) {
    for (const Law& law : read_laws(*root)) words.insert(law.slug);
  }
  const bool names = kind == "names";  // all that `tried` takes for the name of something
  if (kind == "levers" || names) {
    for (const Lever& lever : levers()) words.insert(lever.name);
  }
  for (const OpVariants& op : all_ops()) {
    if (kind == "ops" || names) words.insert(std::string(op.op.op));
    if (kind != "variants" && !names) continue;
    for (const VariantInfo& variant : op.variants) words.insert(std::string(variant.id));
  }
  if (kind == "commands") {
    for (const Command& command : commands()) words.insert(std::string(command.name));
  }
  return words;
}

int act(const Options& options, const CommonOptions& common) {
  if (!options.words.empty()) {
    for (const std::string& word : asked(options.words, common)) std::cout << word << "\n";
    return 0;
  }
  if (options.shell.empty()) {
    throw Error(ErrorKind::kUsage,
                "completion: which shell? `assay completion bash`, `zsh` or `fish`");
  }
  std::vector<CommandFacts> all;
  for (const Command& command : commands()) all.push_back(facts_of_command(command));
  if (options.shell == "bash") std::cout << bash_completion(all);
  if (options.shell == "zsh") std::cout << zsh_completion(all);
  if (options.shell == "fish") std::cout << fish_completion(all);
  return 0;
}

}  // namespace

Action define_completion(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("SHELL", options->shell, "bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.add_option("--words", options->words, "for the scripts: what can be completed here")
      ->type_name("KIND")
      ->check(CLI::IsMember({"ids", "laws", "levers", "ops", "variants", "commands", "names"}))
      ->group("");
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
