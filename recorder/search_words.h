// What a person types to search, as a question in the language of SQLite's full-text search.
//
// Words are whole and in any order and place of one experiment, all of them must be there; a *
// behind a word takes every word that begins so; "several words" between quotes stand in this
// order. Letters' case and accents make no difference. Nothing else has a meaning: every part goes
// into the question as a quoted string, so that no text is an error, an operator or a column.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay {

struct SearchTerm {
  std::string text;
  bool begins = false;  // matches what begins with it
};
constexpr std::size_t kMostSearchTerms = 64;
// Each once. Error(kUsage) where there are more: every one of them must be there, and a search for
// hundreds takes minutes.
std::vector<SearchTerm> search_terms(const std::string& typed);

// For MATCH; empty when no term has a letter or a digit.
std::string search_expression(const std::vector<SearchTerm>& terms);

}  // namespace assay
