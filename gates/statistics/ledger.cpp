#include "gates/statistics/ledger.h"

#include <algorithm>

#include "gates/statistics/spending.h"

namespace assay {

LedgerRow ledger_row(const std::string& experiment, int attempt, const AbPlan& plan,
                     const AbJudgement& judgement) {
  LedgerRow row;
  row.experiment = experiment;
  row.attempt = attempt;
  row.planned = static_cast<int>(plan.looks.size());
  row.looks =
      static_cast<int>(std::count_if(judgement.looks.begin(), judgement.looks.end(),
                                     [](const LookRow& look) { return look.stage == "ab"; }));
  row.landed = judgement.action == AbAction::kLand;
  if (row.looks == 0) return row;
  std::vector<double> fractions;
  std::vector<double> p;
  for (const LookRule& look : plan.looks) {
    fractions.push_back(static_cast<double>(look.pairs) / plan.pairs_max);
    p.push_back(look.p);
  }
  row.alpha = alpha_spent(fractions, p)[static_cast<std::size_t>(row.looks) - 1];
  return row;
}

Ledger add_up(std::span<const LedgerRow> rows) {
  Ledger ledger;
  for (const LedgerRow& row : rows) {
    if (row.looks == 0) continue;
    ledger.rows.push_back(row);
    ledger.alpha += row.alpha;
    if (row.landed) ++ledger.lands;
  }
  ledger.expected_false_lands = ledger.alpha / 2;
  return ledger;
}

}  // namespace assay
