// Corrections in an author's notes: what was said stays, and what is right stands beside it.
//
//   2026-11-30 (Lessons): it said "a gain of 3 %"; correct is: no gain.
//
// One line in the section Corrections, as `assay note ID --corrects "a gain of 3 %" "no gain."`
// writes it. The record shows the line, and marks the words where they were said.
#pragma once

#include <string>
#include <vector>

namespace assay {

struct Correction {
  std::string day, place;  // place: a section's title, or "definition"
  std::string said, correct;
};

std::string correction_line(const Correction& correction);
// Those of that form; other lines of the section are an author's own words.
std::vector<Correction> corrections_in(const std::string& section);
// The text of a section (title in lower case) with its corrected words marked.
std::string with_corrections(std::string text, const std::string& title,
                             const std::vector<Correction>& corrections);

}  // namespace assay
