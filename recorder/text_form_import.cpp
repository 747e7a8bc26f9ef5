// Reading the text form. A file comes in whole or not at all, and is judged before that: form,
// version, name against label, every seal, the chain, every source's hash. One that does not come
// in is a finding, and the others still do.
//
// Runs are taken in the order of their chain, which may differ from the order of their opening: a
// killed run is sealed when the next command finds it.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "engine/core/json_output.h"
#include "engine/core/new_file.h"
#include "engine/core/whole_file.h"
#include "recorder/blob_codec.h"
#include "recorder/calibration_form.h"
#include "recorder/file_stamp.h"
#include "recorder/import_advice.h"
#include "recorder/in_parallel.h"
#include "recorder/json_text.h"
#include "recorder/renumber.h"
#include "recorder/text_form.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

using Json = nlohmann::json;
using RunWithEvents = std::pair<Store::StoredRun, std::vector<Event>>;

[[noreturn]] void damaged(const std::string& what) {
  throw Error(ErrorKind::kCheckFound, what);
}

int whole_number(const Json& object, const char* field, int least, const std::string& text) {
  const Json& number = object.at(field);
  constexpr int kMost = std::numeric_limits<int>::max();
  if (number.is_number_integer() && number >= least && number <= kMost) return number.get<int>();
  const std::string shown = json_output(number, -1);
  const int line = line_of(text, fmt::format("\"{}\": {}", field, shown));
  damaged(fmt::format("{}: \"{}\" is {}, no whole number from {} to {}", line, field,
                      cut_to_width(shown, 40), least, kMost));
}

RunWithEvents read_run(const Json& json, const std::string& slug, const std::string& text) {
  refuse_unknown_fields(json, {"events", "id", "ordinal", "previous", "seal"}, text);
  Store::StoredRun run{json.at("id").get<std::string>(), slug, json.at("seal").get<std::string>(),
                       json.at("previous").get<std::string>(),
                       whole_number(json, "ordinal", 0, text)};
  std::vector<Event> events;
  for (const Json& entry : json.at("events")) {
    refuse_unknown_fields(entry, {"at", "body", "kind"}, text);
    const std::string kind = entry.at("kind").get<std::string>();
    try {
      event_kind(kind);
    } catch (const Error&) {
      damaged(
          fmt::format("run {}: event {} is of the unknown kind \"{}\", as of a newer program; "
                      "update it",
                      run.id, events.size(), kind));
    }
    events.push_back({slug, run.id, static_cast<int>(events.size()), event_kind(kind),
                      entry.at("at").get<std::string>(), entry.at("body")});
  }
  return {std::move(run), std::move(events)};
}

// What attempts name.
std::set<std::string> sources_of(const std::vector<RunWithEvents>& runs) {
  std::set<std::string> sources;
  for (const auto& [run, events] : runs) {
    for (const Event& event : events) {
      if (event.kind != EventKind::kAttemptOpened) continue;
      for (const auto& [path, sha256] : event.body.get<AttemptOpened>().sources) {
        sources.insert(sha256);
      }
    }
  }
  return sources;
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
  const Json json = parse_json_text(text);
  Store::ImportedExperiment experiment;
  if (json.at("format") != "assay-record") damaged("1: not a record of Assay");
  if (json.at("version") != 1) {
    damaged(fmt::format("{}: version {} of the form, this program reads 1; update it",
                        line_of(text, "\"version\""), json.at("version").dump()));
  }
  refuse_unknown_fields(json, {"blobs", "format", "number", "runs", "slug", "version"}, text);
  experiment.label = {whole_number(json, "number", 1, text), json.at("slug").get<std::string>()};
  if (record_stem(experiment.label) != stem) {
    damaged(fmt::format("{}: the file's name says {}, its content {}", line_of(text, "\"number\""),
                        stem, record_stem(experiment.label)));
  }
  std::vector<RunWithEvents> runs;
  for (const Json& run : json.at("runs")) {
    place = run.at("id").get<std::string>();
    runs.push_back(read_run(run, experiment.label.slug, text));
  }
  place.clear();
  const std::set<std::string> sources = sources_of(runs);
  experiment.runs = in_chain_order(std::move(runs));
  for (const auto& [sha256, base64] : json.at("blobs").items()) {
    place = sha256;
    if (!sources.contains(sha256)) damaged(fmt::format("source {}: no attempt names it", sha256));
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

// The way out of a clash of numbers: for the record in the file, and for the one that is here.
std::string renumber_advice(const Store& store, const std::string& workspace,
                            const std::string& stem, std::optional<FreeNumbers>& free) {
  if (!free) free.emplace(store, workspace);
  const std::string slug = stem.substr(std::min(stem.find('-'), stem.size() - 1) + 1);
  const auto same = store.find(slug);
  if (same && same->slug == slug) {
    return fmt::format(": `assay renumber {} {}` makes one record of both", slug,
                       store.find(stem.substr(0, stem.find('-'))) ? free->next() : std::stoi(stem));
  }
  const auto holder = store.find(stem.substr(0, stem.find('-')));
  if (holder && store.runs(holder->slug).empty()) {
    return fmt::format(
        "; {} has no run, so the database was edited: move that away, and committed records are "
        "imported into a new one",
        holder->slug);
  }
  const int number = free->next();
  return fmt::format(": `assay renumber {} {}`, or `assay renumber {} {}`", slug, number,
                     holder ? holder->slug : slug, number);
}

// "LINE: what", where the line can be known from what it says or from where the reading was.
std::string with_line(const std::string& text, const std::string& what, const std::string& place) {
  const bool has_line = !what.empty() && what[0] >= '0' && what[0] <= '9' &&
                        what.find_first_not_of("0123456789") == what.find(':');
  return has_line ? what : fmt::format("{}: {}", line_of_message(text, what + " " + place), what);
}

int import_file(Store& store, const std::string& workspace, const std::string& shown,
                const std::string& stem, const std::string& text,
                std::optional<FreeNumbers>& free) {
  try {
    if (shown == kCalibrationsPath) return import_calibrations(store, text);
    const Store::ImportedExperiment experiment = read_record_text(text, stem);
    const int count = store.import_experiment(experiment);
    const std::string& slug = experiment.label.slug;
    if (store.runs(slug).size() == experiment.runs.size()) store.record_is_written(slug);
    return count;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUsage) throw;  // the database's trouble, not the file's
    const std::string what = error.what();
    constexpr std::string_view kClash = "; renumber one of them";
    if (what.ends_with(kClash)) {
      damaged(fmt::format("{}:{}: {}{}", shown, line_of(text, "\"number\""),
                          what.substr(0, what.size() - kClash.size()),
                          renumber_advice(store, workspace, stem, free)));
    }
    damaged(fmt::format("{}:{}{}", shown, with_line(text, what, ""), import_advice(what, shown)));
  } catch (const Json::exception&) {
    damaged(fmt::format("{}:1: a part is missing or of the wrong type{}", shown,
                        import_advice("", shown)));
  }
}

constexpr const char* kRecordFolder = "results/records";

// Names of the committed records, in no order. A folder that cannot be listed is a finding: its
// history would be missing without a word.
std::vector<std::string> record_files(const std::string& workspace, ImportReport& report) {
  std::vector<std::string> names;
  const std::string folder = workspace + "/" + kRecordFolder;
  // Without std::filesystem, whose path per entry costs more than the listing.
  DIR* const listing = ::opendir(folder.c_str());
  const int why = errno;
  while (const dirent* entry = listing == nullptr ? nullptr : ::readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (name.ends_with(".json") && name.size() > 5) names.emplace_back(name);
    report.unfinished = report.unfinished || NewFile::may_be_unfinished(name);
  }
  if (listing != nullptr) ::closedir(listing);
  struct stat status {};
  if (listing == nullptr && ::lstat(folder.c_str(), &status) == 0) {
    report.findings.push_back(
        {kRecordFolder, fmt::format("{}: cannot be listed: {}; it must be a readable folder",
                                    kRecordFolder, std::strerror(why))});
  }
  return names;
}

// Files that a renumbering is about to remove: all that they hold is here.
std::set<std::string> left_behind(const Store& store) {
  std::set<std::string> names;
  for (const PendingRenumber& pending : pending_renumbers(store)) {
    for (const int number : pending.body.earlier) {
      names.insert(record_stem({number, pending.body.slug}) + ".json");
    }
    names.erase(record_stem({pending.body.number, pending.body.slug}) + ".json");
  }
  return names;
}

// The files of one workspace that were read before and are as they were: one look at the memory of
// them, and one at each file.
class KnownFiles {
 public:
  KnownFiles(const Store& store, const std::string& workspace)
      : root_(std::filesystem::absolute(workspace).lexically_normal().string()),
        known_(store.known_files()) {
    if (!root_.empty() && root_.back() == '/') root_.pop_back();
    records_ = ::open(full_path(kRecordFolder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  ~KnownFiles() {
    if (records_ >= 0) ::close(records_);
  }
  KnownFiles(const KnownFiles&) = delete;
  KnownFiles& operator=(const KnownFiles&) = delete;
  const std::string& workspace() const { return root_; }
  std::string full_path(const std::string& shown) const { return root_ + "/" + shown; }
  bool has(const std::string& shown) const {
    const std::string path = full_path(shown);
    return is_as_known(path, AT_FDCWD, path.c_str());
  }
  // The same of a file in the records' folder: the way there is walked once, not ten thousand
  // times.
  bool has_record(const std::string& name) const {
    return is_as_known(record_path(name), records_, name.c_str());
  }

 private:
  std::string record_path(const std::string& name) const {
    std::string path = root_;
    path.append("/").append(kRecordFolder).append("/").append(name);
    return path;
  }
  bool is_as_known(const std::string& path, int folder, const char* name) const {
    const auto file = known_.find(path);
    struct stat status {};
    if (file == known_.end()) {
      return ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
    }
    return ::fstatat(folder, name, &status, 0) == 0 && S_ISREG(status.st_mode) &&
           file->second == stamp_of(status);
  }

  std::string root_;
  std::unordered_map<std::string, Store::FileStamp> known_;
  int records_ = -1;  // the folder, open
};

// How many runs or A/A effects came in.
int import_changed(Store& store, const KnownFiles& known, const std::string& shown,
                   std::optional<FreeNumbers>& free) {
  const std::string path = known.full_path(shown);
  struct stat status {};
  ::stat(path.c_str(), &status);
  std::optional<std::string> text;
  try {
    text = read_whole_file(path, shown);
  } catch (const Error& error) {
    damaged(error.what());
  }
  if (!text) return 0;
  const int runs = import_file(store, known.workspace(), shown,
                               std::filesystem::path(shown).stem().string(), *text, free);
  store.remember_file(path, stamp_of(status));
  return runs;
}

void import_into_report(Store& store, const KnownFiles& known, const std::string& shown,
                        std::optional<FreeNumbers>& free, ImportReport& report) {
  try {
    const int count = import_changed(store, known, shown, free);
    if (count == 0) return;
    const char* what = shown == kCalibrationsPath ? "A/A effect" : "run";
    report.lines.push_back(
        fmt::format("imported {} {}{} from {}", count, what, count == 1 ? "" : "s", shown));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kCheckFound) throw;
    report.findings.push_back({shown, error.what()});
  }
}

}  // namespace

Store::ImportedExperiment read_record_text(const std::string& text, const std::string& stem) {
  std::string place;
  try {
    return read_record(text, stem, place);
  } catch (const Error& error) {
    damaged(with_line(text, error.what(), place));
  } catch (const Json::exception&) {
    damaged(fmt::format("{}: a part is missing or of the wrong type{}",
                        line_of_message(text, place), place.empty() ? "" : " after " + place));
  }
}

ImportReport import_workspace(Store& store, const std::string& workspace, Follow follow) {
  ImportReport report;
  std::vector<std::string> names = record_files(workspace, report);
  const std::set<std::string> left = left_behind(store);
  std::erase_if(names, [&](const std::string& name) { return left.contains(name); });
  const KnownFiles known(store, workspace);
  std::vector<char> is_known(names.size());
  in_parallel_pieces(names.size(),
                     [&](std::size_t i) { is_known[i] = known.has_record(names[i]) ? 1 : 0; });
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_known[i] == 0) unknown.push_back(fmt::format("{}/{}", kRecordFolder, names[i]));
  }
  // A file that is known has the number of its label: what changes that forgets the file.
  if (!unknown.empty() && follow == Follow::kRenamed)
    report.lines = follow_record_files(store, workspace, names);
  std::sort(unknown.begin(), unknown.end());
  if (!known.has(kCalibrationsPath)) unknown.push_back(kCalibrationsPath);
  std::optional<FreeNumbers> free;  // made for the first clash
  // Some files share one transaction, since each waits for the disk; one that is refused takes
  // back its own part only.
  constexpr std::size_t kAtOnce = 100;
  for (std::size_t i = 0; i < unknown.size(); i += kAtOnce) {
    store.together([&] {
      for (std::size_t j = i; j < std::min(i + kAtOnce, unknown.size()); ++j) {
        import_into_report(store, known, unknown[j], free, report);
      }
    });
  }
  return report;
}

}  // namespace assay
