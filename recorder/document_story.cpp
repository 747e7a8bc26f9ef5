// Background, Principle, Implementation: the author's part of a record, and the code that was
// judged.
//
// A source named "in-service:PATH" in an attempt is the baseline's; it is compared with the
// candidate's PATH, or with the one file of its folder that the candidate brought. The second
// attempt's files are compared with the first one's.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/record/text_diff.h"
#include "recorder/record_parts.h"
#include "recorder/shown_value.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

constexpr const char* kBaselinePrefix = "in-service:";
using Sources = std::map<std::string, std::string>;  // path -> SHA-256

Span experiment_link(const RecordParts& parts, const std::string& slug) {
  for (const ExperimentLabel& other : parts.all) {
    if (other.slug == slug) return link(record_stem(other), record_stem(other) + ".md");
  }
  return code(slug);
}

void add_prose_or(Document& document, const std::string& text, const std::string& otherwise) {
  if (!text.empty()) {
    document.prose(text);
  } else if (!otherwise.empty()) {
    document.paragraph(otherwise);
  }
}

Sources baseline_sources(const Sources& sources) {
  Sources out;
  for (const auto& [path, sha256] : sources) {
    if (path.rfind(kBaselinePrefix, 0) == 0)
      out[path.substr(std::string(kBaselinePrefix).size())] = sha256;
  }
  return out;
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

// The file that `path` is to be compared with, as (path, SHA-256).
std::pair<std::string, std::string> counterpart(const std::string& path, const Sources& baseline) {
  const auto same = baseline.find(path);
  if (same != baseline.end()) return *same;
  std::vector<std::pair<std::string, std::string>> beside;
  for (const auto& entry : baseline) {
    if (folder_of(entry.first) == folder_of(path)) beside.push_back(entry);
  }
  return beside.size() == 1 ? beside[0] : std::pair<std::string, std::string>{};
}

void add_diff(Document& document, const RecordParts& parts, const std::string& path,
              const std::string& sha256, const Sources& baseline,
              const std::string& baseline_name) {
  const auto [other_path, other_sha256] = counterpart(path, baseline);
  if (other_path.empty() || other_sha256 == sha256) return;
  const auto before = parts.sources.find(other_sha256);
  const auto after = parts.sources.find(sha256);
  if (before == parts.sources.end() || after == parts.sources.end()) return;
  document.code_block(unified_diff(before->second, after->second, baseline_name + "/" + other_path,
                                   "candidate/" + path),
                      "diff");
}

void add_attempt_code(Document& document, const RecordParts& parts, std::size_t index) {
  const AttemptOpened& opened = parts.view.attempts[index].opened;
  document.heading(3, fmt::format("Code of attempt {}", opened.ordinal));
  std::vector<std::vector<Line>> rows{{{words("op")}, {words("candidate")}, {words("code hash")}}};
  for (const auto& [op, variant] : opened.candidate) {
    const auto hash = opened.code_hashes.find(variant);
    rows.push_back(
        {{code(op)},
         {code(variant)},
         {hash == opened.code_hashes.end() ? words("not recorded") : code(hash->second)}});
  }
  document.table(std::move(rows));
  document.paragraph({words("Fingerprint "), code(opened.fingerprint), words(".")});
  std::vector<Line> files;
  for (const auto& [path, sha256] : opened.sources) {
    const bool stored = parts.sources.count(sha256) != 0;
    files.push_back({code(path), words(", SHA-256 "), code(sha256.substr(0, 16)),
                     words(stored ? "" : ", its text is not stored")});
  }
  if (files.empty()) document.paragraph("No source was stored.");
  document.list(std::move(files));
  const Sources in_service = baseline_sources(opened.sources);
  for (const auto& [path, sha256] : opened.sources) {
    if (path.rfind(kBaselinePrefix, 0) == 0) continue;
    add_diff(document, parts, path, sha256, in_service, "in-service");
    if (index > 0) {
      const Sources& first = parts.view.attempts[index - 1].opened.sources;
      const auto before = first.find(path);
      if (before != first.end()) {
        add_diff(document, parts, path, sha256, {*before},
                 fmt::format("attempt-{}", parts.view.attempts[index - 1].opened.ordinal));
      }
    }
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

void add_implementation(Document& document, const RecordParts& parts) {
  document.heading(2, "3. Implementation");
  add_prose_or(document, parts.notes.section("implementation"), "");
  if (parts.view.attempts.empty())
    document.paragraph("No attempt was made: there is no code to show.");
  for (std::size_t i = 0; i < parts.view.attempts.size(); ++i) add_attempt_code(document, parts, i);
  if (parts.view.proposal.definition.empty()) return;
  document.heading(3, "The definition, as frozen");
  document.code_block(parts.view.proposal.definition, "yaml");
}

}  // namespace assay
