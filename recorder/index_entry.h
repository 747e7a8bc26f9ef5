// What the index says of one experiment: little, so that ten thousand of them are.
#pragma once

#include <string>
#include <vector>

#include "recorder/record_parts.h"
#include "recorder/shown_value.h"

namespace assay {

struct IndexEntry {
  ExperimentLabel label;
  std::string state;  // status_mark()
  std::string title;
  std::string lever, lever_class, campaign;  // "" where the definition cannot be read
  std::string verdict = "none", effect = kNotMeasured;
  std::string reason, device, date;
  std::vector<std::string> owed;  // lessons_owed()
};

IndexEntry index_entry(const RecordParts& parts);

// document.h, of what was read already; by number.
std::string render_index(const std::vector<IndexEntry>& all, const std::string& workspace);

}  // namespace assay
