// assay note ID [TEXT...]: a dated paragraph in the experiment's notes file, or the editor on it;
// then the record and the index show it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "engine/core/lower.h"
#include "engine/core/whole_file.h"
#include "gates/cli/child_process.h"
#include "gates/cli/command.h"
#include "gates/cli/file_text.h"
#include "gates/cli/notes.h"
#include "gates/cli/text_check.h"
#include "gates/cli/workspace.h"
#include "recorder/correction.h"
#include "recorder/notes_check.h"
#include "recorder/record_parts.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string id;
  std::vector<std::string> words;
  std::string section = "Lessons";
  std::string corrects;
  CLI::Option* corrects_given = nullptr;
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

// Where the words were said, once and on one line: a section of the notes, or the definition.
Correction correction_of(const std::string& said, const std::string& correct,
                         const std::string& notes, const RecordParts& parts) {
  if (said.find('\n') != std::string::npos || correct.find('\n') != std::string::npos) {
    throw Error(ErrorKind::kUsage,
                "note: --corrects: the words and what is right are one line each");
  }
  std::string place;
  std::size_t count = 0;
  const auto look = [&](const std::string& title, const std::string& text) {
    for (std::size_t at = text.find(said); at != std::string::npos; at = text.find(said, at + 1)) {
      place = title;
      ++count;
    }
  };
  for (const auto& [title, text] : parse_notes("", notes).sections) {
    if (lower(title) != "corrections") look(title.empty() ? "notes" : title, text);
  }
  if (parts.definition && count == 0) {
    const Definition& definition = *parts.definition;
    for (const std::string& text : {definition.title, definition.hypothesis, definition.background,
                                    definition.principle, definition.retry_when}) {
      look("definition", text);
    }
  }
  if (count == 1) return {today(), place, said, correct};
  throw Error(ErrorKind::kUsage,
              fmt::format("note: --corrects: these words stand {} in the notes{}: copy those that "
                          "were said, enough of them to be found once; nothing was written",
                          count == 0 ? "neither" : fmt::format("{} times", count),
                          count == 0 ? " nor in the definition" : ""));
}

// Names that stand for no value, and a merge conflict, are refused before anything is written.
void refuse_unfit(const Workspace& workspace, const ExperimentLabel& label, const std::string& path,
                  const std::string& text) {
  const auto faults = unfit_in(workspace.store(), label, path, text);
  if (faults.empty()) return;
  throw Error(ErrorKind::kUsage, fmt::format("{}\nnothing was written", fmt::join(faults, "\n")));
}

int act(const Options& options, const CommonOptions& common) {
  std::string text;
  for (const std::string& word : options.words) text += (text.empty() ? "" : " ") + word;
  if (!options.words.empty() && text.find_first_not_of(" \t\n") == std::string::npos) {
    throw Error(ErrorKind::kUsage, "note: the text is empty; nothing was written");
  }
  refuse_text_not_utf8("note: TEXT", text);
  refuse_text_not_utf8("note: --corrects", options.corrects);
  if (options.corrects_given->count() > 0 && options.corrects.empty()) {
    throw Error(ErrorKind::kUsage, "note: --corrects is empty: give the words that were said");
  }
  if (text.find("\n#") != std::string::npos || text.starts_with("#")) {
    throw Error(
        ErrorKind::kUsage,
        "note: a line of the text begins with #, which would begin a section: give sections "
        "by --section; nothing was written");
  }
  if (text.empty() && !options.corrects.empty()) {
    throw Error(ErrorKind::kUsage,
                "note: --corrects needs TEXT, what is right; nothing was written");
  }
  Workspace workspace(common, Access::kWrite);
  const ExperimentLabel label = workspace.experiment(options.id);
  const std::string relative = "experiments/notes/" + label.slug + ".md";
  const std::string path = workspace.root() + "/" + relative;
  const std::string before = fs::exists(path) ? read_text_file(path) : empty_notes(label.slug);
  int code = 0;
  const auto checked = [&](std::string notes) {
    refuse_unfit(workspace, label, relative, notes);
    fs::create_directories(fs::path(path).parent_path());
    return notes;
  };
  if (!options.corrects.empty()) {
    const RecordParts parts = gather(workspace.store(), label, workspace.root(), true);
    const std::string line = correction_line(correction_of(options.corrects, text, before, parts));
    replace_file(path, checked(with_note(before, "Corrections", line)));
  } else if (text.empty()) {
    fs::create_directories(fs::path(path).parent_path());
    if (!fs::exists(path)) replace_file(path, before);
    edit(path);
    for (const auto& fault : unfit_in(workspace.store(), label, relative, read_text_file(path))) {
      std::cerr << "assay: " << fault << "\n";
      code = static_cast<int>(ErrorKind::kUsage);
    }
  } else {
    replace_file(path, checked(with_note(before, options.section, today() + ": " + text)));
  }
  const std::string record = workspace.publish(label);
  std::cout << fmt::format("note    {} ({})\nrecord  {}\n", relative,
                           options.corrects.empty() ? options.section : "Corrections", record);
  return code;
}

}  // namespace

Action define_note(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "the experiment's slug or number")->required();
  app.add_option("TEXT", options->words, "the note; without it, EDITOR opens the file");
  app.add_option("--section", options->section,
                 "Lessons (default), \"Veto mechanism\", \"Retry condition\" or Corrections")
      ->check(CLI::IsMember({"Lessons", "Veto mechanism", "Retry condition", "Corrections"}));
  options->corrects_given =
      app.add_option("--corrects", options->corrects,
                     "words of the notes or the definition that TEXT corrects; they stay, marked");
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
