#include "engine/manifest/source_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "engine/core/whole_file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The name between the quotes of an include line; nothing for any other line.
std::optional<std::string> quoted_include(const std::string& line) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return std::nullopt;
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include") != 0) return std::nullopt;
  at = line.find_first_not_of(" \t", at + 7);
  if (at == std::string::npos || line[at] != '"') return std::nullopt;
  const std::size_t end = line.find('"', at + 1);
  if (end == std::string::npos) return std::nullopt;
  return line.substr(at + 1, end - at - 1);
}

// The included file as a path from the root; nothing when it is not one of the project's.
std::optional<std::string> resolve(const fs::path& root, const fs::path& includer,
                                   const std::string& name) {
  for (const fs::path& candidate : {fs::path(name), includer.parent_path() / name}) {
    const fs::path normal = candidate.lexically_normal();
    if (normal.is_absolute() || normal.begin() == normal.end() || *normal.begin() == "..") continue;
    if (fs::is_regular_file(root / normal)) return normal.generic_string();
  }
  return std::nullopt;
}

void visit(const std::string& root, const std::string& file, std::set<std::string>& seen) {
  if (!seen.insert(file).second) return;
  std::istringstream lines(read_source(root + "/" + file));
  std::string line;
  while (std::getline(lines, line)) {
    const auto name = quoted_include(line);
    if (!name) continue;
    if (const auto path = resolve(root, file, *name)) visit(root, *path, seen);
  }
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// What `git -C root ...` prints; nothing when it fails.
std::optional<std::string> git(const std::string& root, const std::string& command) {
  const std::string line = fmt::format("git -C {} {} 2>/dev/null", shell_quoted(root), command);
  FILE* output = popen(line.c_str(), "r");
  if (output == nullptr) return std::nullopt;
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), output)) {
    text.append(buffer.data(), got);
  }
  return pclose(output) == 0 ? std::optional(text) : std::nullopt;
}

}  // namespace

std::string read_source(const std::string& path) {
  std::optional<std::string> content = read_whole_file(path);
  if (!content) throw Error(ErrorKind::kBaseline, fmt::format("{}: cannot be read", path));
  return std::move(*content);
}

std::vector<std::string> source_closure(const std::string& root, const std::string& source) {
  std::set<std::string> seen;
  visit(root, source, seen);
  std::vector<std::string> files = {source};
  for (const std::string& file : seen) {
    if (file != source) files.push_back(file);
  }
  return files;
}

SourceTree source_tree(const std::string& root) {
  constexpr std::size_t kMost = 50;  // of a tree that was never committed, every file is one
  constexpr std::size_t kState = 3;  // "?? "
  const auto commit = git(root, "rev-parse HEAD");
  const auto changes = git(root, "status --porcelain --no-renames -z");
  if (!commit || !changes || commit->size() < 40) return {"unknown", {}};
  SourceTree tree{commit->substr(0, commit->find('\n')), {}};
  if (changes->empty()) return tree;
  tree.name += "-dirty";
  std::size_t count = 0;
  for (std::size_t at = 0, end = 0; at < changes->size(); at = end + 1) {
    end = std::min(changes->find('\0', at), changes->size());
    if (++count > kMost || end < at + kState) continue;
    tree.dirty.push_back(printable(changes->substr(at + kState, end - at - kState)));
  }
  if (count > kMost) tree.dirty.push_back(fmt::format("and {} more", count - kMost));
  return tree;
}

}  // namespace assay
