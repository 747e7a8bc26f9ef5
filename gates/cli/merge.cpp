// assay merge PATH: takes in the history of another workspace on this machine: a clone, a copy of
// its results/ folder. The same steps and the same rules as `assay import` of what it would export.
//
// The other side is only read: its database as a copy in memory, with its committed records.
// Numbers that both gave away are all named, each with the commands that settle it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "gates/cli/command.h"
#include "gates/cli/import_words.h"
#include "gates/cli/text_check.h"
#include "gates/scratch_folder.h"
#include "recorder/record_parts.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// A word that a shell reads as this text.
std::string shell_word(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_./+=:,@%-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// The folder that holds results/, and the workspace to name in a command ("" for a lone results/).
struct Other {
  std::string root, workspace;
};

Other find_other(const std::string& path, const ScratchFolder& scratch) {
  std::error_code error;
  const fs::path folder = fs::canonical(path, error);
  if (error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: {}; name another workspace on this machine, or its results folder",
                            path, error.message()));
  }
  if (!fs::is_directory(folder)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: is a file; merge takes a workspace or its results folder, and "
                            "`assay import {}` takes an archive",
                            path, shell_word(path)));
  }
  const auto is_workspace = [](const fs::path& at) {
    return fs::exists(at / "experiments/in_service.yaml");
  };
  if (is_workspace(folder)) return {folder.string(), folder.string()};
  if (folder.filename() == "results" && is_workspace(folder.parent_path())) {
    return {folder.parent_path().string(), folder.parent_path().string()};
  }
  if (!fs::is_directory(folder / "records") && !fs::exists(folder / "assay.db")) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: holds neither experiments/in_service.yaml nor records/: name a "
                            "workspace, or its results folder",
                            path));
  }
  fs::create_directory_symlink(folder, scratch.path() + "/results");
  return {scratch.path(), ""};
}

ArchivedHistory read_other(const std::string& path, const Other& other) {
  Store store = Store::copy_in_memory(other.root + "/results/assay.db");
  const ImportReport report = import_workspace(store, other.root);
  if (!report.findings.empty()) {
    std::string all =
        fmt::format("its history is not whole; `assay check` over there says it, too");
    for (const auto& finding : report.findings) all += "\n" + finding.text;
    refuse_import(path, all);
  }
  try {
    return read_history(history_files(store, other.root, recorded_experiments(store)));
  } catch (const Error& error) {
    refuse_import(path, error.what());
  }
}

// The same history gives the same hash, as an archive of it would.
std::string hash_of(const ArchivedHistory& history) {
  std::string seals;
  for (const auto& experiment : history.experiments) {
    for (const auto& [run, events] : experiment.runs) seals += run.seal + "\n";
  }
  return sha256_hex(seals + history.calibrations);
}

int act(const std::string& path, const CommonOptions& common) {
  refuse_name_not_utf8("merge: PATH", path);
  const ScratchFolder scratch;
  const Other other = find_other(path, scratch);
  const ArchivedHistory history = read_other(path, other);
  if (history.experiments.empty() && history.calibrations.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: has no history yet; nothing was changed", path));
  }
  Workspace workspace(common, Access::kWrite);
  const RunOpened opened{.command = "merge", .argv = common.argv, .provenance = light_provenance()};
  const std::string there = other.workspace.empty() ? "" : shell_word(other.workspace);
  say_taken_in(take_in_and_finish(workspace, history, path, hash_of(history), opened, there),
               common.json);
  return 0;
}

}  // namespace

Action define_merge(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  app.add_option("PATH", *path, "another workspace or clone, or its results folder")->required();
  return [path](const CommonOptions& common) { return act(*path, common); };
}

}  // namespace assay
