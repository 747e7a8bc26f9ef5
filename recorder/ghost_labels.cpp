#include "recorder/ghost_labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "engine/core/error.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

constexpr const char* kWayOut =
    "the database was edited: move it away, and committed records are imported into a new one";

}  // namespace

std::vector<std::string> label_faults(const Store& store, const std::string& database) {
  const auto sealed = store.seals();
  std::set<std::string> labelled, going;
  for (const ExperimentLabel& label : store.unended()) going.insert(label.slug);
  std::vector<std::string> lines;
  for (const ExperimentLabel& label : store.experiments()) {
    labelled.insert(label.slug);
    if (sealed.contains(label.slug) || going.contains(label.slug)) continue;
    lines.push_back(fmt::format("{}: {}: has a number and no run, so it was never proposed; {}",
                                database, record_stem(label), kWayOut));
  }
  std::set<std::string> lost;
  for (const auto& [slug, seals] : sealed) lost.insert(slug);
  for (const Store::StoredRun& run : store.unfinished_runs()) lost.insert(run.slug);
  for (const std::string& slug : lost) {
    if (slug.empty() || labelled.contains(slug)) continue;
    lines.push_back(
        fmt::format("{}: {}: its record number is missing; {}", database, slug, kWayOut));
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
