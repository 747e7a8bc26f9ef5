// Writing: the Journal half of the store. Each public call is one IMMEDIATE transaction, so a
// process that dies inside one leaves no trace of it.
//
// Bodies are stored as compact canonical JSON; bytes that are not UTF-8 (a worker's stderr) become
// U+FFFD on the way in, so that what is stored, hashed and exported is the same text.
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/core/utc_time.h"
#include "recorder/blob_codec.h"
#include "recorder/store_state.h"

namespace assay {
namespace {

// 32 hex digits from the kernel's generator.
std::string random_id() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    throw Error(ErrorKind::kInternal, "the kernel gave no random bytes for a run's id");
  }
  std::string id;
  for (const unsigned char byte : bytes) id += fmt::format("{:02x}", byte);
  return id;
}

nlohmann::json clean(const nlohmann::json& body) {
  return nlohmann::json::parse(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// Attempts of other runs that are still going (or were killed and not yet ended) and have not
// reached a first look. Each may still become used, so each holds a place.
int provisional_attempts(const ExperimentView& view, const std::string& run,
                         const std::string& fingerprint, std::string& holder) {
  int count = 0;
  for (const AttemptView& attempt : view.attempts) {
    if (attempt.used || attempt.opened.fingerprint == fingerprint) continue;
    const bool going = std::any_of(view.runs.begin(), view.runs.end(), [&](const RunView& other) {
      return other.run != run && !other.ended &&
             std::find(attempt.runs.begin(), attempt.runs.end(), other.run) != attempt.runs.end();
    });
    if (!going) continue;
    ++count;
    holder = attempt.runs.back();
  }
  return count;
}

AdmissionResult admit_beside_others(const ExperimentView& view, const std::string& run,
                                    const std::string& fingerprint) {
  AdmissionResult result = admit(view, fingerprint);
  const AttemptView* known = view.find_attempt(fingerprint);
  const bool takes_a_place =
      result.admission == Admission::kNew ||
      (result.admission == Admission::kResume && known != nullptr && !known->used);
  if (!takes_a_place) return result;
  std::string holder;
  const int taken = view.used_attempts() + provisional_attempts(view, run, fingerprint, holder);
  if (taken >= 2) {
    return {
        Admission::kStopped, 0,
        fmt::format("both attempts are taken: run {} has not ended and holds one. Wait for it, or "
                    "run the same candidate",
                    holder)};
  }
  result.ordinal = std::max(result.ordinal, taken + 1);
  return result;
}

}  // namespace

bool valid_slug(const std::string& slug) {
  const auto inside = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !slug.empty() && slug.size() <= 100 && slug.front() != '-' &&
         std::all_of(slug.begin(), slug.end(), inside);
}

void Store::State::insert_event(const Event& event) const {
  Statement statement(connection,
                      "INSERT INTO event(run, idx, kind, at, body) VALUES (?, ?, ?, ?, ?)");
  statement.bind(1, event.run)
      .bind(2, std::int64_t{event.index})
      .bind(3, to_string(event.kind))
      .bind(4, event.at)
      .bind(5, event.body.dump())
      .run();
}

void Store::State::insert_blob(const std::string& sha256, const std::string& zstd) const {
  Statement present(connection, "SELECT 1 FROM blob WHERE sha256 = ?");
  if (present.bind(1, sha256).step()) return;
  Statement statement(connection, "INSERT INTO blob(sha256, zstd) VALUES (?, ?)");
  statement.bind(1, sha256).bind_bytes(2, zstd).run();
}

std::string Store::State::last_seal(const std::string& slug) const {
  Statement statement(connection,
                      "SELECT seal FROM run r WHERE slug = ?1 AND seal IS NOT NULL AND NOT EXISTS "
                      "(SELECT 1 FROM run n WHERE n.slug = ?1 AND n.previous = r.seal)");
  return statement.bind(1, slug).step() ? statement.text(0) : "";
}

int Store::State::next_ordinal(const std::string& slug) const {
  Statement statement(connection, "SELECT coalesce(max(ordinal) + 1, 0) FROM run WHERE slug = ?");
  statement.bind(1, slug).step();
  return static_cast<int>(statement.number(0));
}

Store::StoredRun Store::State::writable_run(const std::string& id) const {
  const std::optional<StoredRun> found = run(id);
  if (!found) throw Error(ErrorKind::kInternal, fmt::format("there is no run {}", id));
  if (!found->seal.empty()) {
    throw Error(ErrorKind::kInternal,
                fmt::format("run {} of {} has ended and is sealed", id,
                            found->slug.empty() ? "no experiment" : found->slug));
  }
  return *found;
}

void Store::State::add(const StoredRun& run, EventKind kind, const nlohmann::json& body) const {
  Statement index(connection, "SELECT coalesce(max(idx) + 1, 0) FROM event WHERE run = ?");
  index.bind(1, run.id).step();
  insert_event({run.slug, run.id, static_cast<int>(index.number(0)), kind, utc_now(), clean(body)});
}

int Store::number_for(const std::string& slug) {
  if (!valid_slug(slug)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("\"{}\" cannot be an experiment's slug: lower-case letters, digits and "
                            "hyphens, at most 100",
                            slug));
  }
  Transaction transaction(state_->connection);
  const std::optional<ExperimentLabel> known = find(slug);
  int number = 0;
  if (known && known->slug == slug) {
    number = known->number;
  } else {
    number = static_cast<int>(
        state_->connection.number("SELECT coalesce(max(number), 0) + 1 FROM label"));
    Statement statement(state_->connection, "INSERT INTO label(slug, number) VALUES (?, ?)");
    statement.bind(1, slug).bind(2, std::int64_t{number}).run();
  }
  transaction.commit();
  return number;
}

std::string Store::open_run(const std::string& slug, const RunOpened& opened) {
  Transaction transaction(state_->connection);
  if (!slug.empty()) {
    Statement label(state_->connection, "SELECT 1 FROM label WHERE slug = ?");
    if (!label.bind(1, slug).step()) {
      throw Error(ErrorKind::kInternal, fmt::format("a run of {} before it has a number", slug));
    }
  }
  const StoredRun run{random_id(), slug, "", "", state_->next_ordinal(slug)};
  Statement statement(state_->connection, "INSERT INTO run(id, slug, ordinal) VALUES (?, ?, ?)");
  statement.bind(1, run.id).bind(2, slug).bind(3, std::int64_t{run.ordinal}).run();
  nlohmann::json body = opened;
  body["ordinal"] = run.ordinal;  // where the seal covers it (run_order.h)
  state_->add(run, EventKind::kRunOpened, body);
  transaction.commit();
  return run.id;
}

void Store::append(const std::string& run, EventKind kind, const nlohmann::json& body) {
  Transaction transaction(state_->connection);
  state_->add(state_->writable_run(run), kind, body);
  transaction.commit();
}

AdmissionResult Store::open_attempt(const std::string& run, const AttemptOpened& attempt,
                                    const std::map<std::string, std::string>& blobs) {
  Transaction transaction(state_->connection);
  const StoredRun stored = state_->writable_run(run);
  const std::vector<Event> log = events(stored.slug);
  const AdmissionResult result = admit_beside_others(fold(log), run, attempt.fingerprint);
  const bool goes_on = result.admission == Admission::kNew ||
                       result.admission == Admission::kResume ||
                       result.admission == Admission::kRedAgain;
  if (!goes_on) return result;  // the transaction rolls back: nothing was written
  for (const auto& [sha256, content] : blobs) {
    if (sha256_hex(content) != sha256) {
      throw Error(ErrorKind::kInternal, fmt::format("source {} has another hash", sha256));
    }
    state_->insert_blob(sha256, compress(content));
  }
  AttemptOpened admitted = attempt;
  admitted.ordinal = result.ordinal;
  state_->add(stored, EventKind::kAttemptOpened, admitted);
  transaction.commit();
  return result;
}

std::string Store::end_run(const std::string& run, const RunEnded& ended) {
  Transaction transaction(state_->connection);
  const StoredRun stored = state_->writable_run(run);
  state_->add(stored, EventKind::kRunEnded, ended);
  const std::string previous = state_->last_seal(stored.slug);
  const std::string seal = seal_of(previous, run_events(run));
  Statement statement(state_->connection, "UPDATE run SET seal = ?, previous = ? WHERE id = ?");
  statement.bind(1, seal).bind(2, previous).bind(3, run).run();
  transaction.commit();
  return seal;
}

}  // namespace assay
