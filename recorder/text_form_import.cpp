// Reading the text form. A file comes in whole or not at all, and is judged before that: form,
// version, name against label, every seal, the chain, every source's hash.
//
// Runs are taken in the order of their chain, which may differ from the order of their opening: a
// killed run is sealed when the next command finds it.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/blob_codec.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

using Json = nlohmann::json;
using RunWithEvents = std::pair<Store::StoredRun, std::vector<Event>>;

[[noreturn]] void damaged(const std::string& what) {
  throw Error(ErrorKind::kCheckFound, what);
}

// The line on which `needle` first stands; 1 when it is nowhere.
int line_of(const std::string& text, const std::string& needle) {
  const std::size_t at = text.find(needle);
  if (needle.empty() || at == std::string::npos) return 1;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

Json parse_text(const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t end = std::min<std::size_t>(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(end), '\n');
    damaged(fmt::format("{}: not JSON: cut off, edited, or with a merge conflict in it", line));
  }
}

RunWithEvents read_run(const Json& json, const std::string& slug) {
  Store::StoredRun run{json.at("id").get<std::string>(), slug, json.at("seal").get<std::string>(),
                       json.at("previous").get<std::string>(), json.at("ordinal").get<int>()};
  std::vector<Event> events;
  for (const Json& entry : json.at("events")) {
    const std::string kind = entry.at("kind").get<std::string>();
    try {
      event_kind(kind);
    } catch (const Error&) {
      damaged(fmt::format("run {}: event {} is of the unknown kind \"{}\"", run.id, events.size(),
                          kind));
    }
    events.push_back({slug, run.id, static_cast<int>(events.size()), event_kind(kind),
                      entry.at("at").get<std::string>(), entry.at("body")});
  }
  return {std::move(run), std::move(events)};
}

// Each run after the one that its `previous` names.
std::vector<RunWithEvents> in_chain_order(std::vector<RunWithEvents> runs) {
  std::map<std::string, RunWithEvents> by_previous;
  for (RunWithEvents& run : runs) {
    const std::string previous = run.first.previous;
    const std::string id = run.first.id;
    if (!by_previous.emplace(previous, std::move(run)).second) {
      damaged(fmt::format("run {}: another run follows the same one", id));
    }
  }
  std::vector<RunWithEvents> chain;
  std::string last;
  for (auto next = by_previous.find(last); next != by_previous.end();
       next = by_previous.find(last)) {
    last = next->second.first.seal;
    chain.push_back(std::move(next->second));
    by_previous.erase(next);
  }
  if (!by_previous.empty()) {
    damaged(
        fmt::format("run {}: the run before it is missing", by_previous.begin()->second.first.id));
  }
  return chain;
}

// `place` follows what is being read, for the message.
Store::ImportedExperiment read_record(const std::string& text, const std::string& stem,
                                      std::string& place) {
  const Json json = parse_text(text);
  Store::ImportedExperiment experiment;
  if (json.at("format") != "assay-record") damaged("1: not a record of Assay");
  if (json.at("version") != 1) {
    damaged(fmt::format("{}: version {} of the form, this program reads 1; update it",
                        line_of(text, "\"version\""), json.at("version").dump()));
  }
  experiment.label = {json.at("number").get<int>(), json.at("slug").get<std::string>()};
  if (record_stem(experiment.label) != stem) {
    damaged(fmt::format("{}: the file's name says {}, its content {}", line_of(text, "\"number\""),
                        stem, record_stem(experiment.label)));
  }
  std::vector<RunWithEvents> runs;
  for (const Json& run : json.at("runs")) {
    place = run.at("id").get<std::string>();
    runs.push_back(read_run(run, experiment.label.slug));
  }
  place.clear();
  experiment.runs = in_chain_order(std::move(runs));
  for (const auto& [sha256, base64] : json.at("blobs").items()) {
    place = sha256;
    std::optional<std::string> bytes = from_base64(base64.get<std::string>());
    if (!bytes) damaged(fmt::format("source {}: is not base64 text", sha256));
    experiment.blobs[sha256] = std::move(*bytes);
  }
  place.clear();
  return experiment;
}

// The first word of a message that stands in the file as a quoted id, for the line number.
int line_of_message(const std::string& text, const std::string& message) {
  std::size_t at = 0;
  while ((at = message.find_first_of("0123456789abcdef", at)) != std::string::npos) {
    const std::size_t end = message.find_first_not_of("0123456789abcdef", at);
    const std::string word = message.substr(at, end - at);
    if (word.size() == 32 || word.size() == 64) return line_of(text, "\"" + word + "\"");
    if (end == std::string::npos) break;
    at = end;
  }
  return 1;
}

int import_file(Store& store, const std::string& shown, const std::string& stem,
                const std::string& text) {
  std::string place;
  try {
    return store.import_experiment(read_record(text, stem, place));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kCheckFound) throw;
    const std::string what = error.what();
    const bool has_line = !what.empty() && what[0] >= '0' && what[0] <= '9' &&
                          what.find_first_not_of("0123456789") == what.find(':');
    if (has_line) damaged(fmt::format("{}:{}", shown, what));
    damaged(fmt::format("{}:{}: {}", shown, line_of_message(text, what + " " + place), what));
  } catch (const Json::exception&) {
    damaged(fmt::format("{}:{}: a part is missing or of the wrong type{}", shown,
                        line_of_message(text, place), place.empty() ? "" : " after " + place));
  }
}

}  // namespace

std::vector<std::string> import_workspace(Store& store, const std::string& workspace) {
  const std::filesystem::path folder = std::filesystem::path(workspace) / "results/records";
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> lines;
  for (const std::filesystem::path& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const std::string path = std::filesystem::absolute(file).lexically_normal().string();
    const std::int64_t mtime =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    if (store.file_known(path, status.st_size, mtime)) continue;
    const std::string shown = "results/records/" + file.filename().string();
    const std::optional<std::string> text = read_whole_file(file.string());
    if (!text) continue;
    const int runs = import_file(store, shown, file.stem().string(), *text);
    store.remember_file(path, status.st_size, mtime);
    if (runs > 0) {
      lines.push_back(fmt::format("imported {} run{} from {}", runs, runs == 1 ? "" : "s", shown));
    }
  }
  return lines;
}

}  // namespace assay
