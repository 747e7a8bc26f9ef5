// Background and Principle: the author's part of a record.
#include <fmt/format.h>

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
void add_laws(Document& document, const RecordParts& parts) {
  const nlohmann::json& laws = value_at(parts.view.proposal.preflight, "laws");
  if (!laws.is_array() || laws.empty()) return;
  std::vector<Line> items;
  for (const nlohmann::json& law : laws) {
    const auto text = [&](const char* key) {
      const nlohmann::json& value = value_at(law, key);
      return value.is_string() ? value.get<std::string>() : std::string();
    };
    if (text("slug").empty()) continue;
    Line line{code(text("slug")),
              words(fmt::format(" ({}{}{}): {}", text("says"), text("state").empty() ? "" : ", ",
                                text("state"), text("statement")))};
    const nlohmann::json& evidence = value_at(law, "evidence");
    bool first = true;
    for (const nlohmann::json& slug : evidence.is_array() ? evidence : nlohmann::json::array()) {
      if (!slug.is_string()) continue;
      line.push_back(words(first ? " Evidence: " : ", "));
      line.push_back(experiment_link(parts, slug.get<std::string>()));
      first = false;
    }
    if (!first) line.push_back(words("."));
    if (!text("answer").empty()) line.push_back(words(" Answered: " + text("answer")));
    items.push_back(std::move(line));
  }
  if (items.empty()) return;
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
  for (const auto& [slug, answer] : parts.definition->answers) {
    document.paragraph({words("Answer to "), experiment_link(parts, slug), words(": " + answer)});
  }
  if (!parts.definition->campaign.empty()) {
    document.paragraph(
        {words("Part of the campaign "), code(parts.definition->campaign), words(".")});
  }
  add_laws(document, parts);
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
