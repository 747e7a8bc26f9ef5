// The generated files of a workspace: written, and checked against what they would be now.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/calibration_form.h"
#include "recorder/document.h"
#include "recorder/historical_document.h"
#include "recorder/record_parts.h"
#include "recorder/text_form.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

std::string record_path(const ExperimentLabel& label, const std::string& extension) {
  return fmt::format("results/records/{}.{}", record_stem(label), extension);
}

constexpr const char* kIndexPath = "results/index.md";

// path (relative) -> text, for every generated file.
std::map<std::string, std::string> expected_files(const Store& store,
                                                  const std::string& workspace) {
  std::map<std::string, std::string> files;
  for (const ExperimentLabel& label : recorded_experiments(store)) {
    files[record_path(label, "json")] = export_experiment(store, label);
    files[record_path(label, "md")] = render_record(store, label, workspace);
  }
  for (const HistoricalEntry& entry : read_historical(workspace).entries) {
    files[historical_path(entry)] = render_historical(entry);
  }
  files[kIndexPath] = render_index(store, workspace);
  return files;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string quoted(const std::vector<std::string>& lines, std::size_t index) {
  if (index >= lines.size()) return "the end of the file";
  return "\"" + cut_to_width(visible_line(lines[index]), 120) + "\"";
}

// The first line that differs: "path:line: ...".
std::string difference(const std::string& path, const std::string& written,
                       const std::string& expected) {
  const std::vector<std::string> have = split(written), want = split(expected);
  std::size_t line = 0;
  while (line < have.size() && line < want.size() && have[line] == want[line]) ++line;
  const bool json = path.size() > 5 && path.compare(path.size() - 5, 5, ".json") == 0;
  if (line >= have.size() && line >= want.size()) {
    return fmt::format("{}:{}: differs in its line ends only; `assay index` writes it again", path,
                       std::max<std::size_t>(line, 1));
  }
  return fmt::format("{}:{}: is {}, {} {}", path, line + 1, quoted(have, line),
                     json ? "the database says" : "should be", quoted(want, line));
}

}  // namespace

void write_record(const Store& store, const ExperimentLabel& label, const std::string& workspace) {
  const std::vector<ExperimentLabel> all = recorded_experiments(store);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].slug != label.slug) continue;
    write_record_json(store, label, workspace);
    // The neighbours' footers link to this record; those not written yet are left to `index`.
    for (std::size_t near = i > 0 ? i - 1 : 0; near <= i + 1 && near < all.size(); ++near) {
      const std::string path = record_path(all[near], "md");
      if (near != i && !std::filesystem::exists(workspace + "/" + path)) continue;
      replace_file(workspace + "/" + path, render_record(store, all[near], workspace), path);
    }
  }
  replace_file(workspace + "/" + kIndexPath, render_index(store, workspace), kIndexPath);
}

int write_all(const Store& store, const std::string& workspace) {
  int changed = 0;
  for (const auto& [path, text] : expected_files(store, workspace)) {
    changed += replace_file(workspace + "/" + path, text, path) ? 1 : 0;
  }
  return changed + (write_calibrations(store, workspace) ? 1 : 0);
}

namespace {

// The finding of one generated file; "" when it is as it should be.
std::string check_file(const std::string& workspace, const std::string& path,
                       const std::string& text) {
  try {
    const std::optional<std::string> written = read_whole_file(workspace + "/" + path, path);
    if (!written) return fmt::format("{}:1: is missing; `assay index` writes it again", path);
    return *written == text ? "" : difference(path, *written, text);
  } catch (const Error& error) {
    return error.what();
  }
}

std::string without_extension(const std::string& path) {
  return path.substr(0, path.find_last_of('.'));
}

// Files in the folder of records that belong to none of `owned`, in order.
std::vector<std::string> unowned_records(const std::string& workspace,
                                         const std::set<std::string>& owned) {
  std::vector<std::string> extra;
  std::error_code error;
  std::filesystem::directory_iterator entry(workspace + "/results/records", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path name = entry->path().filename();
    const bool generated = name.extension() == ".md" || name.extension() == ".json";
    if (generated && !owned.contains("results/records/" + name.stem().string())) {
      extra.push_back("results/records/" + name.string());
    }
  }
  std::sort(extra.begin(), extra.end());
  return extra;
}

// A rendered record that says what it was made from, and that is gone.
bool is_orphan(const std::string& workspace, const std::string& path) {
  const std::string record = without_extension(path) + ".json";
  const std::string full = workspace + "/" + path;
  std::error_code error;
  if (!path.ends_with(".md") || std::filesystem::exists(workspace + "/" + record, error) ||
      !std::filesystem::is_regular_file(std::filesystem::symlink_status(full, error))) {
    return false;
  }
  const std::optional<std::string> text = read_whole_file(full, path);
  return text && (text->starts_with("<!-- Generated by assay from " + record + " ") ||
                  text->starts_with(kHistoricalComment));
}

}  // namespace

std::vector<std::string> check_files(const Store& store, const std::string& workspace,
                                     const std::vector<ImportReport::Finding>& not_imported) {
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
  bool whole = not_imported.empty();
  std::map<std::string, std::string> expected;
  for (const ExperimentLabel& label : recorded_experiments(store)) {
    owned.insert(without_extension(record_path(label, "md")));
    try {
      expected[record_path(label, "json")] = export_experiment(store, label);
      if (whole) expected[record_path(label, "md")] = render_record(store, label, workspace);
    } catch (const Error& error) {
      whole = false;
      found.push_back(error.what());
    }
  }
  const HistoricalEntries historical = read_historical(workspace);
  for (const std::string& fault : historical.faults) found.push_back(fault);
  for (const HistoricalEntry& entry : historical.entries) {
    owned.insert(without_extension(historical_path(entry)));
    expected[historical_path(entry)] = render_historical(entry);
  }
  if (whole) expected[kIndexPath] = render_index(store, workspace);
  // Written by the first calibration; a history without one of its own need not have it.
  if (std::filesystem::exists(workspace + "/" + kCalibrationsPath)) {
    expected[kCalibrationsPath] = export_calibrations(store);
  }
  for (const auto& [path, text] : expected) {
    const std::string folder = path.substr(0, path.find_last_of('/'));
    if (known.contains(path) || known.contains(folder)) continue;
    const std::string finding = check_file(workspace, path, text);
    if (!finding.empty()) found.push_back(finding);
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

std::vector<std::string> remove_orphans(const Store& store, const std::string& workspace) {
  std::set<std::string> owned;
  for (const ExperimentLabel& label : store.experiments()) {
    owned.insert(without_extension(record_path(label, "md")));
  }
  for (const HistoricalEntry& entry : read_historical(workspace).entries) {
    owned.insert(without_extension(historical_path(entry)));
  }
  std::vector<std::string> removed;
  for (const std::string& path : unowned_records(workspace, owned)) {
    if (!is_orphan(workspace, path)) continue;
    std::error_code error;
    if (std::filesystem::remove(workspace + "/" + path, error)) removed.push_back(path);
  }
  return removed;
}

}  // namespace assay
