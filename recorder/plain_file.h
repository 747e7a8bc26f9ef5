// Files of the workspace that the recorder reads and writes, where anything may stand in their
// place.
//
// Opening a pipe waits for ever and a folder reads as nothing, so what stands at a path is looked
// at first. Messages name the path as people know it, relative to the workspace.
#pragma once

#include <optional>
#include <string>

namespace assay {

// Nothing when `path` (relative to `workspace`) is not there. Error(kUsage) when it is a folder, a
// pipe, a device, a link to nothing, or cannot be read.
std::optional<std::string> read_plain_file(const std::string& workspace, const std::string& path);

// As replace_file; Error(kUsage), before anything is written, when something else than a file
// stands there.
bool write_plain_file(const std::string& workspace, const std::string& path,
                      const std::string& text);

}  // namespace assay
