// assay note ID [TEXT...]: a dated paragraph in the experiment's notes file, or the editor on it;
// then the record and the index show it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/lower.h"
#include "engine/core/whole_file.h"
#include "gates/cli/command.h"
#include "gates/cli/note_draft.h"
#include "gates/cli/notes.h"
#include "gates/cli/text_check.h"
#include "gates/cli/workspace.h"
#include "recorder/correction.h"
#include "recorder/notes_check.h"
#include "recorder/record_parts.h"

namespace assay {
namespace {

struct Options {
  std::string id;
  std::vector<std::string> words;
  std::string section = "Lessons";
  std::string corrects;
  CLI::Option* corrects_given = nullptr;
};

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

std::string notes_of(const std::string& slug) {
  return "experiments/notes/" + slug + ".md";
}

// The experiment's notes as they are, or as they begin.
std::string present_notes(const Workspace& workspace, const std::string& slug) {
  const std::string path = workspace.root() + "/" + notes_of(slug);
  return read_whole_file(path).value_or(empty_notes(slug));
}

// People may keep their notes elsewhere and link to them.
void write(const Workspace& workspace, const ExperimentLabel& label, const std::string& notes) {
  const std::string relative = notes_of(label.slug);
  refuse_unfit(workspace, label, relative, notes);
  replace_linked_file(workspace.root() + "/" + relative, notes, relative);
}

int publish(Workspace& workspace, const ExperimentLabel& label, const std::string& what) {
  const std::string record = workspace.publish(label);
  std::cout << fmt::format("note    {} ({})\nrecord  {}\n", notes_of(label.slug), what, record);
  return 0;
}

int add(const Options& options, const std::string& text, const CommonOptions& common) {
  Workspace workspace(common, Access::kWrite);
  const ExperimentLabel label = workspace.experiment(options.id);
  const std::string before = present_notes(workspace, label.slug);
  if (options.corrects.empty()) {
    write(workspace, label, with_note(before, options.section, today() + ": " + text));
    return publish(workspace, label, options.section);
  }
  const RecordParts parts = gather(workspace.store(), label, workspace.root(), true);
  const std::string line = correction_line(correction_of(options.corrects, text, before, parts));
  write(workspace, label, with_note(before, "Corrections", line));
  return publish(workspace, label, "Corrections");
}

// What the editor left, in the place of `before`.
int take_in(const NoteDraft& draft, const std::string& typed, const std::string& before,
            const std::string& slug, const CommonOptions& common) {
  std::optional<Workspace> workspace;
  ExperimentLabel label;
  try {
    refuse_text_not_utf8("note: what was typed", typed);
    workspace.emplace(common, Access::kWrite);
    label = workspace->experiment(slug);
    if (present_notes(*workspace, slug) != before) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} was changed while the editor was open; nothing was written",
                              notes_of(slug)));
    }
    write(*workspace, label, typed);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}; what was typed is kept in {}: copy into the notes "
                                          "what belongs there, then remove it",
                                          error.what(), draft.path()));
  }
  draft.remove();
  return publish(*workspace, label, "edited");
}

int edit(const Options& options, const CommonOptions& common) {
  std::string root, slug, before;
  {
    // Whoever could not write in the end is told before the typing. The lock is let go again.
    const Workspace workspace(common, Access::kWrite);
    root = workspace.root();
    slug = workspace.experiment(options.id).slug;
    before = present_notes(workspace, slug);
  }
  const std::string editor = editor_command();
  if (editor.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("no text was given and EDITOR is not set: write `assay note ID \"TEXT\"`, "
                    "set EDITOR, or edit {}/{} and run `assay index`",
                    root, notes_of(slug)));
  }
  const NoteDraft draft(root, slug, before);
  const int status = draft.edit(editor);
  const std::string typed = draft.text();
  if (typed == before) draft.remove();
  if (status != 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the editor `{}` ended with {}; nothing was written{}", editor, status,
                            typed == before ? "" : "; what was typed is kept in " + draft.path()));
  }
  if (typed != before) return take_in(draft, typed, before, slug, common);
  std::cout << fmt::format("note    {} (nothing was typed)\n", notes_of(slug));
  return 0;
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
  return text.empty() ? edit(options, common) : add(options, text, common);
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
