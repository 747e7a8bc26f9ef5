// assay ledger: what all attempts together have put at stake, and what the guards of the landed
// ones have lost together.
//
// Read from stored plans, looks and verdicts; nothing is judged again (`assay check` does that).
#include <fmt/format.h>

#include <iostream>

#include "engine/core/error.h"
#include "engine/core/json_output.h"
#include "gates/cli/command.h"
#include "gates/cli/counted.h"
#include "gates/cli/percent.h"
#include "gates/cli/workspace.h"
#include "gates/guard_chain.h"
#include "gates/statistics/guards.h"
#include "gates/statistics/ledger.h"
#include "recorder/query.h"
#include "recorder/verdict_facts.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

struct Campaign {
  std::vector<LedgerRow> rows;  // attempts that took a look
  std::vector<int> numbers;     // of their experiments
  std::vector<std::string> verdicts;
  std::vector<GuardEffect> guards;  // of the LANDs in service
  std::vector<std::string> faults;
};

std::string verdict_of(const AttemptView& attempt) {
  if (!attempt.verdict) return "";
  const std::string& reason = attempt.verdict->reason;
  return attempt.verdict->verdict + (reason.empty() ? "" : "(" + reason + ")");
}

// The looks that were taken, as the ledger asks for them.
AbJudgement taken(const AttemptView& attempt) {
  AbJudgement judgement;
  for (const Look& look : attempt.looks) {
    LookRow row;
    row.stage = look.stage;
    row.pairs = look.pairs;
    judgement.looks.push_back(std::move(row));
    judgement.looked = judgement.looked || look.stage == "ab";
  }
  const bool landed = attempt.verdict && attempt.verdict->verdict == "LAND";
  judgement.action = landed ? AbAction::kLand : AbAction::kMorePairs;
  return judgement;
}

void add_attempt(const ExperimentLabel& label, const AttemptView& attempt, Campaign& campaign) {
  const AbJudgement judgement = taken(attempt);
  if (!judgement.looked) return;
  const std::string name = fmt::format("{} attempt {}", label.slug, attempt.opened.ordinal);
  try {
    const AbPlan plan = plan_of(attempt).get<AbPlan>();
    check_plan(plan);
    LedgerRow row = ledger_row(label.slug, attempt.opened.ordinal, plan, judgement);
    if (row.looks > row.planned) {
      campaign.faults.push_back(name + " took more looks than its plan has; it is left out");
      return;
    }
    campaign.rows.push_back(std::move(row));
    campaign.numbers.push_back(label.number);
    campaign.verdicts.push_back(verdict_of(attempt));
  } catch (const nlohmann::json::exception&) {
    campaign.faults.push_back(name + " has a plan of another form; it is left out");
  } catch (const Error& error) {
    campaign.faults.push_back(name + " has a plan that cannot be: " + error.what() +
                              "; it is left out");
  }
}

Campaign campaign_of(const Workspace& workspace) {
  Campaign campaign;
  for (const ExperimentLabel& label : workspace.store().experiments()) {
    const ExperimentView view = workspace.view(label);
    for (const AttemptView& attempt : view.attempts) {
      add_attempt(label, attempt, campaign);
      if (!view.applied) continue;
      const std::string device = workspace.frozen(label, view).scope.device;
      for (GuardEffect& effect : guards_of(label.slug, device, attempt)) {
        campaign.guards.push_back(std::move(effect));
      }
    }
  }
  return campaign;
}

void print_text(const Campaign& campaign, const Ledger& ledger,
                const std::vector<ChainLoss>& chain) {
  if (ledger.rows.empty()) return;
  std::vector<std::vector<std::string>> cells{
      {"experiment", "attempt", "looks", "alpha spent", "verdict"}};
  for (std::size_t i = 0; i < ledger.rows.size(); ++i) {
    const LedgerRow& row = ledger.rows[i];
    cells.push_back({fmt::format("{:04} {}", campaign.numbers[i], row.experiment),
                     std::to_string(row.attempt), fmt::format("{} of {}", row.looks, row.planned),
                     fmt::format("{:.5f}", row.alpha), campaign.verdicts[i]});
  }
  std::cout
      << format_cells(cells, TableFormat::kTable)
      << fmt::format(
             "\n{}, {}: alpha spent {:.4f}, expected false LANDs {:.4f}\n"
             "Both are those of levers worth exactly their bar. Most are worth less, so these "
             "bound the numbers from above.\n",
             counted(ledger.rows.size(), "attempt"),
             counted(static_cast<std::size_t>(ledger.lands), "LAND"), ledger.alpha,
             ledger.expected_false_lands);
  for (const ChainLoss& loss : chain) {
    const std::string bound =
        loss.upper == loss.loss ? "" : fmt::format(" (at most {})", signed_percent(loss.upper));
    std::cout << fmt::format("guard {}: effects of {} add up to {}{}{}\n",
                             visible_line(loss.workload),
                             counted(static_cast<std::size_t>(loss.records), "LAND"),
                             signed_percent(loss.loss), bound, loss.blocks ? ", beyond -1 %" : "");
  }
  std::cout << std::flush;
}

void print_json(const Campaign& campaign, const Ledger& ledger,
                const std::vector<ChainLoss>& chain) {
  nlohmann::json json = ledger;
  for (std::size_t i = 0; i < ledger.rows.size(); ++i) {
    json["rows"][i]["number"] = campaign.numbers[i];
    json["rows"][i]["verdict"] =
        campaign.verdicts[i].empty() ? nlohmann::json() : nlohmann::json(campaign.verdicts[i]);
  }
  json["guards"] = nlohmann::json::array();
  for (const ChainLoss& loss : chain) {
    json["guards"].push_back({{"workload", loss.workload},
                              {"records", loss.records},
                              {"loss", loss.loss},
                              {"upper", loss.upper},
                              {"beyond_limit", loss.blocks}});
  }
  std::cout << json_output(json) << std::endl;
}

int act(const CommonOptions& common) {
  const Workspace workspace(common, Access::kRead);
  const Campaign campaign = campaign_of(workspace);
  const Ledger ledger = add_up(campaign.rows);
  const std::vector<ChainLoss> chain = chain_losses(campaign.guards);
  for (const std::string& fault : campaign.faults) {
    std::cerr << "assay: ledger: " << visible_line(fault) << "\n";
  }
  if (ledger.rows.empty()) std::cerr << "assay: no attempt has taken a look yet\n";
  if (common.json) {
    print_json(campaign, ledger, chain);
  } else {
    print_text(campaign, ledger, chain);
  }
  if (!campaign.faults.empty()) return static_cast<int>(ErrorKind::kCheckFound);
  return workspace.exit_code();
}

}  // namespace

Action define_ledger(CLI::App&) {
  return [](const CommonOptions& common) { return act(common); };
}

}  // namespace assay
