// The facts of a verdict as people and programs read them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "recorder/verdict_facts.h"

namespace assay {

// Effects of A/A history below which a verdict is marked provisional.
inline constexpr int kSettledHistory = 20;

// One fact: what it is about, in at most eight letters, and one line or more.
struct FactLines {
  std::string label;
  std::vector<std::string> lines;
};
// A/A, looks, alpha, dropped, confirm, guards; twins, grade, selection and tags where there are
// any; nothing for an attempt that timed nothing.
std::vector<FactLines> verdict_lines(const VerdictFacts& facts);

// The interval of a look: "-1.09 % to +1.10 %".
std::string interval_text(const JudgedLook& look);
// Which of the two errors a look used: "own spread" or "A/A history"; "not recorded" without both.
std::string ruling_error(const JudgedLook& look);
// The day of the oldest A/A effect and its age at the verdict: "2026-11-29, 2.4 days before the
// verdict".
std::string oldest_text(const VerdictFacts& facts);

// The same for a program; docs/gates.md has the keys. Null for an attempt that timed nothing.
nlohmann::json verdict_facts_json(const VerdictFacts& facts);

}  // namespace assay
