// What the documents of one history are made from, read once for writing or checking all of them.
#pragma once

#include <string>
#include <vector>

#include "recorder/index_entry.h"
#include "recorder/record_parts.h"
#include "recorder/store.h"
#include "recorder/stored_experiment.h"

namespace assay {

inline constexpr const char* kIndexPath = "results/index.md";

// "results/records/0007-slug.md", relative to the workspace.
std::string record_path(const ExperimentLabel& label, const std::string& extension);

struct Rendering {
  const Store& store;
  const std::string& workspace;
  Recorded all;
  std::vector<IndexEntry> entries;  // of the records that were rendered; the others have number 0

  Rendering(const Store& from, const std::string& root);
  // The document of (*all)[place]; each place by one thread.
  std::string record(std::size_t place, StoredExperiment& stored);
  // Entries that the records left are taken, the others are read.
  std::string index();
};

}  // namespace assay
