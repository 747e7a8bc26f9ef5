#include "recorder/ghost_labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/error.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

constexpr const char* kWayOut =
    "the database was edited: move it away, and committed records are imported into a new one";

}  // namespace

std::vector<std::string> label_faults(const Store& store, const std::string& database) {
  std::vector<std::string> lines;
  const std::vector<Store::SqlRow> unused = store.sql(
      "SELECT number, slug FROM label WHERE slug NOT IN (SELECT slug FROM run) ORDER BY number");
  for (std::size_t i = 1; i < unused.size(); ++i) {  // the first row has the columns' names
    const ExperimentLabel label{unused[i][0].get<int>(), unused[i][1].get<std::string>()};
    lines.push_back(fmt::format("{}: {}: has a number and no run, so it was never proposed; {}",
                                database, record_stem(label), kWayOut));
  }
  const std::vector<Store::SqlRow> lost = store.sql(
      "SELECT DISTINCT slug FROM run WHERE slug <> '' AND slug NOT IN (SELECT slug FROM label) "
      "ORDER BY slug");
  for (std::size_t i = 1; i < lost.size(); ++i) {
    lines.push_back(fmt::format("{}: {}: its record number is missing; {}", database,
                                lost[i][0].get<std::string>(), kWayOut));
  }
  return lines;
}

void refuse_ghost_labels(const Store& store, const std::string& database) {
  const std::vector<std::string> lines = label_faults(store, database);
  if (lines.empty()) return;
  throw Error(
      ErrorKind::kCheckFound,
      fmt::format("{}\nnothing was written: the history is not whole", fmt::join(lines, "\n")));
}

}  // namespace assay
