// Implementation: the code that was judged, as a difference from what is in service.
//
// An attempt stores the sources of its candidate and of the variant in service, by path. Which file
// is whose follows from the house's names: op[_type].backend.mechanism lies in
// kernels/op/backend_mechanism[_type].EXT. A source named "in-service:PATH" is the baseline's text
// of a PATH that the candidate changed. The second attempt's files are compared with the first
// one's.
//
// A diff longer than kMostLines is cut, with a pointer to the whole text.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/record/text_diff.h"
#include "recorder/record_parts.h"
#include "recorder/shown_value.h"

namespace assay {
namespace {

constexpr const char* kBaselinePrefix = "in-service:";
constexpr std::size_t kMostLines = 160;              // of one diff
using Sources = std::map<std::string, std::string>;  // path -> SHA-256

bool is_baseline(const std::string& path) {
  return path.rfind(kBaselinePrefix, 0) == 0;
}

Sources baseline_sources(const Sources& sources) {
  Sources out;
  for (const auto& [path, sha256] : sources) {
    if (is_baseline(path)) out[path.substr(std::string(kBaselinePrefix).size())] = sha256;
  }
  return out;
}

// op -> the variant in service that an attempt was measured against, as its preflight says.
std::map<std::string, std::string> incumbents_of(const ExperimentView& view,
                                                 const AttemptView& attempt) {
  std::map<std::string, std::string> incumbents;
  for (const RunView& run : view.runs) {
    if (run.attempt != attempt.opened.ordinal) continue;
    for (const GateInRun& gate : run.gates) {
      const nlohmann::json& changes = value_at(gate.result.values, "changes");
      if (!changes.is_object()) continue;
      for (const auto& [op, change] : changes.items()) {
        const nlohmann::json& incumbent = value_at(change, "incumbent");
        if (incumbent.is_string()) incumbents[op] = incumbent.get<std::string>();
      }
    }
  }
  return incumbents;
}

// The file that holds a variant's code; "" where no stored path has its name.
std::string source_of(const std::string& variant, const Sources& sources) {
  const std::size_t backend = variant.find('.');
  const std::size_t mechanism =
      backend == std::string::npos ? backend : variant.find('.', backend + 1);
  if (mechanism == std::string::npos) return "";
  const std::string op = variant.substr(0, backend);
  const std::size_t parameters = std::min(variant.find('['), variant.size());
  if (parameters < mechanism) return "";
  const std::string name = variant.substr(backend + 1, mechanism - backend - 1) + "_" +
                           variant.substr(mechanism + 1, parameters - mechanism - 1);
  for (const auto& [path, sha256] : sources) {
    const std::string bare =
        is_baseline(path) ? path.substr(std::string(kBaselinePrefix).size()) : path;
    const std::size_t dot = bare.rfind('.');
    if (dot == std::string::npos || bare.substr(dot, 2) == ".h") continue;
    const std::string stem = bare.substr(0, dot);
    for (std::size_t cut = op.size(); cut != std::string::npos && cut > 0;
         cut = op.rfind('_', cut - 1)) {
      const std::string type = op.substr(cut);  // "" or "_q4k"
      if (stem == fmt::format("kernels/{}/{}{}", op.substr(0, cut), name, type)) return path;
    }
  }
  return "";
}

class CodeOfAttempt {
 public:
  CodeOfAttempt(Document& document, const RecordParts& parts, std::size_t index)
      : document_(document),
        parts_(parts),
        attempt_(parts.view.attempts[index]),
        sources_(attempt_.opened.sources) {
    if (index > 0) before_ = &parts.view.attempts[index - 1];
  }

  void add() {
    add_table();
    add_files();
    add_from_service();
    const Sources in_service = baseline_sources(sources_);
    for (const auto& [path, sha256] : sources_) {
      if (is_baseline(path)) continue;
      const auto same = in_service.find(path);
      if (same != in_service.end()) {
        add_diff({"in-service/" + path, same->second}, {"candidate/" + path, sha256});
      }
      if (before_ != nullptr) add_from_before(path, sha256);
    }
  }

 private:
  struct Side {
    std::string name, sha256;
  };

  void add_table() {
    const AttemptOpened& opened = attempt_.opened;
    document_.heading(3, fmt::format("Code of attempt {}", opened.ordinal));
    std::vector<std::vector<Line>> rows{
        {{words("op")}, {words("candidate")}, {words("code hash")}}};
    for (const auto& [op, variant] : opened.candidate) {
      const auto hash = opened.code_hashes.find(variant);
      rows.push_back(
          {{code(op)},
           {code(variant)},
           {hash == opened.code_hashes.end() ? words("not recorded") : code(hash->second)}});
    }
    document_.table(std::move(rows));
    document_.paragraph({words("Fingerprint "), code(opened.fingerprint), words(".")});
  }

  void add_files() {
    std::vector<Line> files;
    for (const auto& [path, sha256] : sources_) {
      const bool stored = parts_.sources.count(sha256) != 0;
      files.push_back({code(path), words(", SHA-256 "), code(sha256.substr(0, 16)),
                       words(stored ? "" : ", its text is not stored")});
    }
    if (files.empty()) document_.paragraph("No source was stored.");
    document_.list(std::move(files));
  }

  // What each op's candidate is beside the variant in service.
  void add_from_service() {
    for (const auto& [op, incumbent] : incumbents_of(parts_.view, attempt_)) {
      const auto candidate = attempt_.opened.candidate.find(op);
      if (candidate == attempt_.opened.candidate.end()) continue;
      Line line{strong("Against in service:"), words(" "), code(candidate->second),
                words(" in place of "), code(incumbent)};
      const std::string after = source_of(candidate->second, sources_);
      const std::string before = source_of(incumbent, sources_);
      if (after.empty() || before.empty()) {
        line.push_back(words(". The files of the two cannot be told from their names."));
        document_.paragraph(std::move(line));
        continue;
      }
      const Side old_side{"in-service/" + before, sources_.at(before)};
      const Side new_side{"candidate/" + after, sources_.at(after)};
      if (old_side.sha256 == new_side.sha256) {
        line.push_back(words(", two points of one source, "));
        line.push_back(code(after));
        line.push_back(words(": they differ in their parameters only."));
        document_.paragraph(std::move(line));
        continue;
      }
      line.push_back(words(":"));
      document_.paragraph(std::move(line));
      add_diff(old_side, new_side);
    }
  }

  void add_from_before(const std::string& path, const std::string& sha256) {
    const auto same = before_->opened.sources.find(path);
    if (same == before_->opened.sources.end()) return;
    add_diff({fmt::format("attempt-{}/{}", before_->opened.ordinal, path), same->second},
             {"candidate/" + path, sha256});
  }

  void add_diff(const Side& before, const Side& after) {
    const auto old_text = parts_.sources.find(before.sha256);
    const auto new_text = parts_.sources.find(after.sha256);
    if (before.sha256 == after.sha256 || old_text == parts_.sources.end() ||
        new_text == parts_.sources.end()) {
      return;
    }
    std::string diff = unified_diff(*old_text->second, *new_text->second, before.name, after.name);
    std::size_t lines = 0, end = 0;
    while (end < diff.size() && lines < kMostLines) {
      end = std::min(diff.find('\n', end), diff.size() - 1) + 1;
      ++lines;
    }
    const auto left = std::count(diff.begin() + static_cast<std::ptrdiff_t>(end), diff.end(), '\n');
    diff.resize(end);
    document_.code_block(diff, "diff");
    if (left == 0) return;
    document_.paragraph(
        {words(fmt::format("{} more lines of this difference are left out: ", left)),
         code(fmt::format("assay show {} --source {:.16}", parts_.label.slug, after.sha256)),
         words(" and "),
         code(fmt::format("assay show {} --source {:.16}", parts_.label.slug, before.sha256)),
         words(" print the two stored texts.")});
  }

  Document& document_;
  const RecordParts& parts_;
  const AttemptView& attempt_;
  const Sources& sources_;
  const AttemptView* before_ = nullptr;
};

}  // namespace

void add_implementation(Document& document, const RecordParts& parts) {
  document.heading(2, "3. Implementation");
  if (parts.notes.has("implementation")) document.prose(parts.notes.section("implementation"));
  if (parts.view.attempts.empty())
    document.paragraph("No attempt was made: there is no code to show.");
  for (std::size_t i = 0; i < parts.view.attempts.size(); ++i) {
    CodeOfAttempt(document, parts, i).add();
  }
  if (parts.view.proposal.definition.empty()) return;
  document.heading(3, "The definition, as frozen");
  document.code_block(parts.view.proposal.definition, "yaml");
}

}  // namespace assay
