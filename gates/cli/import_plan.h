// What the files of a workspace will be once an archive is in: maps by the LANDs that came with it,
// definitions as they were frozen, notes.
#pragma once

#include <string>
#include <vector>

#include "gates/returned_land.h"
#include "recorder/archive_history.h"

namespace assay {

struct ImportPlan {
  std::vector<Intent> files;             // only those that change; before_sha256 "": not there yet
  std::vector<std::string> map_changes;  // a line for each row of a map
  std::vector<std::string> experiments;  // slugs with new runs, sources or `files`
  std::vector<std::string> map_differs;  // maps that will not be the archive's
  std::vector<std::string> kept;         // slugs whose LAND is known, and its row was let go
};
// Error(kUsage) where a file here stands against it: a row served by another variant, a definition
// with another text, notes of which neither holds the other.
ImportPlan plan_import(const MergedHistory& merged, const ArchivedHistory& history,
                       const std::string& root);

// The text of a file of the workspace; nothing when it is not there.
std::optional<std::string> text_of(const std::string& root, const std::string& path);

// LANDs in the order of their verdicts, made in the map's text one after another; `known` as
// with_returned_land has it.
std::string with_returned_lands(std::string text, std::vector<LandClaim> lands,
                                const std::vector<LandClaim>& known,
                                std::vector<std::string>& changes);

}  // namespace assay
