// See catalog.h. At 10,000 experiments the whole catalog is made in some seconds, once; after that
// a question costs one listing of the notes' folder and the rows it is about.
#include "recorder/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "engine/core/error.h"
#include "engine/core/lower.h"
#include "engine/core/printable.h"
#include "recorder/hit_place.h"
#include "recorder/schema.h"
#include "recorder/search_words.h"
#include "recorder/store_state.h"

namespace assay {
namespace {

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

QueryRow facts_at(const Connection& connection, const Statement& row) {
  try {
    return row_of_facts(row.text(2));
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kCheckFound,
                fmt::format("{}: what questions are answered from is damaged, or was edited ({}): "
                            "`assay index --all` makes it anew from the history",
                            connection.path(), printable(row.text(1))));
  }
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
    QueryRow found = facts_at(connection, row);
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

Catalog::Catalog(const Store& store, const std::string& workspace,
                 const std::optional<NotesStamps>& notes, const std::vector<CatalogEntry>& outside)
    : stored_(store.state_->connection) {
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

void Catalog::add_vocabulary(const Connection& connection) {
  connection.execute(
      "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, writing, row)");
}

std::vector<std::string> Catalog::vocabulary() const {
  std::set<std::string> words;
  for (const Connection* connection : all()) {
    add_vocabulary(*connection);
    Statement row(*connection, "SELECT term FROM temp.vocabulary");
    while (row.step()) words.insert(row.text(0));
  }
  return {words.begin(), words.end()};
}

}  // namespace assay
