// Worker and program of a record, built again from the commit that it names, in a git worktree of
// its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/core/device.h"

namespace assay {

struct RebuildOrder {
  std::string id;                              // "0003 rms-norm-unroll", for messages
  std::string root;                            // of the workspace, within the repository
  std::string tree;                            // as the record has it: "COMMIT" or "COMMIT-dirty"
  std::map<std::string, std::string> sources;  // path -> SHA-256, of the attempt
  BackendKind backend = BackendKind::kCpu;
  std::string folder;  // where to build; empty: below build/reproduce of the workspace
  bool keep = false;   // leave the worktree there
};

class RebuiltWorker {
 public:
  // Checks, checks out, compares the sources and builds. Error(kUsage) that says what stands in the
  // way and what to do; the worktree is then gone again.
  explicit RebuiltWorker(const RebuildOrder& order);
  ~RebuiltWorker();
  RebuiltWorker(const RebuiltWorker&) = delete;
  RebuiltWorker& operator=(const RebuiltWorker&) = delete;

  const std::string& folder() const { return folder_; }
  std::string worker() const;
  std::string program() const;  // `assay` of that commit
  // The map of that commit; empty where it has none of that name.
  std::string map_text(const std::string& service) const;

 private:
  void make_parents();
  void check_out(const RebuildOrder& order, const std::string& commit);
  void compare_sources(const RebuildOrder& order, const std::string& commit) const;
  void build(const RebuildOrder& order) const;
  void remove() const;

  std::string root_, folder_, preset_;
  std::vector<std::string> made_;  // folders that were made for it, the innermost first
  bool keep_ = false;
};

}  // namespace assay
