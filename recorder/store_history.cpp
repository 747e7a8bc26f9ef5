// Reading: the History half of the store. Everything is a query over the log; nothing is cached.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "experiments/record/json_reader.h"
#include "recorder/blob_codec.h"
#include "recorder/store_state.h"

namespace assay {
namespace {

[[noreturn]] void refuse_edited(const Connection& connection, const std::string& what) {
  throw Error(ErrorKind::kCheckFound,
              fmt::format("{}: {}; the database was edited, or is damaged: move it away, and "
                          "committed records are imported into a new one",
                          connection.path(), what));
}

nlohmann::json parse_body(const Connection& connection, const std::string& run, int index,
                          std::string_view text) {
  try {
    return read_json(text);
  } catch (const nlohmann::json::exception&) {
    refuse_edited(connection, fmt::format("run {}, event {}: its body is not JSON", run, index));
  }
}

// Rows (slug, run, idx, kind, at, body) as events.
std::vector<Event> read_events(const Connection& connection, Statement& statement) {
  std::vector<Event> events;
  while (statement.step()) {
    Event event;
    event.slug = statement.text(0);
    event.run = statement.text(1);
    event.index = static_cast<int>(statement.number(2));
    event.kind = event_kind(statement.text(3));
    event.at = statement.text(4);
    event.body = parse_body(connection, event.run, event.index, statement.text(5));
    events.push_back(std::move(event));
  }
  return events;
}

Store::StoredRun read_run(const Statement& row) {
  return {row.text(0), row.text(1), row.text(2), row.text(3), static_cast<int>(row.number(4))};
}

// Rows of bodies as effects, the oldest first. One may be there twice: measured here, and in a
// record.
std::vector<AaEffect> read_effects(const Connection& connection, Statement& statement) {
  std::vector<AaEffect> effects;
  std::set<std::pair<std::string, std::string>> seen;
  while (statement.step()) {
    AaEffect effect;
    try {
      nlohmann::json::parse(statement.text(0)).get_to(effect);
    } catch (const nlohmann::json::exception&) {
      refuse_edited(connection, "an A/A effect cannot be read");
    }
    if (seen.emplace(effect.id, effect.key).second) effects.push_back(std::move(effect));
  }
  std::sort(effects.begin(), effects.end(), [](const AaEffect& a, const AaEffect& b) {
    return std::tie(a.at, a.id, a.key) < std::tie(b.at, b.id, b.key);
  });
  return effects;
}

// A row's columns from `column` on: idx, kind, at, body.
void add_text(Store::RunTexts& of, const Statement& row, int column) {
  of.events.push_back({static_cast<int>(row.number(column)), of.texts.keep(row.view(column + 1)),
                       of.texts.keep(row.view(column + 2)), of.texts.keep(row.view(column + 3))});
}

constexpr std::array<EventKind, 13> kEventKinds{
    EventKind::kRunOpened,  EventKind::kProposed, EventKind::kAttemptOpened, EventKind::kGateResult,
    EventKind::kPlanFrozen, EventKind::kSample,   EventKind::kLook,          EventKind::kVerdict,
    EventKind::kApplied,    EventKind::kClosed,   EventKind::kCalibrated,    EventKind::kImported,
    EventKind::kRunEnded};
constexpr const char* kRunColumns = "SELECT id, slug, seal, previous, ordinal FROM run ";
constexpr const char* kEventColumns =
    "SELECT r.slug, e.run, e.idx, e.kind, e.at, e.body FROM event e JOIN run r ON r.id = e.run ";

}  // namespace

std::optional<Store::StoredRun> Store::State::run(const std::string& id) const {
  Statement statement(connection, fmt::format("{} WHERE id = ?", kRunColumns));
  if (!statement.bind(1, id).step()) return std::nullopt;
  return read_run(statement);
}

std::vector<ExperimentLabel> Store::experiments() const {
  Statement statement(state_->connection, "SELECT number, slug FROM label ORDER BY number");
  std::vector<ExperimentLabel> labels;
  while (statement.step()) {
    labels.push_back({static_cast<int>(statement.number(0)), statement.text(1)});
  }
  return labels;
}

std::vector<ExperimentLabel> Store::unended() const {
  Statement statement(state_->connection,
                      "SELECT number, slug FROM label WHERE slug IN "
                      "(SELECT slug FROM run WHERE seal IS NULL) ORDER BY number");
  std::vector<ExperimentLabel> labels;
  while (statement.step()) {
    labels.push_back({static_cast<int>(statement.number(0)), statement.text(1)});
  }
  return labels;
}

std::vector<ExperimentLabel> Store::recorded() const {
  Statement statement(state_->connection,
                      "SELECT number, slug FROM label WHERE slug IN "
                      "(SELECT slug FROM run WHERE seal IS NOT NULL) ORDER BY number");
  std::vector<ExperimentLabel> labels;
  while (statement.step()) {
    labels.push_back({static_cast<int>(statement.number(0)), statement.text(1)});
  }
  return labels;
}

std::unordered_map<std::string, std::string> Store::seals() const {
  Statement statement(state_->connection,
                      "SELECT slug, id, seal FROM run WHERE seal IS NOT NULL AND slug <> '' "
                      "ORDER BY slug, ordinal");
  std::unordered_map<std::string, std::string> seals;
  while (statement.step()) {
    seals[statement.text(0)] += statement.text(1) + " " + statement.text(2) + "\n";
  }
  return seals;
}

std::optional<ExperimentLabel> Store::find(const std::string& id) const {
  Statement by_slug(state_->connection, "SELECT number, slug FROM label WHERE slug = ?");
  if (by_slug.bind(1, id).step()) {
    return ExperimentLabel{static_cast<int>(by_slug.number(0)), by_slug.text(1)};
  }
  const bool digits =
      !id.empty() && id.size() <= 9 &&
      std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return std::nullopt;
  Statement by_number(state_->connection, "SELECT number, slug FROM label WHERE number = ?");
  if (!by_number.bind(1, std::int64_t{std::stoi(id)}).step()) return std::nullopt;
  return ExperimentLabel{static_cast<int>(by_number.number(0)), by_number.text(1)};
}

std::vector<Event> Store::events(const std::string& slug) const {
  Statement statement(state_->connection,
                      fmt::format("{} WHERE r.slug = ? ORDER BY r.ordinal, e.idx", kEventColumns),
                      Statement::Kept());
  statement.bind(1, slug);
  return read_events(state_->connection, statement);
}

// By the index over kinds, so that the samples' pages are not even read.
std::vector<Event> Store::events_without(const std::set<EventKind>& kinds,
                                         const std::string& slug) const {
  std::string list;
  for (const EventKind kind : kEventKinds) {
    if (kinds.contains(kind)) continue;
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", to_string(kind));
  }
  Statement statement(
      state_->connection,
      fmt::format("SELECT r.slug, e.run, e.idx, e.kind, e.at, e.body FROM run r CROSS JOIN event e "
                  "INDEXED BY event_kind ON e.run = r.id WHERE r.slug = ? AND e.kind IN ({}) "
                  "ORDER BY r.ordinal, e.idx",
                  list),
      Statement::Kept());
  statement.bind(1, slug);
  return read_events(state_->connection, statement);
}

std::vector<Event> Store::run_events(const std::string& run) const {
  Statement statement(state_->connection,
                      fmt::format("{} WHERE e.run = ? ORDER BY e.idx", kEventColumns));
  statement.bind(1, run);
  return read_events(state_->connection, statement);
}

Store::RunTexts Store::texts_of(const StoredRun& run) const {
  RunTexts of{run, {}, {}};
  Statement statement(state_->connection,
                      "SELECT idx, kind, at, body FROM event WHERE run = ? ORDER BY idx",
                      Statement::Kept());
  statement.bind(1, run.id);
  while (statement.step()) add_text(of, statement, 0);
  return of;
}

std::vector<Store::RunTexts> Store::run_texts(const std::string& slug) const {
  std::vector<RunTexts> all;
  for (StoredRun& run : runs(slug)) all.push_back({std::move(run), {}, {}});
  Statement statement(state_->connection,
                      "SELECT r.ordinal, e.idx, e.kind, e.at, e.body FROM run r JOIN event e "
                      "ON e.run = r.id WHERE r.slug = ? ORDER BY r.ordinal, e.idx",
                      Statement::Kept());
  statement.bind(1, slug);
  auto of = all.begin();
  while (statement.step()) {
    const auto ordinal = static_cast<int>(statement.number(0));
    while (of != all.end() && of->run.ordinal != ordinal) ++of;
    if (of == all.end()) break;  // of a run that was opened since
    add_text(*of, statement, 1);
  }
  return all;
}

Event Store::event_of(const StoredRun& run, const EventText& text) const {
  Event event{
      run.slug, run.id, text.index, event_kind(std::string(text.kind)), std::string(text.at),
      nullptr};
  if (event.kind == EventKind::kSample && !text.body.empty()) {
    event.stored_sample = text.body;
  } else {
    event.body = parse_body(state_->connection, run.id, text.index, text.body);
  }
  return event;
}

std::string Store::last_event_at(const std::string& run) const {
  Statement statement(state_->connection,
                      "SELECT at FROM event WHERE run = ? ORDER BY idx DESC LIMIT 1");
  return statement.bind(1, run).step() ? statement.text(0) : "";
}

std::vector<Store::StoredRun> Store::runs(const std::string& slug) const {
  Statement statement(state_->connection,
                      fmt::format("{} WHERE slug = ? ORDER BY ordinal", kRunColumns),
                      Statement::Kept());
  statement.bind(1, slug);
  std::vector<StoredRun> runs;
  while (statement.step()) runs.push_back(read_run(statement));
  return runs;
}

std::vector<Store::StoredRun> Store::unfinished_runs() const {
  Statement statement(state_->connection,
                      fmt::format("{} WHERE seal IS NULL ORDER BY slug, ordinal", kRunColumns));
  std::vector<StoredRun> runs;
  while (statement.step()) runs.push_back(read_run(statement));
  return runs;
}

std::vector<AaEffect> Store::aa_effects() const {
  Statement statement(state_->connection,
                      "SELECT body FROM event WHERE kind = ? UNION ALL SELECT body FROM aa");
  statement.bind(1, to_string(EventKind::kCalibrated));
  return read_effects(state_->connection, statement);
}

std::vector<AaEffect> Store::aa_history(const std::string& key, const std::string& since) const {
  Statement statement(state_->connection,
                      "SELECT body FROM event WHERE kind = ? AND json_extract(body, '$.key') = ? "
                      "UNION ALL SELECT body FROM aa WHERE key = ?");
  statement.bind(1, to_string(EventKind::kCalibrated)).bind(2, key).bind(3, key);
  std::vector<AaEffect> effects = read_effects(state_->connection, statement);
  std::erase_if(effects, [&](const AaEffect& effect) { return effect.at < since; });
  return effects;
}

std::optional<nlohmann::json> Store::anchor(const std::string& key) const {
  Statement statement(state_->connection,
                      "SELECT body FROM event WHERE kind = ? "
                      "AND json_extract(body, '$.gate') = 'baseline' "
                      "AND json_extract(body, '$.outcome') = 'green' "
                      "AND json_extract(body, '$.values.anchor_key') = ? "
                      "AND json_extract(body, '$.values.anchor_ns') IS NULL "
                      "ORDER BY at DESC, run DESC, idx DESC");
  statement.bind(1, to_string(EventKind::kGateResult)).bind(2, key);
  if (!statement.step()) return std::nullopt;
  try {
    return nlohmann::json::parse(statement.text(0)).at("values");
  } catch (const nlohmann::json::exception&) {
    refuse_edited(state_->connection, "a gate's result cannot be read");
  }
}

std::vector<std::string> Store::alpha_users(const std::string& alpha_key) const {
  Statement statement(
      state_->connection,
      "SELECT DISTINCT r.slug FROM event e JOIN run r ON r.id = e.run "
      "WHERE e.kind = ? AND json_extract(e.body, '$.alpha_key') = ? ORDER BY r.slug");
  statement.bind(1, to_string(EventKind::kAttemptOpened)).bind(2, alpha_key);
  std::vector<std::string> slugs;
  while (statement.step()) slugs.push_back(statement.text(0));
  return slugs;
}

Store::SharedText BlobMemory::find(const std::string& key) {
  const std::lock_guard guard(mutex_);
  const auto found = contents_.find(key);
  return found == contents_.end() ? nullptr : found->second;
}

Store::SharedText BlobMemory::keep(const std::string& key, std::string content) {
  constexpr std::size_t kMost = 32u << 20;
  const auto shared = std::make_shared<const std::string>(std::move(content));
  if (shared->size() > kMost / 8) return shared;
  const std::lock_guard guard(mutex_);
  if (bytes_ + shared->size() > kMost) {
    contents_.clear();
    bytes_ = 0;
  }
  if (contents_.emplace(key, shared).second) bytes_ += shared->size();
  return shared;
}

Store::SharedText Store::compressed_blob(const std::string& sha256) const {
  const std::string key = "zstd " + sha256;
  if (SharedText known = state_->blobs.find(key)) return known;
  Statement statement(state_->connection, "SELECT zstd FROM blob WHERE sha256 = ?");
  if (!statement.bind(1, sha256).step()) return nullptr;
  return state_->blobs.keep(key, statement.text(0));
}

Store::SharedText Store::shared_blob(const std::string& sha256) const {
  if (SharedText known = state_->blobs.find(sha256)) return known;
  const SharedText zstd = compressed_blob(sha256);
  if (zstd == nullptr) return nullptr;
  const auto refuse = [&](const std::string& what) {
    refuse_edited(state_->connection, fmt::format("stored source {}: {}", sha256, what));
  };
  std::string content;
  try {
    content = decompress(*zstd);
  } catch (const Error& error) {
    refuse(error.what());
  }
  if (sha256_hex(content) != sha256) refuse("its content was changed");
  return state_->blobs.keep(sha256, std::move(content));
}

std::optional<std::string> Store::blob(const std::string& sha256) const {
  const SharedText shared = shared_blob(sha256);
  if (shared == nullptr) return std::nullopt;
  return *shared;
}

}  // namespace assay
