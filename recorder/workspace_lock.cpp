// Lock files in results/ and beside the database. Not flock on the database itself: closing that
// descriptor would drop SQLite's own locks on the file.
#include <filesystem>

#include "recorder/open_checks.h"
#include "recorder/store.h"

namespace assay {
namespace {

const LockWords kOfWorkspace{
    .doing = "at work in this workspace",
    .advice = "make the workspace writable, or name another with --workspace"};
const LockWords kOfDatabase{.doing = "using this database from another workspace",
                            .advice = "make its folder writable, or name another with --db"};

std::string lock_in(const std::string& workspace) {
  std::error_code ignored;  // the opening says it
  std::filesystem::create_directories(workspace + "/results", ignored);
  return workspace + "/results/assay.lock";
}

// Beside the file itself, wherever links to it lie, so that every way to it meets the same lock.
std::string lock_beside(const std::string& database) {
  check_replaced_path(database);  // of `restore`, too; the store looks closer when it is opened
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(database, error);
  return (error ? database : real.string()) + "-lock";
}

}  // namespace

WorkspaceLock::WorkspaceLock(const std::string& workspace, const std::string& database,
                             const LockPatience& patience)
    : workspace_(lock_in(workspace), kOfWorkspace, patience),
      database_(lock_beside(database.empty() ? workspace + "/results/assay.db" : database),
                kOfDatabase, patience) {}

}  // namespace assay
