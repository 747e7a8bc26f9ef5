// assay note ID [TEXT...]: a dated paragraph in the experiment's notes file, or the editor on it;
// then the record and the index show it.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "gates/cli/child_process.h"
#include "gates/cli/command.h"
#include "gates/cli/file_text.h"
#include "gates/cli/notes.h"
#include "gates/cli/workspace.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string id;
  std::vector<std::string> words;
  std::string section = "Lessons";
};

void edit(const std::string& path) {
  const char* editor = std::getenv("VISUAL");
  if (editor == nullptr || *editor == '\0') editor = std::getenv("EDITOR");
  if (editor == nullptr || *editor == '\0') {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("no text was given and EDITOR is not set: write `assay note ID \"TEXT\"`, "
                    "set EDITOR, or edit {} and run `assay index`",
                    path));
  }
  const int status = run_child({"sh", "-c", std::string(editor) + " \"$1\"", "sh", path}, true);
  if (status != 0) {
    throw Error(ErrorKind::kUsage, fmt::format("the editor `{}` ended with {}; {} is as it left it",
                                               editor, status, path));
  }
}

int act(const Options& options, const CommonOptions& common) {
  std::string text;
  for (const std::string& word : options.words) text += (text.empty() ? "" : " ") + word;
  if (!options.words.empty() && text.find_first_not_of(" \t\n") == std::string::npos) {
    throw Error(ErrorKind::kUsage, "note: the text is empty; nothing was written");
  }
  Workspace workspace(common, Access::kWrite);
  const ExperimentLabel label = workspace.experiment(options.id);
  const std::string relative = "experiments/notes/" + label.slug + ".md";
  const std::string path = workspace.root() + "/" + relative;
  const std::string before = fs::exists(path) ? read_text_file(path) : empty_notes(label.slug);
  fs::create_directories(fs::path(path).parent_path());
  if (text.empty()) {
    if (!fs::exists(path)) replace_file(path, before);
    edit(path);
  } else {
    replace_file(path, with_note(before, options.section, today() + ": " + text));
  }
  const std::string record = workspace.publish(label);
  std::cout << fmt::format("note    {} ({})\nrecord  {}\n", relative, options.section, record);
  return 0;
}

}  // namespace

Action define_note(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "the experiment's slug or number")->required();
  app.add_option("TEXT", options->words, "the note; without it, EDITOR opens the file");
  app.add_option("--section", options->section,
                 "Lessons (default), \"Veto mechanism\", \"Retry condition\" or Corrections")
      ->check(CLI::IsMember({"Lessons", "Veto mechanism", "Retry condition", "Corrections"}));
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
