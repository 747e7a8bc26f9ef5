// Writing the text form: {format, version, number, slug, runs, blobs}. An event's slug, run and
// index follow from where it stands and are not repeated; everything else is as stored.
#include "recorder/text_form.h"

#include <fmt/format.h>

#include <set>

#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "experiments/record/json_reader.h"
#include "recorder/json_layout.h"
#include "recorder/run_order.h"

namespace assay {

std::string canonical_json(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

namespace {

// The message that reading the event would give, which parses it.
[[noreturn]] void refuse_body(const Store& store, const ExperimentLabel& label,
                              const Store::StoredRun& run, const Store::EventText& event) {
  store.run_events(run.id);
  throw Error(ErrorKind::kCheckFound,
              fmt::format("{}: run {}, event {}: its body is no JSON of one object",
                          record_stem(label), run.id, event.index));
}

// SHA-256 of the sources that sealed attempts name.
std::set<std::string> sources_of(const Store& store, const ExperimentLabel& label,
                                 const StoredExperiment& stored) {
  const std::string attempt_opened = to_string(EventKind::kAttemptOpened);
  std::set<std::string> sources;
  for (const auto& [run, events, texts] : stored.runs()) {
    if (run.seal.empty()) continue;
    for (const Store::EventText& event : events) {
      if (event.kind != attempt_opened) continue;
      try {
        const auto attempt = read_json(event.body).get<AttemptOpened>();
        for (const auto& [path, sha256] : attempt.sources) sources.insert(sha256);
      } catch (const nlohmann::json::exception&) {
        refuse_body(store, label, run, event);
      }
    }
  }
  return sources;
}

// Room for the text of it: bodies, and the lines and indentation around them.
std::size_t expected_size(const StoredExperiment& stored) {
  std::size_t size = std::size_t{1} << 16;
  for (const Store::RunTexts& of : stored.runs()) {
    for (const Store::EventText& event : of.events) size += 200 + event.body.size() * 5 / 4;
  }
  return size;
}

}  // namespace

std::string record_stem(const ExperimentLabel& label) {
  return fmt::format("{:04}-{}", label.number, label.slug);
}

void refuse_unsound(const Store& store, const ExperimentLabel& label,
                    const StoredExperiment& stored) {
  for (const Store::RunTexts& of : stored.runs()) {
    if (of.run.seal.empty() || of.is_sound()) continue;
    throw Error(
        ErrorKind::kCheckFound,
        fmt::format("{}: run {} in the database is not what was sealed: it was edited, or is "
                    "damaged. `assay check` says more; move the database away, and "
                    "committed records are imported into a new one",
                    record_stem(label), of.run.id));
  }
  for (const std::string& line : run_order_faults(stored.runs())) {
    throw Error(ErrorKind::kCheckFound,
                fmt::format("{}: {}: its ordinal was edited. `assay check` says more; move the "
                            "database away, and committed records are imported into a new one",
                            record_stem(label), line));
  }
  for (const std::string& sha256 : sources_of(store, label, stored)) store.shared_blob(sha256);
}

std::string export_experiment(const Store& store, const ExperimentLabel& label) {
  const StoredExperiment stored(store, label.slug);
  refuse_unsound(store, label, stored);
  return export_experiment(store, label, stored);
}

// The record is put together from the stored texts, which are canonical JSON already, and laid out
// once: to parse and print them again would take ten times as long. A sample's body is one line:
// its hundred numbers are one launch pair.
std::string export_experiment(const Store& store, const ExperimentLabel& label,
                              const StoredExperiment& stored) try {
  const std::set<std::string> sources = sources_of(store, label, stored);
  const std::string sample = to_string(EventKind::kSample);
  JsonLayout layout(expected_size(stored));
  const char* between = "";
  layout.add("{\"blobs\":{");
  for (const std::string& sha256 : sources) {
    const Store::SharedText zstd = store.compressed_blob(sha256);
    if (zstd == nullptr) continue;
    layout.add(fmt::format("{}{}:\"{}\"", between, json_quoted(sha256), to_base64(*zstd)));
    between = ",";
  }
  layout.add(fmt::format("}},\"format\":\"assay-record\",\"number\":{},\"runs\":[", label.number));
  between = "";
  for (const auto& [run, events, texts] : stored.runs()) {
    if (run.seal.empty()) continue;
    layout.add(fmt::format("{}{{\"events\":[", between));
    between = "";
    for (const Store::EventText& event : events) {
      layout.add(between);
      layout.add("{\"at\":");
      layout.add_quoted(event.at);
      layout.add(",\"body\":");
      const auto shape =
          event.kind == sample ? JsonLayout::Shape::kLine : JsonLayout::Shape::kIndented;
      if (!layout.add_whole(event.body, shape)) refuse_body(store, label, run, event);
      layout.add(",\"kind\":");
      layout.add_quoted(event.kind);
      layout.add("}");
      between = ",";
    }
    layout.add(fmt::format("],\"id\":{},\"ordinal\":{},\"previous\":{},\"seal\":{}}}",
                           json_quoted(run.id), run.ordinal, json_quoted(run.previous),
                           json_quoted(run.seal)));
    between = ",";
  }
  layout.add(fmt::format("],\"slug\":{},\"version\":1}}", json_quoted(label.slug)));
  std::string text;
  text.reserve(layout.text().size() + 1);
  text += layout.text();
  return text += '\n';
} catch (const nlohmann::json::exception&) {
  throw Error(ErrorKind::kCheckFound,
              fmt::format("{}: a name or a time of it in the database is no text; the database was "
                          "edited, or is damaged: move it away, and committed records are imported "
                          "into a new one",
                          record_stem(label)));
}

void write_record_json(const Store& store, const ExperimentLabel& label,
                       const std::string& workspace) {
  const std::string path = fmt::format("results/records/{}.json", record_stem(label));
  replace_file(workspace + "/" + path, export_experiment(store, label), path);
}

}  // namespace assay
