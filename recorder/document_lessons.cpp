// Lessons: the author's words after the result, from the notes. A REVERT owes them.
#include <fmt/format.h>

#include "engine/core/lower.h"
#include "recorder/record_parts.h"
#include "recorder/shown_value.h"

namespace assay {
namespace {

void add_section(Document& document, const Notes& notes, const std::string& section,
                 const std::string& title) {
  if (!notes.has(section)) return;
  document.heading(3, title);
  document.prose(notes.section(section));
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return out;
}

}  // namespace

void add_lessons(Document& document, const RecordParts& parts) {
  document.heading(2, "6. Lessons");
  const ExperimentView& view = parts.view;
  if (view.state == ExperimentState::kLanded) {
    const nlohmann::json& confirmation = value_at(view.judged()->verdict->effect, "confirmation");
    document.paragraph(
        {strong("Confirmed effect:"), words(" " + percent(value_at(confirmation, "estimate")))});
  }
  const std::vector<std::string> owed = lessons_owed(view, parts.notes);
  if (!owed.empty()) {
    document.paragraph(
        {strong("Lessons owed:"), words(fmt::format(" this REVERT still needs its {} (in {}).",
                                                    joined(owed), parts.notes.path))});
  }
  const bool written = parts.notes.has("lessons") || parts.notes.has("");
  if (!written && owed.empty()) document.paragraph("The author has written no lessons.");
  if (parts.notes.has("")) document.prose(parts.notes.section(""));
  if (parts.notes.has("lessons")) document.prose(parts.notes.section("lessons"));
  add_section(document, parts.notes, "veto mechanism", "Veto mechanism");
  add_section(document, parts.notes, "retry condition", "Retry condition");
  if (parts.definition && !parts.definition->retry_when.empty()) {
    document.paragraph({strong("Retry condition, as declared before the run:"),
                        words(" " + parts.definition->retry_when)});
  }
  add_section(document, parts.notes, "corrections", "Corrections");
  for (const std::string& title : parts.notes.others) {
    add_section(document, parts.notes, lower(title), title);
  }
}

}  // namespace assay
