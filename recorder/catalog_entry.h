// What the catalog keeps of one experiment: its row, the names it is about, and all words that
// people and gates wrote of it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "recorder/query.h"
#include "recorder/record_parts.h"

namespace assay {

struct CatalogEntry {
  QueryRow row;
  // kind -> names. "lever", "op", "model", "gpu", "variant"; "gate": "identity=red" of the row's
  // gates; "known_gate" and "known_outcome" of all attempts.
  std::map<std::string, std::set<std::string>> names;
  std::map<std::string, std::string> words;  // place (kPlacesOfWords) -> text
};

// From history and notes. Error(kCheckFound) for events that cannot be read.
CatalogEntry catalog_entry(const Store& store, const ExperimentLabel& label, const Notes& notes);

// The row as the catalog's text, and back. Place and snippet are not in it.
std::string facts_of(const QueryRow& row);
QueryRow row_of_facts(const std::string& facts);

}  // namespace assay
