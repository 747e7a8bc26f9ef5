#include "recorder/catalog_notes.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/file_stamp.h"
#include "recorder/in_parallel.h"

namespace assay {
namespace {

constexpr const char* kNotesFolder = "experiments/notes";
constexpr std::int64_t kNanoseconds = 1'000'000'000;
// File clocks tick coarsely: a file may change again within the tick of its last change.
constexpr std::int64_t kYoung_ns = 100'000'000;

NotesStamp stamp_of_notes(const struct stat& status) {
  const Store::FileStamp stamp = stamp_of(status);
  return {stamp.size, stamp.mtime};
}

// Empty for a file that can be read. One that everybody may read is not asked of again.
std::string why_unreadable(int folder, const char* name, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return "it is no regular file";
  if ((status.st_mode & S_IROTH) != 0 || ::faccessat(folder, name, R_OK, AT_EACCESS) == 0)
    return "";
  return std::strerror(errno);
}

// Of a name that the folder lists.
std::string why_not_there(int why) {
  return why == ENOENT ? "it is a link to nothing" : std::strerror(why);
}

}  // namespace

NotesFolder notes_folder(const std::string& workspace) {
  NotesFolder notes{.stamps = NotesStamps(), .unreadable = {}};
  DIR* const folder = ::opendir((workspace + "/" + kNotesFolder).c_str());
  if (folder == nullptr) {
    if (errno != ENOENT) {
      notes.stamps.reset();
      notes.unreadable.push_back(
          fmt::format("{}: cannot be listed: {}; no answer has in it what notes say", kNotesFolder,
                      std::strerror(errno)));
    }
    return notes;
  }
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (!name.ends_with(".md")) continue;
    struct stat status {};
    const bool there = ::fstatat(::dirfd(folder), entry->d_name, &status, 0) == 0;
    const std::string why =
        there ? why_unreadable(::dirfd(folder), entry->d_name, status) : why_not_there(errno);
    notes.stamps->emplace(name.substr(0, name.size() - 3),
                          there ? stamp_of_notes(status) : NotesStamp());
    if (why.empty()) continue;
    notes.unreadable.push_back(fmt::format(
        "{}/{}: cannot be read: {}; no answer has in it what it says", kNotesFolder, name, why));
  }
  ::closedir(folder);
  std::sort(notes.unreadable.begin(), notes.unreadable.end());
  return notes;
}

NotesStamps all_notes(const std::string& workspace) {
  return notes_folder(workspace).stamps.value_or(NotesStamps());
}

std::future<NotesFolder> look_at_notes(const std::string& workspace) {
  return meanwhile([workspace] { return notes_folder(workspace); });
}

NotesStamp notes_of(const std::string& workspace, const std::string& slug) {
  if (workspace.empty()) return {};
  const std::string path = fmt::format("{}/{}/{}.md", workspace, kNotesFolder, slug);
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? stamp_of_notes(status) : NotesStamp();
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
