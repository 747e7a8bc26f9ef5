// assay backup FILE, assay restore FILE: the database as one file, and back.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "gates/cli/command.h"
#include "gates/cli/counted.h"
#include "gates/cli/text_check.h"
#include "gates/cli/workspace.h"
#include "recorder/backup.h"

namespace assay {
namespace {

std::string counts(const BackedUp& content) {
  return fmt::format("{}, {}, {}", counted(content.experiments, "experiment"),
                     counted(content.runs, "run"), counted(content.events, "event"));
}

int back_up_to(const std::string& file, const CommonOptions& common) {
  refuse_name_not_utf8("backup: FILE", file);
  const Workspace workspace(common, Access::kRead);
  const BackedUp done = back_up(workspace.store(), file);
  if (common.json) {
    std::cout << nlohmann::json{{"file", file},
                                {"bytes", done.bytes},
                                {"experiments", done.experiments},
                                {"runs", done.runs},
                                {"events", done.events}}
                     .dump(2)
              << std::endl;
  } else {
    std::cout << fmt::format(
        "backup: {}\n{} ({} bytes), read back: its pages are whole (`assay check --chain` says "
        "whether the history in them is what was sealed)\n",
        counts(done), file, done.bytes);
  }
  return workspace.exit_code();
}

int restore_from(const std::string& file, bool older, const CommonOptions& common) {
  refuse_name_not_utf8("restore: FILE", file);
  const std::string root = find_workspace(common);
  const std::string database = common.db.empty() ? root + "/results/assay.db" : common.db;
  const WorkspaceLock lock(root, database, LockPatience{.who = "assay restore", .seconds = 5});
  const Restored done = restore(file, database, older);
  if (!done.damage.empty()) std::cerr << "assay: the replaced database: " << done.damage << "\n";
  for (const std::string& run : done.lost) {
    std::cerr << "assay: not in the backup: " << run << "\n";
  }
  if (!done.lost.empty()) {
    std::cerr << "assay: those among them that have a committed record come in with the next "
                 "command\n";
  }
  std::cout << fmt::format("restore: {}: {}\n", database, counts(done.content));
  if (!done.kept.empty()) std::cout << fmt::format("what was there is kept as {}\n", done.kept);
  return 0;
}

}  // namespace

Action define_backup(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  app.add_option("FILE", *file, "the copy; must not exist")->required();
  return [file](const CommonOptions& common) { return back_up_to(*file, common); };
}

Action define_restore(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  auto older = std::make_shared<bool>(false);
  app.add_option("FILE", *file, "what `assay backup` wrote")->required();
  app.add_flag("--older", *older, "also where the database has runs that FILE lacks");
  return [file, older](const CommonOptions& common) { return restore_from(*file, *older, common); };
}

}  // namespace assay
