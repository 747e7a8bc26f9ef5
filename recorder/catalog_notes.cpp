#include "recorder/catalog_notes.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <ctime>
#include <string_view>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/in_parallel.h"

namespace assay {
namespace {

constexpr const char* kNotesFolder = "experiments/notes";
constexpr std::int64_t kNanoseconds = 1'000'000'000;
// File clocks tick coarsely: a file may change again within the tick of its last change.
constexpr std::int64_t kYoung_ns = 100'000'000;

NotesStamp stamp_at(int folder, const std::string& name) {
  struct stat status {};
  if (::fstatat(folder, name.c_str(), &status, 0) != 0) return {};
  return {status.st_size, status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

}  // namespace

NotesStamps all_notes(const std::string& workspace) {
  NotesStamps stamps;
  DIR* const folder = ::opendir((workspace + "/" + kNotesFolder).c_str());
  if (folder == nullptr) return stamps;
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(folder)) {
    if (std::string_view(entry->d_name).ends_with(".md")) names.emplace_back(entry->d_name);
  }
  std::vector<NotesStamp> found(names.size());
  in_parallel_pieces(names.size(),
                     [&](std::size_t i) { found[i] = stamp_at(::dirfd(folder), names[i]); });
  ::closedir(folder);
  stamps.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    stamps.emplace(names[i].substr(0, names[i].size() - 3), found[i]);
  }
  return stamps;
}

NotesStamp notes_of(const std::string& workspace, const std::string& slug) {
  if (workspace.empty()) return {};
  return stamp_at(AT_FDCWD, fmt::format("{}/{}/{}.md", workspace, kNotesFolder, slug));
}

NotesStamp settled(NotesStamp stamp) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t age = now.tv_sec * kNanoseconds + now.tv_nsec - stamp.mtime;
  if (stamp.size >= 0 && age < kYoung_ns) stamp.mtime = 0;
  return stamp;
}

Notes read_notes(const std::string& workspace, const std::string& slug) {
  const std::string path = fmt::format("{}/{}.md", kNotesFolder, slug);
  try {
    return parse_notes(path, read_whole_file(workspace + "/" + path, path).value_or(""));
  } catch (const Error&) {
    return parse_notes(path, "");
  }
}

std::set<std::string> stale_slugs(const Connection& connection,
                                  const std::optional<NotesStamps>& notes) {
  std::set<std::string> stale;
  Statement marked(connection, "SELECT slug FROM stale");
  while (marked.step()) stale.insert(marked.text(0));
  if (!notes) return stale;
  Statement seen(connection, "SELECT slug, notes_size, notes_mtime FROM catalog");
  while (seen.step()) {
    const NotesStamp before{seen.number(1), seen.number(2)};
    const auto now = notes->find(seen.text(0));
    if (!((now == notes->end() ? NotesStamp{} : now->second) == before)) stale.insert(seen.text(0));
  }
  return stale;
}

}  // namespace assay
