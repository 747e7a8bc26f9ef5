// assay import FILE: takes in what `assay export` wrote in another workspace.
//
// The archive is read and judged before the workspace is opened, and joined with it by
// import_steps.h: all of it or nothing. Import twice is import once.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "gates/cli/command.h"
#include "gates/cli/file_text.h"
#include "gates/cli/import_words.h"
#include "gates/cli/text_check.h"

namespace assay {
namespace {

std::string read_archive_bytes(const std::string& file) {
  std::error_code unknown;  // read_text_file says why
  const auto size = std::filesystem::file_size(file, unknown);
  if (!unknown && size > kLargestArchive) {
    refuse_import(
        file, fmt::format("has {} bytes, and an archive has {} at most", size, kLargestArchive));
  }
  return read_text_file(file);
}

int act(const std::string& file, const CommonOptions& common) {
  refuse_name_not_utf8("import: FILE", file);
  const std::string bytes = read_archive_bytes(file);
  ArchivedHistory history;
  try {
    history = read_history(unpack_archive(bytes));
  } catch (const Error& error) {
    refuse_import(file, error.what());
  }
  Workspace workspace(common, Access::kWrite);
  const RunOpened opened{
      .command = "import", .argv = common.argv, .provenance = light_provenance()};
  say_taken_in(take_in_and_finish(workspace, history, file, sha256_hex(bytes), opened, ""),
               common.json);
  return 0;
}

}  // namespace

Action define_import(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  app.add_option("FILE", *file, "an archive of `assay export`")->required();
  return [file](const CommonOptions& common) { return act(*file, common); };
}

}  // namespace assay
