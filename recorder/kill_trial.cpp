// Eight processes that record into one database at once, and processes killed at every step of a
// write. A trial by itself (docs/history.md has its command); store_concurrency_test.cpp has what
// is short enough for every test run.
//
//   kill_trial eight DATABASE SECONDS     eight writers for so long
//   kill_trial kill DATABASE ROUNDS       one writer per round, killed at another step each time
//
// A step is one call that changes a file: SQLite's file layer is wrapped, so that the process kills
// itself before its Nth such call. The first round counts the steps of a whole experiment, the
// others spread over them. After each, what was acknowledged must be there once, what was not
// either whole or not at all, and every seal right.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <new>
#include <stdexcept>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "recorder/played_history.h"
#include "recorder/sqlite_connection.h"

namespace assay {
namespace {

// ---- files that kill ----

enum Step { kWriteDatabase, kWriteLog, kTruncate, kSync, kSharedMemory, kDelete, kSteps };
constexpr std::array kStepNames{"write to the database",
                                "write to the log",
                                "truncate",
                                "sync",
                                "lock or map shared memory",
                                "delete"};

// Shared with the parent through memory, so that a kill loses nothing of it.
struct Counted {
  long steps = 0;     // so far
  long kill_at = 0;   // 0: never
  int last = kSteps;  // the kind of the last step
};
Counted* counted = nullptr;  // in memory that parent and child share

void step(Step kind) {
  if (counted == nullptr) return;
  ++counted->steps;
  counted->last = kind;
  if (counted->steps == counted->kill_at) ::kill(::getpid(), SIGKILL);
}

struct File {
  sqlite3_file base;
  bool log;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
File* of(sqlite3_file* file) {
  return reinterpret_cast<File*>(file);
}
const sqlite3_io_methods* real(sqlite3_file* file) {
  return of(file)->real()->pMethods;
}

const sqlite3_io_methods kMethods{
    2,
    [](sqlite3_file* f) { return real(f)->xClose(of(f)->real()); },
    [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
      return real(f)->xRead(of(f)->real(), to, n, at);
    },
    [](sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
      step(of(f)->log ? kWriteLog : kWriteDatabase);
      return real(f)->xWrite(of(f)->real(), from, n, at);
    },
    [](sqlite3_file* f, sqlite3_int64 size) {
      step(kTruncate);
      return real(f)->xTruncate(of(f)->real(), size);
    },
    [](sqlite3_file* f, int flags) {
      step(kSync);
      return real(f)->xSync(of(f)->real(), flags);
    },
    [](sqlite3_file* f, sqlite3_int64* size) { return real(f)->xFileSize(of(f)->real(), size); },
    [](sqlite3_file* f, int lock) { return real(f)->xLock(of(f)->real(), lock); },
    [](sqlite3_file* f, int lock) { return real(f)->xUnlock(of(f)->real(), lock); },
    [](sqlite3_file* f, int* out) { return real(f)->xCheckReservedLock(of(f)->real(), out); },
    [](sqlite3_file* f, int op, void* arg) {
      return real(f)->xFileControl(of(f)->real(), op, arg);
    },
    [](sqlite3_file* f) { return real(f)->xSectorSize(of(f)->real()); },
    [](sqlite3_file* f) { return real(f)->xDeviceCharacteristics(of(f)->real()); },
    [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
      return real(f)->xShmMap(of(f)->real(), page, size, extend, out);
    },
    [](sqlite3_file* f, int offset, int n, int flags) {
      step(kSharedMemory);
      return real(f)->xShmLock(of(f)->real(), offset, n, flags);
    },
    [](sqlite3_file* f) { real(f)->xShmBarrier(of(f)->real()); },
    [](sqlite3_file* f, int remove) { return real(f)->xShmUnmap(of(f)->real(), remove); },
    nullptr,
    nullptr};

sqlite3_vfs* real_vfs = nullptr;

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
  File* const own = of(file);
  own->base.pMethods = nullptr;
  own->log = (flags & SQLITE_OPEN_WAL) != 0;
  const int code = real_vfs->xOpen(real_vfs, name, own->real(), flags, out);
  if (own->real()->pMethods != nullptr) own->base.pMethods = &kMethods;
  return code;
}

int delete_file(sqlite3_vfs*, const char* name, int sync) {
  step(kDelete);
  return real_vfs->xDelete(real_vfs, name, sync);
}

void wrap_files() {
  real_vfs = sqlite3_vfs_find(nullptr);
  static sqlite3_vfs own = *real_vfs;
  own.zName = "killing";
  own.szOsFile = static_cast<int>(sizeof(File)) + real_vfs->szOsFile;
  own.xOpen = open_file;
  own.xDelete = delete_file;
  sqlite3_vfs_register(&own, 1);
}

// ---- one experiment, call by call ----

// Calls `acknowledge(events)` after each call of the journal with what it has added.
void record_experiment(Store& store, const std::string& slug, const std::string& mark,
                       const std::function<void(int)>& acknowledge) {
  const std::string definition = definition_text(slug);
  store.together([&] {
    store.number_for(slug);
    const std::string run = store.open_run(slug, {"propose", mark, {}});
    store.append(run, EventKind::kProposed, Proposed{definition, sha256_hex(definition), {}});
    store.end_run(run, {"proposed", 0, mark});
  });
  acknowledge(3);
  const std::string run = store.open_run(slug, {"run", mark, {}});
  acknowledge(1);
  const std::string source = std::string(20'000, 'x') + mark;
  AttemptOpened attempt;
  attempt.fingerprint = mark;
  attempt.candidate = {{"attention_prefill", "attention_prefill.cpu.avx2[tkv=64]"}};
  attempt.sources = {{"a.cpp", sha256_hex(source)}};
  store.open_attempt(run, attempt, {{sha256_hex(source), source}});
  acknowledge(1);
  for (int i = 0; i < 5; ++i) {
    GateResult gate{"parity", "green", "", mark, {{"text", std::string(2000, 'y')}}, 0.5};
    store.append(run, EventKind::kGateResult, gate);
    acknowledge(1);
  }
  store.end_run(run, {"inconclusive", 12, mark});
  acknowledge(1);
}

[[noreturn]] void lost(const std::string& what) {
  throw std::runtime_error("FAILED: " + what);
}

void check_all(const Store& store) {
  const std::vector<std::string> faults = store.integrity();
  if (!faults.empty()) lost(faults.front());
}

void end_killed(Store& store) {
  for (const Store::StoredRun& run : store.unfinished_runs())
    store.end_run(run.id, {"killed", -1, ""});
}

// ---- eight at once ----

int eight(const std::string& database, int seconds) {
  struct Acknowledged {
    long events, experiments;
  };
  std::array<std::array<int, 2>, 8> pipes{};
  std::vector<pid_t> children;
  for (std::size_t c = 0; c < pipes.size(); ++c) {
    if (::pipe(pipes[c].data()) != 0) lost("pipe");
    const pid_t child = ::fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    Acknowledged done{0, 0};
    int status = 0;
    try {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
      Store store(database);
      while (std::chrono::steady_clock::now() < end) {
        const std::string slug = fmt::format("writer-{}-{}", c, done.experiments);
        record_experiment(store, slug, slug, [&](int events) { done.events += events; });
        ++done.experiments;
        // And all of them into one experiment.
        const std::string run = store.open_run("shared", {"run", slug, {}});
        store.append(run, EventKind::kLook, Look{"ab", static_cast<int>(c), slug});
        store.end_run(run, {"green", 0, slug});
        done.events += 3;
      }
    } catch (const std::exception& error) {
      std::cerr << error.what() << "\n";
      status = 1;
    }
    if (::write(pipes[c][1], &done, sizeof done) != static_cast<ssize_t>(sizeof done)) status = 2;
    ::_exit(status);
  }
  Acknowledged all{0, 0};
  for (std::size_t c = 0; c < pipes.size(); ++c) {
    Acknowledged done{};
    int status = 0;
    ::waitpid(children[c], &status, 0);
    if (status != 0) lost(fmt::format("writer {} ended with {}", c, status));
    if (::read(pipes[c][0], &done, sizeof done) != static_cast<ssize_t>(sizeof done)) lost("pipe");
    all.events += done.events;
    all.experiments += done.experiments;
  }
  const Store store(database);
  check_all(store);
  const auto labels = store.experiments();
  long events = 0;
  for (const auto& label : labels) events += static_cast<long>(store.events(label.slug).size());
  if (events != all.events) lost(fmt::format("{} events of {}", events, all.events));
  if (static_cast<long>(labels.size()) != all.experiments + 1) lost("labels");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].number != static_cast<int>(i) + 1) lost("numbers are not 1, 2, 3, ...");
  }
  std::cout << fmt::format(
      "eight: {} s, {} experiments, {} events, none lost or doubled; numbers without a gap, every "
      "seal right; {} runs of one experiment in one chain\n",
      seconds, all.experiments, events, store.runs("shared").size());
  return 0;
}

// ---- killed at every step ----

struct Trial {
  long acknowledged = 0;  // events
  long calls = 0;
  Counted steps = {};
};

// Runs a writer that is killed before its step `at` (0: not); what it had done by then.
Trial run_killed(const std::string& database, const std::string& slug, long at, bool& killed) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) lost("pipe");
  if (counted == nullptr) {
    void* const shared =
        ::mmap(nullptr, sizeof(Counted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) lost("shared memory");
    counted = new (shared) Counted;
  }
  *counted = {};
  const pid_t child = ::fork();
  if (child == 0) {
    static Trial own;
    const auto send = [&] {
      if (::write(pipe[1], &own, sizeof own) < 0) ::_exit(3);
    };
    try {
      Store store(database);
      counted->steps = 0;
      counted->kill_at = at;
      record_experiment(store, slug, slug, [&](int events) {
        own.acknowledged += events;
        ++own.calls;
        send();
      });
    } catch (const std::exception& error) {
      std::cerr << error.what() << "\n";
      ::_exit(1);
    }
    send();
    ::_exit(0);
  }
  ::close(pipe[1]);
  Trial last, next;
  while (::read(pipe[0], &next, sizeof next) == static_cast<ssize_t>(sizeof next)) last = next;
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (!killed && status != 0) lost(fmt::format("the writer ended with {}", status));
  last.steps = *counted;
  *counted = {};
  return last;
}

int killed_at_steps(const std::string& database, int rounds) {
  bool killed = false;
  std::map<int, int> after_call;
  std::array<int, kSteps> before_step{};
  Trial whole;
  int kills = 0;
  long events = 0;
  for (int round = 0; round < rounds; ++round) {
    // A larger database takes more steps, so they are counted again now and then. Rounds that
    // follow each other are far apart in the write, so that all of it is met at every size.
    if (round % 10 == 0) {
      whole = run_killed(database, fmt::format("whole-{}", round), 0, killed);
      events += whole.acknowledged;
    }
    const long at = 1 + (round * 37L % rounds) * (whole.steps.steps - 1) / rounds;
    const std::string slug = fmt::format("killed-{}", round);
    const Trial trial = run_killed(database, slug, at, killed);
    kills += killed ? 1 : 0;
    ++after_call[static_cast<int>(trial.calls)];
    if (killed) ++before_step[static_cast<std::size_t>(trial.steps.last)];
    Store store(database);
    check_all(store);
    const long there = static_cast<long>(store.events(slug).size());
    // The call that was going may be in whole: the next number of events, or none of it.
    const long most = trial.acknowledged + (trial.calls == 0 ? 3 : 1);
    const bool whole_call = there == trial.acknowledged || there == most;
    if (!whole_call) {
      lost(fmt::format("{}: {} events are there, {} were acknowledged", slug, there,
                       trial.acknowledged));
    }
    end_killed(store);
    check_all(store);
    events += static_cast<long>(store.events(slug).size());
  }
  const Store store(database);
  long found = 0;
  for (const auto& label : store.experiments()) {
    found += static_cast<long>(store.events(label.slug).size());
  }
  if (found != events) lost(fmt::format("{} events, {} were counted", found, events));
  std::string calls;
  for (const auto& [call, count] : after_call) calls += fmt::format(" {}:{}", call, count);
  std::string kinds;
  for (std::size_t kind = 0; kind < kSteps; ++kind) {
    kinds += fmt::format("{} {} ({})", kind == 0 ? "" : ",", kStepNames[kind], before_step[kind]);
  }
  std::cout << fmt::format(
      "kill: {} kills at steps 1 to {} of an experiment's writes; after so many of its {} calls "
      "(calls:kills){}; before:{}; nothing acknowledged was lost, nothing is there twice or in "
      "part, every seal is right\n",
      kills, whole.steps.steps, whole.calls, calls, kinds);
  return kills >= rounds * 9 / 10 ? 0 : 1;
}

int trial(const std::vector<std::string>& words) {
  if (words.size() != 3) {
    std::cerr << "usage: kill_trial eight|kill DATABASE SECONDS|ROUNDS\n";
    return 2;
  }
  if (words[0] == "eight") {
    {
      Store store(words[1]);
      store.number_for("shared");
    }
    return eight(words[1], std::stoi(words[2]));
  }
  wrap_files();
  return killed_at_steps(words[1], std::stoi(words[2]));
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  try {
    return assay::trial({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "kill_trial: " << error.what() << "\n";
    return 1;
  }
}
