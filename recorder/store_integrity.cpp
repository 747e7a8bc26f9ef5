// What can be checked about the database by itself: SQLite's own structures, then every seal, every
// chain, every stored source. Lines name the place as far as it can be known: a seal covers a run,
// so an altered event is narrowed to its run, and to the event where its text is not canonical any
// more.
#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "recorder/blob_codec.h"
#include "recorder/json_layout.h"
#include "recorder/store_state.h"

namespace assay {
namespace {

// Events as stored text: found[] gets a line for each that cannot be read back as it was written.
std::vector<Event> read_strictly(const Connection& connection, const Store::StoredRun& run,
                                 const std::string& place, std::vector<std::string>& found) {
  Statement row(connection, "SELECT idx, kind, at, body FROM event WHERE run = ? ORDER BY idx");
  row.bind(1, run.id);
  std::vector<Event> events;
  int expected = 0;
  while (row.step()) {
    Event event{run.slug,    run.id, static_cast<int>(row.number(0)), EventKind::kRunOpened,
                row.text(2), {}};
    const std::string at = fmt::format("{}, event {} ({})", place, event.index, row.text(1));
    for (; expected < event.index; ++expected) {
      found.push_back(fmt::format("{}: event {} is missing", place, expected));
    }
    ++expected;
    try {
      event.kind = event_kind(row.text(1));
      event.body = nlohmann::json::parse(row.text(3));
      if (event.body.dump() != row.text(3)) found.push_back(at + ": its body was rewritten");
    } catch (const std::exception&) {
      found.push_back(at + ": its body or kind cannot be read");
    }
    events.push_back(std::move(event));
  }
  return events;
}

// To hash each event by itself costs as much again.
constexpr std::size_t kAtOnce = std::size_t{1} << 14;

// The seal as seal_of() makes it, over the events' stored texts. Where it is right, the texts are
// those that were sealed, and nothing need be parsed.
std::string seal_of_texts(const Store::StoredRun& run,
                          const std::vector<Store::EventText>& events) {
  Sha256 hash;
  hash.update(run.previous);
  hash.update("\n");
  const std::string tail =
      fmt::format(",\"run\":{},\"slug\":{}}}\n", json_quoted(run.id), json_quoted(run.slug));
  std::string text;
  for (const Store::EventText& event : events) {
    text += "{\"at\":";
    append_json_quoted(text, event.at);
    text += ",\"body\":";
    text += event.body;
    text += ",\"index\":" + std::to_string(event.index) + ",\"kind\":";
    append_json_quoted(text, event.kind);
    text += tail;
    if (text.size() < kAtOnce) continue;
    hash.update(text);
    text.clear();
  }
  hash.update(text);
  return hash.hex();
}

}  // namespace

bool Store::RunTexts::is_sound() const {
  if (run.seal.empty() || events.empty() || events.back().kind != to_string(EventKind::kRunEnded)) {
    return false;
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].index != static_cast<int>(i)) return false;
  }
  try {
    return seal_of_texts(run, events) == run.seal;
  } catch (const nlohmann::json::exception&) {
    return false;  // bytes that are no text
  }
}

namespace {

void check_runs(const Store& store, const Connection& connection, const std::string& slug,
                const std::set<std::string>& sound, std::vector<std::string>& found) {
  const std::vector<Store::StoredRun> runs = store.runs(slug);
  std::map<std::string, int> seals{{"", 0}};  // seal -> how many runs follow it
  for (const Store::StoredRun& run : runs) {
    if (!run.seal.empty()) seals[run.seal] = 0;
  }
  for (const Store::StoredRun& run : runs) {
    const std::string place = fmt::format("{}: {}, run {} ({})", connection.path(),
                                          slug.empty() ? "calibration" : slug, run.ordinal, run.id);
    const bool known = sound.contains(run.id);
    if (!known && !store.texts_of(run).is_sound()) {
      const std::vector<Event> events = read_strictly(connection, run, place, found);
      if (run.seal.empty()) continue;  // still going, or killed: no seal to check against
      if (events.empty() || events.back().kind != EventKind::kRunEnded) {
        found.push_back(place + ": sealed, but its end is missing");
      }
      if (seal_of(run.previous, events) != run.seal) {
        found.push_back(place + ": its events do not match its seal");
      }
    }
    const auto before = seals.find(run.previous);
    if (before == seals.end()) {
      found.push_back(place + ": the run before it is missing");
    } else if (++before->second > 1) {
      found.push_back(place + ": another run follows the same one");
    }
  }
}

void check_blobs(const Connection& connection, std::vector<std::string>& found) {
  Statement row(connection, "SELECT sha256, zstd FROM blob ORDER BY sha256");
  while (row.step()) {
    std::string problem;
    try {
      if (sha256_hex(decompress(row.text(1))) != row.text(0)) problem = "its content was changed";
    } catch (const Error& error) {
      problem = error.what();
    }
    if (problem.empty()) continue;
    found.push_back(
        fmt::format("{}: stored source {}: {}", connection.path(), row.text(0), problem));
  }
}

void check_pages(const Connection& connection, std::vector<std::string>& found) {
  Statement check(connection, "PRAGMA integrity_check(20)");
  while (check.step()) {
    if (check.text(0) == "ok") continue;
    found.push_back(fmt::format("{}: {}", connection.path(), check.text(0)));
  }
}

// Events of no run; a run of no experiment is for ghost_labels.h.
void check_owners(const Connection& connection, std::vector<std::string>& found) {
  Statement events(
      connection,
      "SELECT DISTINCT run FROM event WHERE run NOT IN (SELECT id FROM run) ORDER BY run");
  while (events.step()) {
    found.push_back(fmt::format("{}: run {}: its row is missing, its events are here",
                                connection.path(), events.text(0)));
  }
}

}  // namespace

std::vector<std::string> Store::integrity(const std::set<std::string>& sound) const {
  const Connection& connection = state_->connection;
  std::vector<std::string> found;
  try {
    check_pages(connection, found);
    check_owners(connection, found);
    Statement row(connection, "SELECT DISTINCT slug FROM run ORDER BY slug");
    while (row.step()) check_runs(*this, connection, row.text(0), sound, found);
    check_blobs(connection, found);
    for (std::string& line : found) {
      line +=
          "; the database was edited, or is damaged: move it away, and committed records are "
          "imported into a new one";
    }
  } catch (const Error& error) {
    found.push_back(error.what());  // a page too damaged to walk past
  }
  return found;
}

}  // namespace assay
