// SQLite would report most of these as "unable to open database file", or worse, work on a network
// file system until two machines write at once. Looking first gives a message that can be acted on.
#include "recorder/open_checks.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "engine/core/error.h"

namespace assay {
namespace {

// From statfs(2) and linux/magic.h; compared as 32 bits, since some are negative as a signed word.
constexpr std::array<std::pair<unsigned, const char*>, 18> kRemote = {{
    {0x6969u, "NFS"},
    {0x517Bu, "SMB"},
    {0xFF534D42u, "CIFS"},
    {0xFE534D42u, "SMB2"},
    {0x01021997u, "9p"},
    {0x65735546u, "FUSE"},
    {0x564Cu, "NCP"},
    {0x5346414Fu, "AFS"},
    {0x6B414653u, "kAFS"},
    {0x73757245u, "Coda"},
    {0x00C36400u, "Ceph"},
    {0x0BD00BD0u, "Lustre"},
    {0x47504653u, "GPFS"},
    {0x01161970u, "GFS2"},
    {0x7461636Fu, "OCFS2"},
    {0x19830326u, "BeeGFS"},
    {0xAAD7AAEAu, "PanFS"},
    {0x786F4256u, "vboxsf"},
}};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", path, why));
}

void check_header(const std::string& path, bool replaced) {
  const FileHead head = file_head(path);
  if (replaced && (head == FileHead::kNothing || head == FileHead::kZeros)) return;
  if (head == FileHead::kNothing) {
    refuse(path,
           "is an empty file, and no database of this program is ever empty; remove it, or "
           "name another path with --db");
  }
  if (head != FileHead::kDatabase) {
    refuse(path,
           "this file is not an Assay database; name another with --db, or move it away: committed "
           "records are imported into a new one");
  }
}

}  // namespace

FileHead file_head(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  char head[16] = {};
  file.read(head, sizeof head);
  if (file.gcount() == 0) return FileHead::kNothing;
  if (std::memcmp(head, "SQLite format 3", 16) == 0) return FileHead::kDatabase;
  const bool zeros = std::all_of(std::begin(head), std::end(head), [](char c) { return c == 0; });
  return zeros ? FileHead::kZeros : FileHead::kOther;
}

std::string network_file_system(long magic) {
  for (const auto& [value, name] : kRemote) {
    if (static_cast<unsigned>(magic) == value) return name;
  }
  return "";
}

namespace {

void check_path(const std::string& path, bool read_only, bool replaced) {
  if (path.empty()) refuse("--db", "the path of the database is empty");
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) refuse(path, "is a folder; --db names a file");
  if (exists && !S_ISREG(status.st_mode)) refuse(path, "is not a regular file; --db names one");
  if (!exists && ::lstat(path.c_str(), &status) == 0) {
    refuse(path, "is a link to nothing; remove it, or name another path with --db");
  }
  if (!exists && read_only) refuse(path, "there is no database here; name one with --db");

  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  struct statfs file_system {};
  if (::statfs(folder.c_str(), &file_system) != 0) {
    refuse(path, fmt::format("its folder {} cannot be used: {}; make it, or name another path with "
                             "--db",
                             folder, std::strerror(errno)));
  }
  const std::string remote = network_file_system(static_cast<long>(file_system.f_type));
  if (!remote.empty()) {
    refuse(path,
           fmt::format("lies on a file system of type {}, where a database shared by processes "
                       "is not safe; name a path on a local disk with --db",
                       remote));
  }
  if (!read_only && ::access(folder.c_str(), W_OK) != 0) {
    refuse(path,
           fmt::format("its folder {} cannot be written ({}); make it writable, or name another "
                       "path with --db",
                       folder, std::strerror(errno)));
  }
  if (exists && !read_only && ::access(path.c_str(), W_OK) != 0) {
    refuse(path, fmt::format("cannot be written ({}); make it writable, or name another with --db",
                             std::strerror(errno)));
  }
  if (exists) check_header(path, replaced);
}

}  // namespace

void check_database_path(const std::string& path, bool read_only) {
  check_path(path, read_only, false);
}

void check_replaced_path(const std::string& path) {
  check_path(path, false, true);
}

}  // namespace assay
