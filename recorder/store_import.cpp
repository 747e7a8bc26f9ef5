// Taking in another machine's history, as it is: ids, times, seals and compressed bytes unchanged.
//
// Invariants: a run comes in whole or not at all; its seal must match its events; its predecessor
// must be here; nothing that is here already is changed by it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "engine/core/sha256.h"
#include "engine/core/utc_time.h"
#include "recorder/blob_codec.h"
#include "recorder/run_order.h"
#include "recorder/schema.h"
#include "recorder/store_state.h"

namespace assay {
namespace {

constexpr std::size_t kLongestName = 1000;  // bytes
constexpr std::size_t kMostPairs = 10'000;
constexpr double kLargestPairValue = 3;  // logarithm of a ratio of times

[[noreturn]] void found(const std::string& what) {
  throw Error(ErrorKind::kCheckFound, what);
}

std::string name_of(const Store::StoredRun& run) {
  return fmt::format("run {} ({})", run.ordinal, run.id);
}

void check_blob(const std::string& sha256, const std::string& zstd) {
  std::string content;
  try {
    content = decompress(zstd);
  } catch (const Error& error) {
    found(fmt::format("source {}: {}", sha256, error.what()));
  }
  if (sha256_hex(content) != sha256) found(fmt::format("source {}: has another hash", sha256));
}

void check_shape(const Store::StoredRun& run, const std::vector<Event>& events) {
  if (run.seal.empty()) found(name_of(run) + ": has no seal");
  if (events.empty() || events.front().kind != EventKind::kRunOpened ||
      events.back().kind != EventKind::kRunEnded) {
    found(name_of(run) + ": does not begin with its opening and end with its ending");
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.index != static_cast<int>(i) || event.run != run.id || event.slug != run.slug) {
      found(fmt::format("{}: event {} is out of place", name_of(run), i));
    }
    if (!utc_time(event.at)) {
      found(fmt::format("{}: event {} is of the time \"{}\", which is none", name_of(run), i,
                        printable(event.at.substr(0, kLongestName))));
    }
  }
  if (seal_of(run.previous, events) != run.seal) {
    found(name_of(run) + ": its events do not match its seal: they were edited, or lost");
  }
  const auto ordinal = sealed_ordinal(events.front().body);
  if (ordinal && *ordinal != run.ordinal) {
    found(fmt::format("{}: was opened as run {}: its ordinal was edited", name_of(run), *ordinal));
  }
}

// Every source that an attempt names must be there by now: a record without one could never be
// mended, since what is here already is not changed.
void check_sources(const Store& store, const Store::ImportedExperiment& experiment) {
  for (const auto& [run, events] : experiment.runs) {
    for (const Event& event : events) {
      if (event.kind != EventKind::kAttemptOpened) continue;
      for (const auto& [path, sha256] : event.body.get<AttemptOpened>().sources) {
        if (store.compressed_blob(sha256)) continue;
        found(fmt::format("source {} ({}) of {} is missing", printable(sha256), printable(path),
                          name_of(run)));
      }
    }
  }
}

// Text of one line, as a program writes it: such names and keys are compared, shown and sorted.
bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kLongestName && printable(text) == text;
}

// An effect widens or narrows the interval of every later verdict on its machine.
void check_effect(const AaEffect& effect) {
  const std::string name = "A/A effect " + printable(effect.id.substr(0, kLongestName));
  for (const auto& [what, text] :
       {std::pair("id", effect.id), {"key", effect.key}, {"host", effect.host}}) {
    if (is_name(text) || (text.empty() && std::string_view(what) == "host")) continue;
    found(fmt::format("{}: its {} is no name: empty, too long, or with control characters", name,
                      what));
  }
  if (!utc_time(effect.at)) {
    found(fmt::format("{}: its time is \"{}\", which is none", name,
                      printable(effect.at.substr(0, kLongestName))));
  }
  if (effect.pair_values.empty() || effect.pair_values.size() > kMostPairs) {
    found(fmt::format("{}: has {} pairs; 1 to {} can be", name, effect.pair_values.size(),
                      kMostPairs));
  }
  for (const double value : effect.pair_values) {
    if (std::fabs(value) <= kLargestPairValue) continue;
    found(fmt::format("{}: a pair's value is {}, and no two equal arms differ by more than {}",
                      name, value, kLargestPairValue));
  }
}

}  // namespace

bool Store::import_run(const StoredRun& run, const std::vector<Event>& events) {
  check_shape(run, events);
  Transaction transaction(state_->connection);
  if (const std::optional<StoredRun> here = state_->run(run.id)) {
    if (here->seal == run.seal && here->slug == run.slug) return false;
    if (here->slug != run.slug) {
      found(fmt::format("{}: is run {} of {} here; two experiments cannot share a run",
                        name_of(run), here->ordinal,
                        here->slug.empty() ? "the calibrations" : here->slug));
    }
    found(fmt::format("{}: is in the database {} with {}", name_of(run), state_->connection.path(),
                      here->seal.empty() ? "no ending" : "another seal"));
  }
  const std::string last = state_->last_seal(run.slug);
  if (run.previous != last) {
    found(
        fmt::format("{}: follows {}, but the experiment's last run here is {}; two histories of it "
                    "have grown apart",
                    name_of(run), run.previous.empty() ? "none" : run.previous.substr(0, 12),
                    last.empty() ? "none" : last.substr(0, 12)));
  }
  Statement taken(state_->connection, "SELECT id FROM run WHERE slug = ? AND ordinal = ?");
  if (taken.bind(1, run.slug).bind(2, std::int64_t{run.ordinal}).step()) {
    found(fmt::format(
        "{}: run {} has its place here; two histories of the experiment have grown apart",
        name_of(run), taken.text(0)));
  }
  Statement insert(state_->connection, "INSERT INTO run(id, slug, ordinal) VALUES (?, ?, ?)");
  insert.bind(1, run.id).bind(2, run.slug).bind(3, std::int64_t{run.ordinal}).run();
  for (const Event& event : events) state_->insert_event(event);
  Statement seal(state_->connection, "UPDATE run SET seal = ?, previous = ? WHERE id = ?");
  seal.bind(1, run.seal).bind(2, run.previous).bind(3, run.id).run();
  transaction.commit();
  return true;
}

void Store::import_label(const ExperimentLabel& label) {
  if (!valid_slug(label.slug) || label.number < 1) {
    found(fmt::format("number {} with slug \"{}\" is not a record's label", label.number,
                      label.slug));
  }
  Transaction transaction(state_->connection);
  Statement here(state_->connection, "SELECT number, slug FROM label WHERE slug = ? OR number = ?");
  here.bind(1, label.slug).bind(2, std::int64_t{label.number});
  while (here.step()) {
    const std::int64_t number = here.number(0);
    const std::string slug = here.text(1);
    if (slug == label.slug && number == label.number) return;
    if (slug == label.slug) {
      found(fmt::format("{} is number {} here, and number {} there; renumber one of them", slug,
                        number, label.number));
    }
    found(fmt::format("number {} is {} here, and {} there; renumber one of them", number, slug,
                      label.slug));
  }
  Statement insert(state_->connection, "INSERT INTO label(slug, number) VALUES (?, ?)");
  insert.bind(1, label.slug).bind(2, std::int64_t{label.number}).run();
  // A record that named it as unknown names it by its number now.
  state_->connection.execute("DELETE FROM written WHERE path LIKE '%.md'");
  transaction.commit();
}

void Store::import_blob(const std::string& sha256, const std::string& content) {
  if (sha256_hex(content) != sha256) found(fmt::format("source {}: has another hash", sha256));
  Transaction transaction(state_->connection);
  state_->insert_blob(sha256, compress(content));
  transaction.commit();
}

bool Store::import_aa(const AaEffect& effect) {
  check_effect(effect);
  Transaction transaction(state_->connection);
  Statement present(state_->connection,
                    "SELECT body FROM aa WHERE id = ?1 AND key = ?2 UNION ALL "
                    "SELECT body FROM event WHERE run = ?1 AND kind = ?3 "
                    "AND json_extract(body, '$.key') = ?2");
  present.bind(1, effect.id).bind(2, effect.key).bind(3, to_string(EventKind::kCalibrated));
  const nlohmann::json body = effect;
  if (present.step()) {
    if (nlohmann::json::parse(present.text(0)) == body) return false;
    found(fmt::format("A/A effect {}: is in the database {} with other values", effect.id,
                      state_->connection.path()));
  }
  Statement insert(state_->connection, "INSERT INTO aa(id, key, at, body) VALUES (?, ?, ?, ?)");
  insert.bind(1, effect.id).bind(2, effect.key).bind(3, effect.at).bind(4, body.dump()).run();
  transaction.commit();
  return true;
}

int Store::import_experiment(const ImportedExperiment& experiment) {
  Transaction transaction(state_->connection);
  import_label(experiment.label);
  for (const auto& [sha256, zstd] : experiment.blobs) {
    check_blob(sha256, zstd);
    state_->insert_blob(sha256, zstd);
  }
  check_sources(*this, experiment);
  int count = 0;
  for (const auto& [run, events] : experiment.runs) {
    if (run.slug != experiment.label.slug) found(name_of(run) + ": is of another experiment");
    count += import_run(run, events) ? 1 : 0;
    for (const Event& event : events) {
      if (event.kind != EventKind::kVerdict) continue;
      const VerdictBody verdict = event.body.get<VerdictBody>();
      if (!verdict.basis.is_object() || !verdict.basis.contains("aa")) continue;
      for (const nlohmann::json& effect : verdict.basis.at("aa")) {
        if (effect.is_object()) import_aa(effect.get<AaEffect>());
      }
    }
  }
  transaction.commit();
  return count;
}

void Store::renumber(const std::vector<ExperimentLabel>& labels) {
  for (const ExperimentLabel& label : labels) {
    const std::optional<ExperimentLabel> here = find(std::to_string(label.number));
    const bool moves = here && std::any_of(labels.begin(), labels.end(), [&](const auto& other) {
                         return other.slug == here->slug;
                       });
    if (!here || moves) continue;
    throw Error(ErrorKind::kUsage, fmt::format("number {} is {}'s", label.number, here->slug));
  }
  change_numbers(state_->connection, labels);
}

std::unordered_map<std::string, Store::FileStamp> Store::known_files() const {
  Statement row(state_->connection, "SELECT path, size, mtime FROM imported_file");
  std::unordered_map<std::string, FileStamp> files;
  while (row.step()) files[row.text(0)] = {row.number(1), row.number(2)};
  return files;
}

void Store::remember_file(const std::string& path, const FileStamp& stamp) const {
  Transaction transaction(state_->connection);
  Statement statement(state_->connection,
                      "INSERT OR REPLACE INTO imported_file(path, size, mtime) VALUES (?, ?, ?)");
  statement.bind(1, path).bind(2, stamp.size).bind(3, stamp.mtime).run();
  transaction.commit();
}

Store::WrittenFiles Store::written_files() const {
  Statement row(state_->connection, "SELECT path, made, size, mtime FROM written");
  WrittenFiles files;
  while (row.step()) files[row.text(0)] = {row.text(1), {row.number(2), row.number(3)}};
  return files;
}

void Store::remember_all_written(const WrittenFiles& files,
                                 const std::unordered_map<std::string, FileStamp>& read) const {
  if (files.empty() && read.empty() && unwritten().empty()) return;
  Transaction transaction(state_->connection);
  state_->connection.execute("DELETE FROM unwritten");
  Statement statement(
      state_->connection,
      "INSERT OR REPLACE INTO written(path, made, size, mtime) VALUES (?, ?, ?, ?)");
  for (const auto& [path, file] : files) {
    statement.bind(1, path).bind(2, file.made).bind(3, file.stamp.size).bind(4, file.stamp.mtime);
    statement.run();
    sqlite3_reset(statement.handle());
  }
  for (const auto& [path, stamp] : read) remember_file(path, stamp);
  transaction.commit();
}

std::vector<std::string> Store::unwritten() const {
  Statement row(state_->connection, "SELECT slug FROM unwritten");
  std::vector<std::string> slugs;
  while (row.step()) slugs.push_back(row.text(0));
  return slugs;
}

void Store::record_is_written(const std::string& slug) const {
  {  // it ends before the transaction begins
    Statement marked(state_->connection, "SELECT 1 FROM unwritten WHERE slug = ?");
    if (!marked.bind(1, slug).step()) return;
  }
  Transaction transaction(state_->connection);
  Statement statement(state_->connection, "DELETE FROM unwritten WHERE slug = ?");
  statement.bind(1, slug).run();
  transaction.commit();
}

}  // namespace assay
