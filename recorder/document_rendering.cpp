#include "recorder/document_rendering.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

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
      for_the_index(all->size()) {}

std::string Rendering::record(std::size_t place, StoredExperiment& stored) {
  RecordParts parts = gather(store, (*all)[place], workspace, stored.sealed_events(), all);
  std::string text = render_record(parts);
  for_the_index[place] = for_index(std::move(parts));
  return text;
}

std::string Rendering::index() {
  std::vector<RecordParts> parts(all->size());
  in_parallel(parts.size(), [&](std::size_t i) {
    parts[i] = for_the_index[i] ? std::move(*for_the_index[i])
                                : gather_for_index(store, (*all)[i], workspace, all);
  });
  return render_index(parts, workspace);
}

}  // namespace assay
