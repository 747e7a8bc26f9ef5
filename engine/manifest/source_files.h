// Which project files a variant's source is made of, and what the tree they lie in is called.
#pragma once

#include <string>
#include <vector>

namespace assay {

// `source` (a path from `root`), then every file below `root` that it includes in quotes, directly
// or not, sorted. An include is looked for from the root, then beside the file that asks.
// Error(kBaseline) when `source` itself is missing.
std::vector<std::string> source_closure(const std::string& root, const std::string& source);

struct SourceTree {
  std::string name;  // the git commit, with "-dirty" when files differ from it or are not tracked
  // Those files, from the repository's root, as printable() shows them; then "and N more".
  std::vector<std::string> dirty;
};
// Of the repository in which `root` lies; the name is "unknown" where it or git is missing.
SourceTree source_tree(const std::string& root);

// Whole file. Error(kBaseline) when it cannot be read.
std::string read_source(const std::string& path);

}  // namespace assay
