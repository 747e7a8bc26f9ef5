// The history database (SQLite): a log of events, appended under triggers that forbid change.
//
// Tables: label(slug, number), run(id, slug, ordinal, seal, previous), event(run, idx, kind, at,
// body), blob(sha256, zstd), aa (imported A/A effects). States are never stored. WAL journal; each
// Journal call is one IMMEDIATE transaction; a network file system is refused (WAL needs shared
// memory).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/lock_file.h"
#include "experiments/record/history.h"
#include "experiments/record/journal.h"
#include "recorder/text_arena.h"

namespace assay {

struct BackedUp;
class Store;
BackedUp back_up(const Store& store, const std::string& file);  // backup.h

class Store final : public History, public Journal {
 public:
  // While another process holds the database, each access waits this long for it.
  struct Patience {
    double seconds = 30;
    // Once a wait, after 2 s: that it waits. And what was missing and has been made again.
    std::function<void(const std::string&)> tell = {};
  };
  // Opens or creates; a new database appears whole or not at all. Error(kUsage) for a path that
  // cannot be written, a file that is not ours (an empty one too), a newer schema, a network file
  // system, corruption.
  explicit Store(const std::string& path, bool read_only = false) : Store(path, read_only, {}) {}
  Store(const std::string& path, bool read_only, const Patience& patience);
  // A copy in memory, for reading where nothing can be written; empty when there is no database at
  // `path`. Writing to it changes the copy only. Error(kUsage) as above.
  static Store copy_in_memory(const std::string& path) { return copy_in_memory(path, {}); }
  static Store copy_in_memory(const std::string& path, const Patience& patience);
  // Whether this process may write a database at `path`, new or not.
  static bool can_write(const std::string& path);
  // Whether a table, an index or a trigger was made or taken away by something else than this
  // program, so that history may have been edited; until trust(), which is for who has looked.
  bool changed_by_hand() const;
  void trust() const;
  // Another number after something else than this object wrote to the database.
  std::int64_t data_version() const;
  Store(Store&&) noexcept;
  ~Store() override;

  std::vector<ExperimentLabel> experiments() const override;
  std::vector<ExperimentLabel> unended() const override;
  std::vector<ExperimentLabel> recorded() const;  // those with a sealed run
  // By slug, for each of recorded(): a text that changes with its sealed runs.
  std::unordered_map<std::string, std::string> seals() const;
  std::optional<ExperimentLabel> find(const std::string& id) const override;
  std::vector<Event> events(const std::string& slug) const override;
  // All but those of some kinds. Samples are most of a history.
  std::vector<Event> events_without(const std::set<EventKind>& kinds,
                                    const std::string& slug) const;
  std::vector<AaEffect> aa_history(const std::string& key, const std::string& since) const override;
  std::optional<nlohmann::json> anchor(const std::string& key) const override;
  std::vector<std::string> alpha_users(const std::string& alpha_key) const override;
  std::optional<std::string> blob(const std::string& sha256) const override;

  int number_for(const std::string& slug) override;
  std::string open_run(const std::string& slug, const RunOpened& opened) override;
  void append(const std::string& run, EventKind kind, const nlohmann::json& body) override;
  AdmissionResult open_attempt(const std::string& run, const AttemptOpened& attempt,
                               const std::map<std::string, std::string>& blobs) override;
  std::string end_run(const std::string& run, const RunEnded& ended) override;

  // All that `steps` writes is one transaction: everything, or nothing when it throws.
  void together(const std::function<void()>& steps);

  struct StoredRun {
    std::string id, slug, seal, previous;  // seal empty: not ended
    int ordinal = 0;                       // within the experiment, from 0
  };
  std::vector<StoredRun> runs(const std::string& slug) const;
  std::vector<Event> run_events(const std::string& run) const;
  // The same as stored, in their order: `body` is compact canonical JSON, unless it was edited.
  struct EventText {
    int index = 0;
    std::string_view kind, at, body;  // of its RunTexts
  };
  struct RunTexts {
    StoredRun run;
    std::vector<EventText> events;
    TextArena texts;
    // Whether it is sealed, and these are the texts that were sealed, all of them.
    bool is_sound() const;
  };
  RunTexts texts_of(const StoredRun& run) const;
  // All runs of an experiment, in order.
  std::vector<RunTexts> run_texts(const std::string& slug) const;
  // A sample's body is left where it is (Event::stored_sample). Error(kCheckFound) for another that
  // is not JSON.
  Event event_of(const StoredRun& run, const EventText& text) const;
  std::string last_event_at(const std::string& run) const;  // "" when it has none
  // Runs that never ended (their process died). `end_run` with outcome "killed" seals them; runs
  // that hold an open intent are left to gates/landing.h.
  std::vector<StoredRun> unfinished_runs() const;
  // Inserts a sealed run of another machine's history as it is; false when it is already here.
  // Error(kCheckFound) when the seal does not match its events or its predecessor is missing.
  bool import_run(const StoredRun& run, const std::vector<Event>& events);
  void import_label(const ExperimentLabel& label);  // Error(kCheckFound) on a clash
  void import_blob(const std::string& sha256, const std::string& content);
  // An effect that another machine measured, kept once; false when it is here. Error(kCheckFound)
  // when it is here with other values.
  bool import_aa(const AaEffect& effect);
  // Every A/A effect, measured here or elsewhere; the oldest first.
  std::vector<AaEffect> aa_effects() const;

  // One committed record file: everything of it comes in, or nothing.
  struct ImportedExperiment {
    ExperimentLabel label;
    std::vector<std::pair<StoredRun, std::vector<Event>>> runs;  // each after its predecessor
    std::map<std::string, std::string> blobs;  // SHA-256 -> zstd bytes, kept as is
  };
  // How many runs came in. Error(kCheckFound) as the single calls have it.
  int import_experiment(const ImportedExperiment& experiment);
  // Gives experiments other numbers, all at once. Error(kUsage) when another one keeps a number.
  void renumber(const std::vector<ExperimentLabel>& labels);
  using SharedText = std::shared_ptr<const std::string>;  // null: there is none
  // The stored form of a blob (zstd), so that export gives the bytes that came in.
  SharedText compressed_blob(const std::string& sha256) const;
  // What blob() gives, or throws.
  SharedText shared_blob(const std::string& sha256) const;
  // The memory of which record files were read, by path, size and time (ns).
  struct FileStamp {
    std::int64_t size = 0, mtime = 0;
    bool operator==(const FileStamp&) const = default;
  };
  std::unordered_map<std::string, FileStamp> known_files() const;
  void remember_file(const std::string& path, const FileStamp& stamp) const;
  // The memory of what generated files were made from (document_files.cpp), by path.
  struct WrittenFile {
    std::string made;
    FileStamp stamp;
  };
  using WrittenFiles = std::unordered_map<std::string, WrittenFile>;
  WrittenFiles written_files() const;
  // After every record was written: these files anew, or as they were found. Of those in `read`
  // (paths as known_files() has them) it is known as well that the history has all that they say.
  void remember_all_written(const WrittenFiles& files,
                            const std::unordered_map<std::string, FileStamp>& read) const;
  // Experiments with runs that were sealed since their record was last written, or read.
  std::vector<std::string> unwritten() const;
  void record_is_written(const std::string& slug) const;

  // Answers a read-only SQL statement: the columns' names, then rows of numbers, strings and nulls.
  // Error(kUsage) for anything that writes or is no SQL; Error(kInternal) when there was no answer
  // within the limits or before `stop` was set.
  struct SqlLimits {
    double seconds = 60;
    std::size_t bytes = 256u << 20;           // of the answer
    const std::atomic<bool>* stop = nullptr;  // set from a signal
  };
  using SqlRow = std::vector<nlohmann::json>;
  std::vector<SqlRow> sql(const std::string& statement, const SqlLimits& limits) const;
  std::vector<SqlRow> sql(const std::string& statement) const { return sql(statement, {}); }
  // PRAGMA integrity_check and the seals of every run, as lines that say what is wrong. The events
  // of runs that are known to be sound (RunTexts) are not read again.
  std::vector<std::string> integrity(const std::set<std::string>& sound = {}) const;

 private:
  friend class Catalog;                                       // derived tables
  friend BackedUp back_up(const Store&, const std::string&);  // copies the pages
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The seal of a run: SHA-256 over the previous seal and the canonical JSON of its events.
std::string seal_of(const std::string& previous_seal, const std::vector<Event>& events);

// Held while a command writes experiments of a workspace, or tidies up before it reads: one at a
// time. It covers the database too, by a lock beside that file, since two workspaces may share one
// with --db. Error(kUsage) that names the holder when another keeps either.
class WorkspaceLock {
 public:
  // Without a database: the workspace's own.
  explicit WorkspaceLock(const std::string& workspace, const std::string& database = "",
                         const LockPatience& patience = {});

 private:
  LockFile workspace_, database_;
};

}  // namespace assay
