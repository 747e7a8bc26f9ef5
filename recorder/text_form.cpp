// Writing the text form: {format, version, number, slug, runs, blobs}. An event's slug, run and
// index follow from where it stands and are not repeated; everything else is as stored.
#include "recorder/text_form.h"

#include <fmt/format.h>

#include <set>

#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/blob_codec.h"

namespace assay {

std::string canonical_json(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string record_stem(const ExperimentLabel& label) {
  return fmt::format("{:04}-{}", label.number, label.slug);
}

std::string export_experiment(const Store& store, const ExperimentLabel& label) {
  nlohmann::json runs = nlohmann::json::array();
  std::set<std::string> sources;
  for (const Store::StoredRun& run : store.runs(label.slug)) {
    if (run.seal.empty()) continue;
    nlohmann::json events = nlohmann::json::array();
    for (const Event& event : store.run_events(run.id)) {
      events.push_back({{"kind", to_string(event.kind)}, {"at", event.at}, {"body", event.body}});
      if (event.kind != EventKind::kAttemptOpened) continue;
      for (const auto& [path, sha256] : event.body.get<AttemptOpened>().sources) {
        sources.insert(sha256);
      }
    }
    runs.push_back({{"id", run.id},
                    {"ordinal", run.ordinal},
                    {"seal", run.seal},
                    {"previous", run.previous},
                    {"events", std::move(events)}});
  }
  nlohmann::json blobs = nlohmann::json::object();
  for (const std::string& sha256 : sources) {
    const std::optional<std::string> zstd = store.compressed_blob(sha256);
    if (zstd) blobs[sha256] = to_base64(*zstd);
  }
  return canonical_json({{"format", "assay-record"},
                         {"version", 1},
                         {"number", label.number},
                         {"slug", label.slug},
                         {"runs", std::move(runs)},
                         {"blobs", std::move(blobs)}});
}

void write_record_json(const Store& store, const ExperimentLabel& label,
                       const std::string& workspace) {
  const std::string path = fmt::format("results/records/{}.json", record_stem(label));
  replace_file(workspace + "/" + path, export_experiment(store, label), path);
}

}  // namespace assay
