#include "gates/cli/note_draft.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <span>

#include "engine/core/new_file.h"
#include "gates/cli/child_process.h"
#include "gates/cli/file_text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Another's draft, or a link to nothing.
bool is_taken(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

}  // namespace

NoteDraft::NoteDraft(const std::string& root, const std::string& slug, const std::string& text) {
  path_ = fmt::format("{}/results/note-{}.md", root, slug);
  for (int i = 2; is_taken(path_); ++i) {
    path_ = fmt::format("{}/results/note-{}-{}.md", root, slug, i);
  }
  NewFile file = NewFile::create(path_, "drafts");
  file.write_at(0, std::as_bytes(std::span(text)));
  file.keep();
}

int NoteDraft::edit(const std::string& editor) const {
  return run_companion({"/bin/sh", "-c", editor + " \"$1\"", "sh", path_});
}

std::string NoteDraft::text() const {
  return read_text_file(path_);
}

void NoteDraft::remove() const {
  ::unlink(path_.c_str());
}

std::string editor_command() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    const char* editor = std::getenv(name);
    if (editor != nullptr && *editor != '\0') return editor;
  }
  return "";
}

}  // namespace assay
