// See catalog.h. At 10,000 experiments the whole catalog is made in some seconds, once; after that
// a question costs one listing of the notes' folder and the rows it is about.
#include "recorder/catalog.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "engine/core/error.h"
#include "engine/core/lower.h"
#include "engine/core/whole_file.h"
#include "recorder/hit_place.h"
#include "recorder/in_parallel.h"
#include "recorder/schema.h"
#include "recorder/search_words.h"
#include "recorder/store_state.h"

namespace assay {
namespace {

// Size and time of a file of notes; {-1, 0} where there is none.
struct NotesStamp {
  std::int64_t size = -1, mtime = 0;
  bool operator==(const NotesStamp&) const = default;
};
using NotesStamps = std::unordered_map<std::string, NotesStamp>;  // by slug

constexpr const char* kNotesFolder = "experiments/notes";
constexpr std::int64_t kNanoseconds = 1'000'000'000;
// File clocks tick coarsely: a file may change again within the tick of its last change.
constexpr std::int64_t kYoung_ns = 100'000'000;

NotesStamp stamp_at(int folder, const std::string& name) {
  struct stat status {};
  if (::fstatat(folder, name.c_str(), &status, 0) != 0) return {};
  return {status.st_size, status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

NotesStamps all_notes(const std::string& workspace) {
  NotesStamps stamps;
  DIR* const folder = ::opendir((workspace + "/" + kNotesFolder).c_str());
  if (folder == nullptr) return stamps;
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(folder)) {
    if (std::string_view(entry->d_name).ends_with(".md")) names.emplace_back(entry->d_name);
  }
  std::vector<NotesStamp> found(names.size());
  in_parallel_pieces(names.size(),
                     [&](std::size_t i) { found[i] = stamp_at(::dirfd(folder), names[i]); });
  ::closedir(folder);
  stamps.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    stamps.emplace(names[i].substr(0, names[i].size() - 3), found[i]);
  }
  return stamps;
}

// Taken before the file is read: a change in between is then seen the next time.
NotesStamp notes_of(const std::string& workspace, const std::string& slug) {
  if (workspace.empty()) return {};
  return stamp_at(AT_FDCWD, fmt::format("{}/{}/{}.md", workspace, kNotesFolder, slug));
}

NotesStamp settled(NotesStamp stamp) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t age = now.tv_sec * kNanoseconds + now.tv_nsec - stamp.mtime;
  if (stamp.size >= 0 && age < kYoung_ns) stamp.mtime = 0;
  return stamp;
}

// What a file of notes says. One that cannot be read says nothing here: `check` and `index` tell.
Notes read_notes(const std::string& workspace, const std::string& slug) {
  const std::string path = fmt::format("{}/{}.md", kNotesFolder, slug);
  try {
    return parse_notes(path, read_whole_file(workspace + "/" + path, path).value_or(""));
  } catch (const Error&) {
    return parse_notes(path, "");
  }
}

// The statements that fill a catalog, prepared once.
class Filling {
 public:
  explicit Filling(const Connection& connection)
      : connection_(connection),
        known_(connection, "SELECT id FROM catalog WHERE slug = ?"),
        row_(connection,
             "INSERT OR REPLACE INTO catalog(id, slug, state, verdict, date, facts, notes_size, "
             "notes_mtime) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
        name_(connection, "INSERT OR IGNORE INTO catalog_name(kind, name, id) VALUES (?, ?, ?)"),
        forget_names_(connection, "DELETE FROM catalog_name WHERE id = ?"),
        forget_words_(connection, "DELETE FROM writing WHERE rowid = ?"),
        words_(connection, insert_words()) {}

  void put(const CatalogEntry& entry, const NotesStamp& notes) {
    const QueryRow& row = entry.row;
    const std::int64_t id = free_id(row.slug);
    row_.bind(1, id).bind(2, row.slug).bind(3, row.state).bind(4, row.verdict).bind(5, row.date);
    row_.bind(6, facts_of(row)).bind(7, notes.size).bind(8, notes.mtime);
    run(row_);
    for (const auto& [kind, names] : entry.names) {
      for (const std::string& name : names) {
        name_.bind(1, kind).bind(2, name).bind(3, id);
        run(name_);
      }
    }
    words_.bind(1, id);
    int column = 2;
    for (const char* place : kPlacesOfWords) {
      const auto text = entry.words.find(place);
      words_.bind(column++, text == entry.words.end() ? std::string_view() : text->second);
    }
    run(words_);
  }

 private:
  static std::string insert_words() {
    std::string columns, values;
    for (const char* place : kPlacesOfWords) {
      columns += fmt::format(", {}", place);
      values += ", ?";
    }
    return fmt::format("INSERT INTO writing(rowid{}) VALUES (?{})", columns, values);
  }
  static void run(Statement& statement) {
    statement.run();
    sqlite3_reset(statement.handle());
  }
  // The slug's own id, with nothing left under it, or a new one.
  std::int64_t free_id(const std::string& slug) {
    known_.bind(1, slug);
    const bool known = known_.step();
    const std::int64_t id = known ? known_.number(0) : 0;
    sqlite3_reset(known_.handle());
    if (!known) return connection_.number("SELECT coalesce(max(id), 0) + 1 FROM catalog");
    forget_names_.bind(1, id);
    run(forget_names_);
    forget_words_.bind(1, id);
    run(forget_words_);
    return id;
  }

  const Connection& connection_;
  Statement known_, row_, name_, forget_names_, forget_words_, words_;
};

std::set<std::string> stale_slugs(const Connection& connection,
                                  const std::optional<NotesStamps>& notes) {
  std::set<std::string> stale;
  Statement marked(connection, "SELECT slug FROM stale");
  while (marked.step()) stale.insert(marked.text(0));
  if (!notes) return stale;
  Statement seen(connection, "SELECT slug, notes_size, notes_mtime FROM catalog");
  while (seen.step()) {
    const NotesStamp before{seen.number(1), seen.number(2)};
    const auto now = notes->find(seen.text(0));
    if (!((now == notes->end() ? NotesStamp{} : now->second) == before)) stale.insert(seen.text(0));
  }
  return stale;
}

// Answers of one catalog in SQL.
struct Question {
  std::string sql;
  std::vector<std::string> values;
  void add(const std::string& condition, const std::string& value) {
    sql += " AND " + condition;
    values.push_back(value);
  }
};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// An experiment with a name of this kind.
std::string named(const char* kind, const char* test) {
  return fmt::format("c.id IN (SELECT id FROM catalog_name WHERE kind = '{}' AND {})", kind, test);
}

Question question(const QueryFilter& filter) {
  constexpr const char* kIs = "name = ?";
  constexpr const char* kHas = "instr(lower(name), lower(?)) > 0";
  const bool text = !filter.text.empty();
  Question asked;
  asked.sql = fmt::format(
      "SELECT coalesce(l.number, -1), c.slug, c.facts{} FROM {} LEFT JOIN label l ON "
      "l.slug = c.slug WHERE 1",
      text
          ? ", hit_place(w.writing), snippet(w.writing, hit_place(w.writing), '', '', '\u2026', 16)"
          : "",
      text ? "writing w CROSS JOIN catalog c ON c.id = w.rowid" : "catalog c");
  if (text) asked.add("w.writing MATCH ?", search_expression(search_terms(filter.text)));
  if (!filter.lever.empty()) asked.add(named("lever", kIs), filter.lever);
  if (!filter.op.empty()) asked.add(named("op", kIs), filter.op);
  if (!filter.variant.empty()) asked.add(named("variant", kIs), filter.variant);
  if (!filter.model.empty()) asked.add(named("model", kHas), filter.model);
  if (!filter.gpu.empty()) asked.add(named("gpu", kHas), filter.gpu);
  if (!filter.verdict.empty()) asked.add("c.verdict = ?", upper(filter.verdict));
  if (!filter.state.empty()) asked.add("c.state = ?", lower(filter.state));
  if (!filter.since.empty()) asked.add("c.date >= ?", filter.since);
  if (!filter.gate.empty()) {
    const bool outcome = filter.gate.find('=') != std::string::npos;
    asked.add(named("gate", kIs), outcome ? filter.gate : filter.gate + "=red");
  }
  return asked;
}

void answer(const Connection& connection, const QueryFilter& filter,
            const std::set<std::string>& without, std::vector<QueryRow>& rows) {
  const bool text = !filter.text.empty();
  if (text && search_expression(search_terms(filter.text)).empty()) return;
  const Question asked = question(filter);
  Statement row(connection, asked.sql);
  for (std::size_t i = 0; i < asked.values.size(); ++i) {
    row.bind(static_cast<int>(i) + 1, asked.values[i]);
  }
  while (row.step()) {
    if (without.contains(row.text(1))) continue;
    QueryRow found = row_of_facts(row.text(2));
    if (row.number(0) >= 0) found.number = static_cast<int>(row.number(0));
    if (text) {
      found.place = kPlacesOfWords[static_cast<std::size_t>(row.number(3))];
      found.snippet = row.text(4);
    }
    rows.push_back(std::move(found));
  }
}

}  // namespace

// The catalog in memory: `slugs` are answered from here, whatever the stored one says of them.
struct Catalog::Aside {
  Connection connection{":memory:", SQLITE_OPEN_READWRITE};
  std::set<std::string> slugs;
  Aside() {
    create_schema(connection);
    add_hit_place(connection);
  }
};

Catalog::Catalog(const Store& store, const std::string& workspace, NotesAre notes_are,
                 const std::vector<CatalogEntry>& outside)
    : stored_(store.state_->connection) {
  std::optional<NotesStamps> notes;
  if (notes_are == NotesAre::kCurrent && !workspace.empty()) notes = all_notes(workspace);
  add_hit_place(stored_);
  const auto fill = [&](Filling& filling, const std::string& slug) {
    const std::optional<ExperimentLabel> label = store.find(slug);
    if (!label || label->slug != slug) return;
    const NotesStamp stamp = settled(notes_of(workspace, slug));
    const Notes text = stamp.size < 0 ? Notes() : read_notes(workspace, slug);
    filling.put(catalog_entry(store, *label, text), stamp);
  };
  std::set<std::string> stale = stale_slugs(stored_, notes);
  if (!stale.empty()) {
    try {
      Transaction transaction(stored_, Transaction::IfFree());
      if (transaction.holds()) {
        // Under the lock: another process may have been here.
        const std::set<std::string> now = stale_slugs(stored_, notes);
        Filling filling(stored_);
        for (const std::string& slug : now) fill(filling, slug);
        stored_.execute("DELETE FROM stale");
        transaction.commit();
        stale.clear();
      }
    } catch (const Error& error) {
      // A full disk is no reason not to answer; a damaged page will say so again.
      if (error.kind() != ErrorKind::kUsage) throw;
    }
  }
  if (stale.empty() && outside.empty()) return;
  aside_ = std::make_unique<Aside>();
  aside_->slugs = stale;
  Transaction transaction(aside_->connection);
  Filling filling(aside_->connection);
  for (const std::string& slug : stale) fill(filling, slug);
  for (const CatalogEntry& entry : outside) {
    filling.put(entry, {});
    aside_->slugs.insert(entry.row.slug);
  }
  transaction.commit();
}

Catalog::~Catalog() = default;

namespace {

// What is stored under an id, as one text, in the order in which kept_text() has it.
std::string stored_text(const Connection& connection, std::int64_t id) {
  Statement row(connection, "SELECT state, verdict, date, facts FROM catalog WHERE id = ?",
                Statement::Kept());
  std::string text;
  if (row.bind(1, id).step()) {
    for (int column = 0; column < 4; ++column) text += row.text(column) + "\n";
  }
  Statement name(connection, "SELECT kind, name FROM catalog_name WHERE id = ? ORDER BY kind, name",
                 Statement::Kept());
  name.bind(1, id);
  while (name.step()) text += name.text(0) + " " + name.text(1) + "\n";
  Statement words(connection, fmt::format("SELECT {} FROM writing WHERE rowid = ?",
                                          fmt::join(kPlacesOfWords, ", ")),
                  Statement::Kept());
  const bool there = words.bind(1, id).step();
  for (int column = 0; there && column < static_cast<int>(kPlacesOfWords.size()); ++column) {
    text += words.text(column) + "\n";
  }
  return text;
}

// SQLite's own look at the index over words; "" where it is whole, or cannot be looked at now.
std::string damage_of_words(const Connection& connection) {
  try {
    Transaction transaction(connection, Transaction::IfFree());
    if (!transaction.holds()) return "";
    connection.execute("INSERT INTO writing(writing) VALUES ('integrity-check')");
    return "";
  } catch (const Error&) {
    return "its index over words is damaged";
  }
}

std::string kept_text(const CatalogEntry& entry) {
  const QueryRow& row = entry.row;
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", row.state, row.verdict, row.date, facts_of(row));
  for (const auto& [kind, names] : entry.names) {
    for (const std::string& name : names) text += fmt::format("{} {}\n", kind, name);
  }
  for (const char* place : kPlacesOfWords) {
    const auto words = entry.words.find(place);
    text += (words == entry.words.end() ? "" : words->second) + "\n";
  }
  return text;
}

}  // namespace

std::vector<std::string> Catalog::faults(const Store& store, const std::string& workspace) {
  const Connection& connection = store.state_->connection;
  const std::set<std::string> stale = stale_slugs(connection, all_notes(workspace));
  std::vector<std::pair<std::int64_t, std::string>> rows;  // id 0: a label without a row
  Statement row(connection,
                "SELECT id, slug FROM catalog UNION ALL SELECT 0, slug FROM label WHERE slug NOT IN "
                "(SELECT slug FROM catalog) ORDER BY slug");
  while (row.step()) rows.emplace_back(row.number(0), row.text(1));
  std::vector<std::string> found(rows.size());
  in_parallel(rows.size(), [&](std::size_t i) {
    const auto& [id, slug] = rows[i];
    const std::optional<ExperimentLabel> label = store.find(slug);
    const bool known = label && label->slug == slug;
    if (known && stale.contains(slug)) return;
    if (known && stored_text(connection, id) ==
                     kept_text(catalog_entry(store, *label, read_notes(workspace, slug)))) {
      return;
    }
    found[i] = fmt::format(
        "{}: catalog: of {} it says something else than the history, so questions are answered "
        "wrongly; `assay index --all` makes it again",
        connection.path(), slug);
  });
  std::erase(found, "");
  const std::int64_t strays = connection.number(
      "SELECT (SELECT count(*) FROM catalog_name WHERE id NOT IN (SELECT id FROM catalog)) + "
      "(SELECT count(*) FROM writing WHERE rowid NOT IN (SELECT id FROM catalog))");
  // A row that is gone leaves its names and words behind, and is told already.
  const std::string wrong = strays > 0 && found.empty() ? "it has rows of no experiment" : damage_of_words(connection);
  if (!wrong.empty()) {
    found.push_back(fmt::format("{}: catalog: {}; `assay index --all` makes it again",
                                connection.path(), wrong));
  }
  return found;
}

void Catalog::forget(const Store& store) {
  const Connection& connection = store.state_->connection;
  Transaction transaction(connection);
  // Its parts may be damaged; from the words it can be made whole, and then emptied.
  connection.execute("INSERT INTO writing(writing) VALUES ('rebuild')");
  for (const char* table : {"catalog", "catalog_name", "writing"}) {
    connection.execute(fmt::format("DELETE FROM {}", table));
  }
  connection.execute("INSERT OR IGNORE INTO stale(slug) SELECT slug FROM label");
  transaction.commit();
}

std::vector<QueryRow> Catalog::find(const QueryFilter& filter) const {
  std::vector<QueryRow> rows;
  answer(stored_, filter, aside_ ? aside_->slugs : std::set<std::string>(), rows);
  if (aside_) answer(aside_->connection, filter, {}, rows);
  std::sort(rows.begin(), rows.end(), [](const QueryRow& a, const QueryRow& b) {
    return std::tuple(a.number == 0, a.number, a.slug) <
           std::tuple(b.number == 0, b.number, b.slug);
  });
  return rows;
}

std::vector<const Connection*> Catalog::all() const {
  std::vector<const Connection*> all{&stored_};
  if (aside_) all.push_back(&aside_->connection);
  return all;
}

HistoryNames Catalog::names() const {
  HistoryNames names;
  const std::map<std::string, std::set<std::string>*> kinds{
      {"lever", &names.levers},           {"op", &names.ops},       {"known_gate", &names.gates},
      {"known_outcome", &names.outcomes}, {"model", &names.models}, {"gpu", &names.gpus},
      {"variant", &names.variants}};
  for (const Connection* connection : all()) {
    // From one name to the next: there are few names, and many experiments of each.
    Statement next(
        *connection,
        "SELECT name FROM catalog_name WHERE kind = ? AND name > ? ORDER BY name LIMIT 1");
    for (const auto& [kind, known] : kinds) {
      std::string at;
      while (next.bind(1, kind).bind(2, at).step()) {
        at = next.text(0);
        known->insert(at);
        sqlite3_reset(next.handle());
      }
      sqlite3_reset(next.handle());
    }
  }
  return names;
}

std::vector<std::string> Catalog::vocabulary() const {
  std::set<std::string> words;
  for (const Connection* connection : all()) {
    connection->execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, writing, row)");
    Statement row(*connection, "SELECT term FROM temp.vocabulary");
    while (row.step()) words.insert(row.text(0));
  }
  return {words.begin(), words.end()};
}

}  // namespace assay
