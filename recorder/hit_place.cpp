// An auxiliary function of FTS5 reads the positions that the index has found already; to look for
// the words in each column's text again would cost a hundred times that.
#include "recorder/hit_place.h"

#include <array>
#include <bitset>

#include "engine/core/error.h"
#include "recorder/schema.h"
#include "recorder/search_words.h"

namespace assay {
namespace {

void hit_place(const Fts5ExtensionApi* api, Fts5Context* match, sqlite3_context* result, int,
               sqlite3_value**) {
  std::array<std::bitset<kMostSearchTerms>, kPlacesOfWords.size()> terms;
  int hits = 0;
  if (api->xInstCount(match, &hits) != SQLITE_OK) hits = 0;
  for (int i = 0; i < hits; ++i) {
    int term = 0, column = 0, word = 0;
    if (api->xInst(match, i, &term, &column, &word) != SQLITE_OK) break;
    if (column < 0 || static_cast<std::size_t>(column) >= terms.size()) continue;
    terms[static_cast<std::size_t>(column)].set(static_cast<std::size_t>(term));
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < terms.size(); ++i) {
    if (terms[i].count() > terms[best].count()) best = i;
  }
  sqlite3_result_int(result, static_cast<int>(best));
}

}  // namespace

void add_hit_place(const Connection& connection) {
  fts5_api* api = nullptr;
  Statement statement(connection, "SELECT fts5(?1)");
  sqlite3_bind_pointer(statement.handle(), 1, &api, "fts5_api_ptr", nullptr);
  statement.step();
  if (api == nullptr ||
      api->xCreateFunction(api, "hit_place", nullptr, hit_place, nullptr) != SQLITE_OK) {
    throw Error(ErrorKind::kInternal, "full-text search took no function");
  }
}

}  // namespace assay
