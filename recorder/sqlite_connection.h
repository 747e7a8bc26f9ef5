// A small ownership layer over the SQLite C API: connection, statement, transaction.
//
// Only what the store needs: bind by position, read by column, and every failure turned into one
// Error(kUsage) that names the file and says what to do (disk full, not a database, locked, ...).
// Rejected: a general wrapper library, which would hide the extended result codes that tell a full
// disk from a damaged page.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace assay {

class Connection {
 public:
  // `flags` as sqlite3_open_v2 takes them.
  Connection(const std::string& path, int flags);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  sqlite3* handle() const { return handle_; }
  const std::string& path() const { return path_; }
  // The name that messages use, for a connection whose data came from another file.
  void call_it(const std::string& path) { path_ = path; }
  // From now on each access waits up to `seconds` while another process holds the database, and
  // says so once a wait, after 2 s, to `tell` (may be empty).
  void wait_for_others(double seconds, std::function<void(const std::string&)> tell);
  // BEGIN IMMEDIATE without waiting; false where another process writes, or this one may not.
  bool begin_if_free() const;
  // Runs statements that return no rows.
  void execute(const std::string& sql) const;
  std::int64_t number(const std::string& sql) const;  // the first column of the first row
  std::string text(const std::string& sql) const;
  // Throws the Error for the connection's last failure.
  [[noreturn]] void fail(const std::string& doing) const;

 private:
  static int on_busy(void* connection, int calls);  // nonzero: SQLite tries again

  sqlite3* handle_ = nullptr;
  std::string path_;
  double patience_s_ = 0;
  mutable bool waits_ = true;
  std::function<void(const std::string&)> tell_;
  std::chrono::steady_clock::time_point waits_since_;
  bool told_ = false;
  friend class Statement;
  sqlite3_stmt* take_kept(std::string_view sql) const;  // null when none is free
  mutable std::mutex kept_mutex_;
  mutable std::multimap<std::string, sqlite3_stmt*, std::less<>> kept_;
  friend class Transaction;
  mutable int depth_ = 0;  // open Transaction objects
};

class Statement {
 public:
  Statement(const Connection& connection, std::string_view sql);
  // One that is asked again and again: the connection keeps it, prepared, for the next time.
  struct Kept {};
  Statement(const Connection& connection, std::string_view sql, Kept);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& bind(int position, std::string_view text);  // positions count from 1
  Statement& bind(int position, std::int64_t number);
  Statement& bind_bytes(int position, std::string_view bytes);
  bool step();                              // true: a row is there
  void run();                               // step until done
  std::string text(int column) const;       // columns count from 0; NULL reads as ""
  std::string_view view(int column) const;  // the same, until the next step()
  std::int64_t number(int column) const;
  bool is_null(int column) const;
  sqlite3_stmt* handle() const { return handle_; }

 private:
  const Connection& connection_;
  sqlite3_stmt* handle_ = nullptr;
  bool kept_ = false;
};

// BEGIN IMMEDIATE now, ROLLBACK at the end of scope unless commit() was called. One inside another
// is a part of it, that can be undone by itself. Error(kInternal) while a statement of the same
// connection has rows left: they are to be read, or it to end, before.
class Transaction {
 public:
  explicit Transaction(const Connection& connection);
  // One that does not wait: holds() is false where another process writes, or nothing can be
  // written.
  struct IfFree {};
  Transaction(const Connection& connection, IfFree);
  bool holds() const { return open_; }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  const Connection& connection_;
  bool outermost_;
  bool open_ = true;
};

// What a result code means to a person: what happened and what to do about it.
std::string explain_sqlite(int extended_code, const std::string& sqlite_message);

}  // namespace assay
