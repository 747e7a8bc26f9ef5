// experiments/notes/<slug>.md: the author's words about an experiment, and their only place.
#pragma once

#include <string>

namespace assay {

// A file with the four sections and nothing in them.
std::string empty_notes(const std::string& slug);

// `notes` with `paragraph` at the end of a section; the section is added at the end of the file
// when an author has removed it. Everything else keeps its bytes.
std::string with_note(const std::string& notes, const std::string& section,
                      const std::string& paragraph);

// "2026-11-29", in UTC.
std::string today();

}  // namespace assay
