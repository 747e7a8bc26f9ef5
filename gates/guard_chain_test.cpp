// The chain of LANDs: what their guards lost is frozen with the plan of the next experiment, and
// may refuse it.
#include "gates/guard_chain.h"

#include <gtest/gtest.h>

#include <regex>

#include "gates/gate_ab.h"
#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
constexpr const char* kGuard = "embedded decode depth=8 steps=8 threads=1";

class GuardChain : public testing::Test {
 protected:
  GuardChain() {
    lab.redefine("guards: []",
                 "guards: [{model: embedded, phase: decode, depth: 8, steps: 8, threads: 1}]");
    lab.redefine("bar: 5%", "bar: 5%\nguard_margin: 2%");
  }
  // An older experiment whose guard came out at `effects`, look by look.
  void older(const std::string& verdict, const std::vector<double>& effects) {
    std::string text = lab.definition_text;
    text.replace(0, text.find('\n'), "slug: older");
    MemoryJournal& journal = lab.journal;
    std::string run = journal.open_run("older", {"propose", "assay propose", nullptr});
    journal.append(run, EventKind::kProposed, Proposed{text, "", nullptr});
    journal.end_run(run, {"proposed", 0, ""});
    run = journal.open_run("older", {"run", "assay run", nullptr});
    AttemptOpened opened;
    opened.fingerprint = "older";
    opened.candidate = {{"rms_norm", "older"}};
    journal.open_attempt(run, opened, {});
    AbPlan plan = make_plan(0.05, 16, 0.02);
    plan.guards.push_back({{{"describe", kGuard}}, {}});
    journal.append(run, EventKind::kPlanFrozen, {{"plan", plan}, {"aa", nlohmann::json::array()}});
    for (const double effect : effects) {
      journal.append(run, EventKind::kLook,
                     Look{"guard:0", 8, {{"estimate", effect}, {"error", 0.001}}});
    }
    VerdictBody body;
    body.attempt = 1;
    body.verdict = verdict;
    body.reason = verdict == "LAND" ? "" : "guard";
    journal.append(run, EventKind::kVerdict, body);
    if (verdict == "LAND") journal.append(run, EventKind::kApplied, Applied{"map", "11"});
    journal.end_run(run, {"ended", 0, ""});
  }
  RunOutcome run(double guard_factor) {
    lab.propose();
    lab.calibrated(0.0005);
    lab.set(SimulatedWorkspace::kCandidate, "factor", 0.9);
    lab.set(SimulatedWorkspace::kCandidate, "decode_factor", guard_factor);
    return lab.run();
  }
  std::vector<GuardEffect> frozen() const {
    return lab.view().attempts.at(0).plan->at("plan").get<AbPlan>().guards.at(0).chain;
  }
  SimulatedWorkspace lab;
};

TEST_F(GuardChain, IsWhatLandedAndItsLastLooks) {
  older("LAND", {-0.02, -0.008});
  const std::vector<GuardEffect> landed = landed_guards(lab.journal);
  ASSERT_EQ(landed.size(), 1U);
  EXPECT_EQ(landed[0].experiment, "older");
  EXPECT_EQ(landed[0].workload, std::string(kGuard) + " on cpu-avx2");
  EXPECT_EQ(landed[0].effect, -0.008);
  EXPECT_EQ(landed[0].error, 0.001);
}

TEST_F(GuardChain, KnowsNoReverts) {
  older("REVERT", {-0.5});
  EXPECT_TRUE(landed_guards(lab.journal).empty());
}

TEST_F(GuardChain, RefusesAGuardThatLosesTheRest) {
  older("LAND", {-0.008});
  const RunOutcome outcome = run(1.005);
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_TRUE(std::regex_match(
      outcome.message,
      std::regex("REVERT\\(guard\\): guard 0 loses -0\\.\\d\\d %: with the 1 LAND in service it "
                 "adds up to -1\\.\\d\\d % \\(at most -1\\.\\d\\d %\\), and the limit is -1\\.00 "
                 "%; one attempt is left")))
      << outcome.message;
  ASSERT_EQ(frozen().size(), 1U);
  EXPECT_EQ(frozen()[0].experiment, "older");
  EXPECT_EQ(recheck_verdicts(lab.view()), Lines{});
}

TEST_F(GuardChain, LetsALossPassWhereNothingWasLostBefore) {
  older("REVERT", {-0.5});
  EXPECT_EQ(run(1.005).exit_code, 0);
  EXPECT_TRUE(frozen().empty());
}

TEST_F(GuardChain, LetsAGuardPassThatLosesNothing) {
  older("LAND", {-0.015});
  EXPECT_EQ(run(0.99).exit_code, 0);
}

}  // namespace
}  // namespace assay
