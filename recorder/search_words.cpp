#include "recorder/search_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/core/error.h"
#include "engine/core/lower.h"

namespace assay {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\0';
}

// Bytes outside ASCII may be letters; the tokenizer knows.
bool has_letters(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           (static_cast<unsigned char>(c) & 0x80);
  });
}

}  // namespace

std::vector<SearchTerm> search_terms(const std::string& typed) {
  std::vector<SearchTerm> terms;
  std::size_t at = 0;
  while (at < typed.size()) {
    if (is_space(typed[at])) {
      ++at;
      continue;
    }
    SearchTerm term;
    if (typed[at] == '"') {
      const std::size_t end = std::min(typed.find('"', at + 1), typed.size());
      term.text = typed.substr(at + 1, end - at - 1);
      at = std::min(end + 1, typed.size());
    } else {
      const std::size_t start = at;
      while (at < typed.size() && !is_space(typed[at]) && typed[at] != '"' && typed[at] != '*')
        ++at;
      term.text = typed.substr(start, at - start);
    }
    while (at < typed.size() && typed[at] == '*') {
      term.begins = true;
      ++at;
    }
    std::replace(term.text.begin(), term.text.end(), '\0', ' ');
    const bool again = std::any_of(terms.begin(), terms.end(), [&](const SearchTerm& known) {
      return known.begins == term.begins && lower(known.text) == lower(term.text);
    });
    if (again || !has_letters(term.text)) continue;
    if (terms.size() == kMostSearchTerms) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("more than {} words to search for, all of which would have to be "
                              "there; give those that say the most",
                              kMostSearchTerms));
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

std::string search_expression(const std::vector<SearchTerm>& terms) {
  std::string out;
  for (const SearchTerm& term : terms) {
    out += out.empty() ? "\"" : " \"";
    for (const char c : term.text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    out += term.begins ? "\" *" : "\"";
  }
  return out;
}

}  // namespace assay
