// Background and Principle: the author's part of a record.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/law_state.h"
#include "recorder/record_parts.h"
#include "recorder/shown_value.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

Span experiment_link(const RecordParts& parts, const std::string& slug) {
  for (const ExperimentLabel& other : *parts.all) {
    if (other.slug == slug) return link(record_stem(other), record_stem(other) + ".md");
  }
  return code(slug);
}

// What `propose` held against the definition, as it was then: stored with the proposal.
void add_laws(Document& document, const RecordParts& parts, const std::vector<LawTouched>& laws) {
  if (laws.empty()) return;
  std::vector<Line> items;
  for (const LawTouched& law : laws) {
    Line line{code(law.slug),
              words(fmt::format(" ({}{}{}): {}", law.says, law.state.empty() ? "" : ", ", law.state,
                                law.statement))};
    for (const std::string& slug : law.evidence) {
      line.push_back(words(&slug == &law.evidence.front() ? " Evidence: " : ", "));
      line.push_back(experiment_link(parts, slug));
    }
    if (!law.evidence.empty()) line.push_back(words("."));
    if (!law.answer.empty()) line.push_back(words(" Answered: " + law.answer));
    items.push_back(std::move(line));
  }
  document.heading(3, "Laws touched");
  document.list(std::move(items));
}

void add_prose_or(Document& document, const std::string& text, const std::string& otherwise) {
  if (!text.empty()) {
    document.prose(text);
  } else if (!otherwise.empty()) {
    document.paragraph(otherwise);
  }
}

}  // namespace

void add_background(Document& document, const RecordParts& parts) {
  document.heading(2, "1. Background");
  const std::string text = parts.definition ? parts.definition->background : "";
  add_prose_or(document, text,
               parts.notes.has("background") ? "" : "The author wrote no background.");
  add_prose_or(document, parts.notes.section("background"), "");
  if (!parts.definition) return;
  for (const std::string& slug : parts.definition->derived_from) {
    document.paragraph({words("Derived from "), experiment_link(parts, slug), words(".")});
  }
  if (!parts.definition->supersedes.empty()) {
    document.paragraph(
        {words("Supersedes "), experiment_link(parts, parts.definition->supersedes), words(".")});
  }
  const std::vector<LawTouched> laws = laws_touched(parts.view.proposal.preflight);
  for (const auto& [slug, answer] : parts.definition->answers) {
    const bool with_laws = std::any_of(laws.begin(), laws.end(), [&](const LawTouched& law) {
      return law.slug == slug && law.answer == answer;
    });
    if (with_laws) continue;
    document.paragraph({words("Answer to "), experiment_link(parts, slug), words(": " + answer)});
  }
  if (!parts.definition->campaign.empty()) {
    document.paragraph(
        {words("Part of the campaign "), code(parts.definition->campaign), words(".")});
  }
  add_laws(document, parts, laws);
}

void add_principle(Document& document, const RecordParts& parts) {
  document.heading(2, "2. Principle");
  if (parts.definition) {
    const Definition& definition = *parts.definition;
    document.paragraph({strong("Hypothesis:"), words(" " + definition.hypothesis)});
    const std::string mechanism =
        definition.mechanism.empty() ? "not declared" : definition.mechanism;
    document.paragraph({strong("Mechanism:"), words(" " + mechanism)});
    std::string expected = "bar " + percent(definition.bar);
    if (definition.expect_wall) expected += ", wall " + percent(*definition.expect_wall);
    if (definition.expect_kernel) expected += ", kernel " + percent(*definition.expect_kernel);
    document.paragraph({strong("Declared before the run:"), words(" " + expected)});
    if (!definition.override_reason.empty()) {
      document.paragraph(
          {strong("Run against the prediction:"), words(" " + definition.override_reason)});
    }
    add_prose_or(document, definition.principle, "");
  }
  add_prose_or(document, parts.notes.section("principle"), "");
}

}  // namespace assay
