#include "gates/cli/rebuilt_worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <optional>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/core/whole_file.h"
#include "gates/cli/child_process.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCommitLength = 40;

[[noreturn]] void refuse(const RebuildOrder& order, const std::string& why,
                         const std::string& what_to_do) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{} cannot be built again: {}: {}", order.id, why, what_to_do));
}

constexpr const char* kAsBuilt =
    "`--as-built` runs it with the present build where the code of its "
    "variants is still the same";

// The commit that the record names.
std::string commit_of(const RebuildOrder& order) {
  const bool named = order.tree.size() >= kCommitLength &&
                     order.tree.find_first_not_of("0123456789abcdef") >= kCommitLength;
  if (!named) {
    refuse(order,
           fmt::format("its record does not say from which commit its worker was built (tree {})",
                       order.tree.empty() ? "not recorded" : order.tree),
           kAsBuilt);
  }
  const std::string commit = order.tree.substr(0, kCommitLength);
  if (order.tree.size() > kCommitLength) {
    refuse(order,
           fmt::format("its worker was built from {} with changes that were not committed",
                       commit.substr(0, 12)),
           kAsBuilt);
  }
  return commit;
}

std::string git_line(const std::string& root, const std::vector<std::string>& words) {
  std::vector<std::string> arguments{"git", "-C", root};
  arguments.insert(arguments.end(), words.begin(), words.end());
  return first_line_of(arguments);
}

std::string repository_of(const RebuildOrder& order) {
  const std::string top = git_line(order.root, {"rev-parse", "--show-toplevel"});
  if (!top.empty()) return top;
  refuse(order, fmt::format("{} is in no git repository, or git is not here", order.root),
         fmt::format("reproduce it in a clone, or {}", kAsBuilt));
}

void need_commit(const RebuildOrder& order, const std::string& root, const std::string& commit) {
  if (git_line(root, {"cat-file", "-t", commit}) == "commit") return;
  refuse(order, fmt::format("commit {} is not known here", commit.substr(0, 12)),
         fmt::format("`git fetch` it from where it was made, or {}", kAsBuilt));
}

void need_tools(const RebuildOrder& order) {
  std::vector<std::string> tools{"cmake", "ninja"};
  if (order.backend == BackendKind::kCuda) tools.emplace_back("nvcc");
  for (const std::string& tool : tools) {
    if (!first_line_of({tool, "--version"}).empty()) continue;
    refuse(order, fmt::format("there is no {} in PATH", tool),
           fmt::format("install it (`scripts/setup.sh` does for a CPU), or {}", kAsBuilt));
  }
}

// A folder that may be made: not there, or empty.
void need_free_folder(const RebuildOrder& order, const std::string& folder) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  if (fs::is_directory(folder, error) && fs::is_empty(folder, error)) return;
  refuse(order, fmt::format("{} is there already", folder),
         "name another folder with --dir, or move it away");
}

}  // namespace

RebuiltWorker::RebuiltWorker(const RebuildOrder& order)
    : preset_(order.backend == BackendKind::kCuda ? "cuda" : "cpu"), keep_(order.keep) {
  const std::string commit = commit_of(order);
  root_ = repository_of(order);
  need_commit(order, root_, commit);
  need_tools(order);
  check_out(order, commit);
  try {
    compare_sources(order, commit);
    build(order);
  } catch (const Error&) {
    if (!keep_) remove();
    throw;
  }
}

RebuiltWorker::~RebuiltWorker() {
  if (!keep_) remove();
}

std::string RebuiltWorker::worker() const {
  return fmt::format("{}/build/{}/bin/assay-worker", folder_, preset_);
}

std::string RebuiltWorker::program() const {
  return fmt::format("{}/build/{}/bin/assay", folder_, preset_);
}

std::string RebuiltWorker::map_text(const std::string& service) const {
  return read_whole_file(folder_ + "/experiments/" + service).value_or("");
}

void RebuiltWorker::make_parents() {
  std::error_code error;
  for (fs::path at = fs::path(folder_).parent_path(); !fs::exists(at, error) && !error;
       at = at.parent_path()) {
    made_.push_back(at.string());
  }
  fs::create_directories(fs::path(folder_).parent_path(), error);
}

void RebuiltWorker::check_out(const RebuildOrder& order, const std::string& commit) {
  const bool own = order.folder.empty();
  folder_ = own ? fmt::format("{}/build/reproduce/{}", order.root, commit.substr(0, 12))
                : fs::absolute(order.folder).lexically_normal().string();
  // In our own place, what is there was left behind by a command that was killed.
  if (own && fs::exists(folder_)) remove();
  need_free_folder(order, folder_);
  make_parents();
  run_child({"git", "-C", root_, "worktree", "prune"});
  std::cerr << fmt::format("assay: checking out {} in {}", commit.substr(0, 12), folder_)
            << std::endl;
  const int status =
      run_child({"git", "-C", root_, "worktree", "add", "--quiet", "--detach", folder_, commit});
  if (status == 0) return;
  remove();
  refuse(order, fmt::format("git could not check it out into {} (exit {})", folder_, status),
         "see what git says above");
}

void RebuiltWorker::compare_sources(const RebuildOrder& order, const std::string& commit) const {
  for (const auto& [path, sha256] : order.sources) {
    const std::optional<std::string> text = read_whole_file(folder_ + "/" + path);
    if (text && sha256_hex(*text) == sha256) continue;
    refuse(order,
           fmt::format("the source that its record keeps of {} is not that of commit {}", path,
                       commit.substr(0, 12)),
           fmt::format("the record was not made from that commit alone; {}", kAsBuilt));
  }
}

void RebuiltWorker::build(const RebuildOrder& order) const {
  const auto run = [&](const std::vector<std::string>& step) {
    std::vector<std::string> words{"env", "-C", folder_, "CCACHE_BASEDIR=" + folder_,
                                   "CCACHE_SLOPPINESS=pch_defines,time_macros"};
    words.insert(words.end(), step.begin(), step.end());
    const int status = run_child(words);
    if (status == 0) return;
    refuse(order, fmt::format("`{}` ended with {} in {}", step[0] + " " + step[1], status, folder_),
           keep_ ? "see what it says above; the folder is kept"
                 : "see what it says above; --keep leaves the folder for a look");
  };
  std::cerr << "assay: building the program of that commit; this may take minutes" << std::endl;
  run({"cmake", "--preset", preset_});
  run({"cmake", "--build", "build/" + preset_, "--target", "assay", "assay-worker"});
}

void RebuiltWorker::remove() const {
  if (folder_.empty()) return;
  std::error_code error;
  fs::remove_all(folder_, error);
  // Only while empty: others may use them by now.
  for (const std::string& folder : made_) ::rmdir(folder.c_str());
  run_child({"git", "-C", root_, "worktree", "prune"});
}

}  // namespace assay
