// The generated files of a workspace held against what they would be now.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/calibration_form.h"
#include "recorder/document.h"
#include "recorder/document_rendering.h"
#include "recorder/historical_document.h"
#include "recorder/in_parallel.h"
#include "recorder/lost_notes.h"
#include "recorder/record_orphans.h"
#include "recorder/text_difference.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

// The finding of one generated file; "" when it is as it should be.
std::string check_file(const std::string& workspace, const std::string& path,
                       const std::string& text) {
  try {
    const std::optional<std::string> written = read_whole_file(workspace + "/" + path, path);
    if (!written) return fmt::format("{}:1: is missing; `assay index` writes it again", path);
    return *written == text ? "" : text_difference(path, *written, text);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

std::vector<std::string> check_files(const Store& store, const std::string& workspace,
                                     const std::vector<ImportReport::Finding>& not_imported,
                                     const LookAlso& also) {
  std::vector<std::string> found;
  std::set<std::string> owned;  // records, without their extension
  std::set<std::string> known;  // files with a finding already
  for (const ImportReport::Finding& finding : not_imported) {
    found.push_back(finding.text);
    // Which line of a record was edited, the database knows.
    if (finding.text.find("do not match its seal") == std::string::npos) known.insert(finding.path);
    owned.insert(without_extension(finding.path));
  }
  // Rendered documents name their neighbours, so they can be compared only where all history is.
  const bool whole = not_imported.empty();
  Rendering rendering(store, workspace);
  const std::vector<ExperimentLabel>& all = *rendering.all;
  for (const ExperimentLabel& label : all) {
    owned.insert(without_extension(record_path(label, "md")));
  }
  const HistoricalEntries historical = read_historical(workspace);
  for (const std::string& fault : historical.faults) found.push_back(fault);
  for (const HistoricalEntry& entry : historical.entries) {
    owned.insert(without_extension(historical_path(entry)));
  }
  // Each record's findings by themselves, so that threads need not wait for each other; a record
  // that cannot be rendered hides what would be said of all rendered documents.
  struct OfRecord {
    std::string error;
    std::vector<std::string> json, md;
  };
  std::vector<OfRecord> of_records(all.size());
  const auto compare = [&](const std::string& path, const std::string& text,
                           std::vector<std::string>& lines) {
    const std::string folder = path.substr(0, path.find_last_of('/'));
    if (known.contains(path) || known.contains(folder)) return;
    const std::string finding = check_file(workspace, path, text);
    if (!finding.empty()) lines.push_back(finding);
  };
  for (const HistoricalEntry& entry : historical.entries) {
    compare(historical_path(entry), render_historical(entry), found);
  }
  in_parallel(all.size(), [&](std::size_t i) {
    std::optional<StoredExperiment> stored;
    try {
      stored.emplace(store, all[i].slug);
      compare(record_path(all[i], "json"), export_experiment(store, all[i], *stored),
              of_records[i].json);
      if (whole) {
        compare(record_path(all[i], "md"), rendering.record(i, *stored), of_records[i].md);
        // Where its notes are gone, the advice would be to write it without them.
        if (!of_records[i].md.empty() && !lost_notes(workspace, all[i]).empty()) {
          of_records[i].md.clear();
        }
      }
    } catch (const Error& error) {
      of_records[i].error = error.what();
    }
    if (also && stored) also(all[i], *stored);
  });
  bool rendered = whole;
  for (const OfRecord& record : of_records) {
    if (record.error.empty()) continue;
    rendered = false;
    found.push_back(record.error);
  }
  // A history without an effect need not have it.
  if (!store.aa_effects().empty() || std::filesystem::exists(workspace + "/" + kCalibrationsPath)) {
    compare(kCalibrationsPath, export_calibrations(store), found);
  }
  // Without an entry that cannot be read the index would lose its line.
  if (rendered && historical.faults.empty()) compare(kIndexPath, rendering.index(), found);
  for (const OfRecord& record : of_records) {
    found.insert(found.end(), record.json.begin(), record.json.end());
    if (rendered) found.insert(found.end(), record.md.begin(), record.md.end());
  }
  for (const std::string& path : unowned_records(workspace, owned)) {
    if (is_orphan(workspace, path)) {
      found.push_back(fmt::format(
          "{}:1: its record {}.json is gone: restore that one, or `assay index` removes this one",
          path, without_extension(path)));
    } else {
      found.push_back(
          fmt::format("{}:1: belongs to no experiment of the database; move it away", path));
    }
  }
  return found;
}

}  // namespace assay
