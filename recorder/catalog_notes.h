// What makes a row of the catalog older than what it was made from: events, or a file of notes,
// which is known by size and time.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/record_parts.h"
#include "recorder/sqlite_connection.h"

namespace assay {

// Size and time of a file of notes; {-1, 0} where there is none.
struct NotesStamp {
  std::int64_t size = -1, mtime = 0;
  bool operator==(const NotesStamp&) const = default;
};
using NotesStamps = std::unordered_map<std::string, NotesStamp>;  // by slug

struct NotesFolder {
  std::optional<NotesStamps> stamps;    // nothing where the folder cannot be listed
  std::vector<std::string> unreadable;  // lines for people: what no answer has in it, and why
};
NotesFolder notes_folder(const std::string& workspace);
NotesStamps all_notes(const std::string& workspace);
// The folder by a thread of its own, while the caller opens the workspace: ten thousand files cost
// 10 ms.
std::future<NotesFolder> look_at_notes(const std::string& workspace);
// Taken before the file is read: a change in between is then seen the next time.
NotesStamp notes_of(const std::string& workspace, const std::string& slug);
// As the catalog keeps it: with no time where the file is so young that it may change unnoticed.
NotesStamp settled(NotesStamp stamp);
// What a file of notes says. One that cannot be read says nothing here: NotesFolder tells.
Notes read_notes(const std::string& workspace, const std::string& slug);

// Without `notes` those alone whose events are newer.
std::set<std::string> stale_slugs(const Connection& connection,
                                  const std::optional<NotesStamps>& notes);

}  // namespace assay
