// A question and its answer in one step, as the commands that ask one take several. For tests.
#pragma once

#include <string>
#include <vector>

#include "recorder/catalog.h"
#include "recorder/query.h"

namespace assay {

// In the order of the numbers. The notes of `workspace` are searched, too; "": there are none.
inline std::vector<QueryRow> query(const Store& store, const QueryFilter& filter,
                                   const std::string& workspace = "") {
  return Catalog(store, workspace, all_notes(workspace)).find(filter);
}

inline HistoryNames names_in(const Store& store, const std::string& workspace = "") {
  return Catalog(store, workspace, std::nullopt).names();
}

}  // namespace assay
