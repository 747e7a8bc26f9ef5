// What a Store holds, shared by the files that implement it (store.cpp: opening; store_history.cpp,
// store_journal.cpp, store_import.cpp, store_sql.cpp,
// store_integrity.cpp).
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/sqlite_connection.h"
#include "recorder/store.h"

namespace assay {

// Sources as they are stored, and as read: the same few stand in experiment after experiment. For
// any thread.
class BlobMemory {
 public:
  Store::SharedText find(const std::string& key);
  Store::SharedText keep(const std::string& key, std::string content);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Store::SharedText> contents_;
  std::size_t bytes_ = 0;
};

struct Store::State {
  State(const std::string& path, int flags) : connection(path, flags) {}

  Connection connection;
  BlobMemory blobs;
  bool in_memory = false;  // the connection's data is a copy that no other connection can see

  // Nothing when there is no such run.
  std::optional<StoredRun> run(const std::string& id) const;
  // The run, when it may still take events; Error(kInternal) otherwise: callers hold live runs
  // only.
  StoredRun writable_run(const std::string& id) const;
  // Appends one event, now, with the next index.
  void add(const StoredRun& run, EventKind kind, const nlohmann::json& body) const;
  // Inserts without looking at anything but the triggers' rules.
  void insert_event(const Event& event) const;
  void insert_blob(const std::string& sha256, const std::string& zstd) const;  // once
  // The seal at the end of an experiment's chain, "" when no run is sealed.
  std::string last_seal(const std::string& slug) const;
  int next_ordinal(const std::string& slug) const;
};

// A slug as labels may have it: lower-case letters, digits, hyphens; it becomes a file's name.
bool valid_slug(const std::string& slug);

}  // namespace assay
