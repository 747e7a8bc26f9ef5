// The notes of an experiment while they are in an editor: a copy, results/note-SLUG.md.
//
// Somebody may type for an hour, and no other command should wait for that: the lock of the
// workspace is let go, and the notes themselves stay as they are until the editor has ended.
// Rejected: the editor on the notes themselves, where another command may write meanwhile, and
// which leaves a file where nothing was typed.
//
// A draft stays until remove(): whatever goes wrong, what was typed is there.
#pragma once

#include <string>

namespace assay {

class NoteDraft {
 public:
  // A new file of that text; a draft that an earlier command left stays what it is.
  NoteDraft(const std::string& root, const std::string& slug, const std::string& text);
  const std::string& path() const { return path_; }
  // Runs the editor on it and waits; its exit code.
  int edit(const std::string& editor) const;
  // What is in it now. Error(kUsage) where the editor has removed it.
  std::string text() const;
  void remove() const;

 private:
  std::string path_;
};

// VISUAL, else EDITOR; empty when neither is set.
std::string editor_command();

}  // namespace assay
