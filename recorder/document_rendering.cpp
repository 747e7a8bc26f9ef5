#include "recorder/document_rendering.h"

#include <fmt/format.h>

#include <memory>

#include "recorder/document.h"
#include "recorder/in_parallel.h"
#include "recorder/text_form.h"

namespace assay {

std::string record_path(const ExperimentLabel& label, const std::string& extension) {
  return fmt::format("results/records/{}.{}", record_stem(label), extension);
}

Rendering::Rendering(const Store& from, const std::string& root)
    : store(from),
      workspace(root),
      all(std::make_shared<const std::vector<ExperimentLabel>>(recorded_experiments(from))),
      entries(all->size()) {}

std::string Rendering::record(std::size_t place, StoredExperiment& stored) {
  const RecordParts parts = gather(store, (*all)[place], workspace, stored.sealed_events(), all);
  entries[place] = index_entry(parts);
  return render_record(parts);
}

std::string Rendering::index() {
  in_parallel(entries.size(), [&](std::size_t i) {
    if (entries[i].label.number == 0) {
      entries[i] = index_entry(gather_for_index(store, (*all)[i], workspace, all));
    }
  });
  return render_index(entries, workspace);
}

}  // namespace assay
