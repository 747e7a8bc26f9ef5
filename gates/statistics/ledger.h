// What a campaign of experiments has put at stake: each attempt that looked spent the alpha of its
// looks, and expectations add up whatever depends on what.
//
// The figures are those of levers worth exactly their bar. Most are worth less (or more), so they
// bound the number of false LANDs from above. A confirmation halves them: its fresh pairs exceed
// the bar by chance in one of two, as long as they share no offset with the run before them.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "gates/statistics/judge.h"

namespace assay {

struct LedgerRow {
  std::string experiment;
  int attempt = 0;
  int looks = 0;     // of stage "ab" that were taken
  int planned = 0;   // looks of the plan
  double alpha = 0;  // one-sided, spent by the looks taken
  bool landed = false;
};

struct Ledger {
  std::vector<LedgerRow> rows;  // attempts that took a look, as given
  int lands = 0;
  double alpha = 0;                 // sum: expected false crossings
  double expected_false_lands = 0;  // after confirmation
};

// A row from a stored plan and the judgement of its pairs.
LedgerRow ledger_row(const std::string& experiment, int attempt, const AbPlan& plan,
                     const AbJudgement& judgement);
// Rows without a look are left out. Sorts nothing.
Ledger add_up(std::span<const LedgerRow> rows);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LedgerRow, experiment, attempt, looks, planned, alpha, landed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ledger, rows, lands, alpha, expected_false_lands)

}  // namespace assay
