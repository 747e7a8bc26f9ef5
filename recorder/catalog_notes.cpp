#include "recorder/catalog_notes.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <ctime>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/in_parallel.h"

namespace assay {
namespace {

constexpr const char* kNotesFolder = "experiments/notes";
constexpr std::int64_t kNanoseconds = 1'000'000'000;
// File clocks tick coarsely: a file may change again within the tick of its last change.
constexpr std::int64_t kYoung_ns = 100'000'000;

NotesStamp stamp_at(int folder, const char* name) {
  struct stat status {};
  if (::fstatat(folder, name, &status, 0) != 0) return {};
  return {status.st_size, status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

}  // namespace

NotesStamps all_notes(const std::string& workspace) {
  NotesStamps stamps;
  DIR* const folder = ::opendir((workspace + "/" + kNotesFolder).c_str());
  if (folder == nullptr) return stamps;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (!name.ends_with(".md")) continue;
    stamps.emplace(name.substr(0, name.size() - 3), stamp_at(::dirfd(folder), entry->d_name));
  }
  ::closedir(folder);
  return stamps;
}

std::future<NotesStamps> look_at_notes(const std::string& workspace) {
  return meanwhile([workspace] { return all_notes(workspace); });
}

NotesStamp notes_of(const std::string& workspace, const std::string& slug) {
  if (workspace.empty()) return {};
  return stamp_at(AT_FDCWD, fmt::format("{}/{}/{}.md", workspace, kNotesFolder, slug).c_str());
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
