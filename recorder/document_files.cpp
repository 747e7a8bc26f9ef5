// The generated files of a workspace: written, and checked against what they would be now.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "engine/core/whole_file.h"
#include "recorder/document.h"
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
      const std::string path = workspace + "/" + record_path(all[near], "md");
      if (near != i && !std::filesystem::exists(path)) continue;
      replace_file(path, render_record(store, all[near], workspace));
    }
  }
  replace_file(workspace + "/" + kIndexPath, render_index(store, workspace));
}

int write_all(const Store& store, const std::string& workspace) {
  int changed = 0;
  for (const auto& [path, text] : expected_files(store, workspace)) {
    changed += replace_file(workspace + "/" + path, text) ? 1 : 0;
  }
  return changed;
}

std::vector<std::string> check_files(const Store& store, const std::string& workspace) {
  std::vector<std::string> found;
  const std::map<std::string, std::string> expected = expected_files(store, workspace);
  for (const auto& [path, text] : expected) {
    const std::optional<std::string> written = read_whole_file(workspace + "/" + path);
    if (!written) {
      found.push_back(fmt::format("{}:1: is missing; `assay index` writes it again", path));
    } else if (*written != text) {
      found.push_back(difference(path, *written, text));
    }
  }
  std::error_code error;
  std::vector<std::string> extra;
  for (const auto& entry :
       std::filesystem::directory_iterator(workspace + "/results/records", error)) {
    const std::string path = "results/records/" + entry.path().filename().string();
    const std::string extension = entry.path().extension().string();
    if ((extension == ".md" || extension == ".json") && expected.count(path) == 0) {
      extra.push_back(path);
    }
  }
  std::sort(extra.begin(), extra.end());
  for (const std::string& path : extra) {
    found.push_back(fmt::format("{}:1: belongs to no experiment of the database", path));
  }
  return found;
}

}  // namespace assay
