// `check` computes verdicts again: an untouched history agrees with itself to the digit, and a
// changed sample, verdict or gate is found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gates/runner.h"
#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kCandidate = SimulatedWorkspace::kCandidate;

class Recheck : public testing::Test {
 protected:
  void judge(double factor) {
    lab.propose();
    lab.calibrated();
    lab.set(kCandidate, "factor", factor);
    lab.run();
    EXPECT_EQ(recheck_verdicts(lab.view()), Lines{});
  }
  // The body of the n-th event of a kind, to be altered.
  nlohmann::json& body(EventKind kind, int n = 0) {
    for (Event& event : lab.journal.log) {
      if (event.kind == kind && !event.slug.empty() && n-- == 0) return event.body;
    }
    throw Error(ErrorKind::kInternal, "no such event in the log of the test");
  }
  void expect_found(const std::string& part) {
    const Lines lines = recheck_verdicts(lab.view());
    ASSERT_FALSE(lines.empty()) << "nothing found; expected: " << part;
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    EXPECT_NE(all.find(part), std::string::npos) << all;
  }
  SimulatedWorkspace lab;
};

TEST_F(Recheck, AlteredSample) {
  judge(0.9);
  body(EventKind::kSample, 3).at("worker_ns").at(2) =
      body(EventKind::kSample, 3).at("worker_ns").at(2).get<std::int64_t>() + 1000;
  expect_found("unroll-two attempt 1: effect.estimate is ");
}

TEST_F(Recheck, AlteredConfirmationSample) {
  judge(0.9);
  body(EventKind::kSample, 12).at("worker_ns").at(0) = 1;
  expect_found("unroll-two attempt 1: effect.confirmation.");
}

TEST_F(Recheck, SampleThatIsGone) {
  judge(0.9);
  std::erase_if(lab.journal.log, [](const Event& event) {
    return event.kind == EventKind::kSample && event.body.at("ordinal") == 7 &&
           event.body.at("stage") == "confirmation";
  });
  expect_found("unroll-two attempt 1: verdict is LAND(), computed again more pairs()");
}

TEST_F(Recheck, VerdictTurnedIntoALand) {
  judge(1.0);
  body(EventKind::kVerdict).at("verdict") = "LAND";
  body(EventKind::kVerdict).at("reason") = "";
  expect_found("unroll-two attempt 1: verdict is LAND(), computed again REVERT(no-gain)");
}

TEST_F(Recheck, VerdictTurnedIntoARevert) {
  judge(0.9);
  body(EventKind::kVerdict).at("verdict") = "REVERT";
  body(EventKind::kVerdict).at("reason") = "no-gain";
  expect_found("unroll-two attempt 1: verdict is REVERT(no-gain), computed again LAND()");
}

TEST_F(Recheck, AlteredEffect) {
  judge(1.1);
  body(EventKind::kVerdict).at("effect").at("estimate") = 0.2;
  expect_found("unroll-two attempt 1: effect.estimate is 0.2, computed again -0.0");
}

TEST_F(Recheck, EffectWithAFigureLess) {
  judge(1.1);
  body(EventKind::kVerdict).at("effect").erase("low");
  expect_found("unroll-two attempt 1: effect.low is ");
}

TEST_F(Recheck, AlteredTag) {
  judge(0.9);
  bool was = false;  // one in a thousand is tagged by chance
  for (Event& event : lab.journal.log) {
    if (event.kind != EventKind::kGateResult || event.body.at("gate") != "ab") continue;
    nlohmann::json& tagged = event.body.at("values").at("carry_over").at("tagged");
    was = tagged.get<bool>();
    tagged = !was;
  }
  expect_found(
      fmt::format("unroll-two attempt 1: carry_over.tagged is {}, computed again {}", !was, was));
}

TEST_F(Recheck, ARecordWithoutTagsHasNoneToCompare) {
  judge(0.9);
  for (Event& event : lab.journal.log) {
    if (event.kind != EventKind::kGateResult || event.body.at("gate") != "ab") continue;
    event.body.at("values").erase("carry_over");
  }
  EXPECT_EQ(recheck_verdicts(lab.view()), Lines{});
}

TEST_F(Recheck, AlteredPlan) {
  judge(0.9);
  body(EventKind::kPlanFrozen).at("plan").at("bar") = 0.2;
  expect_found("unroll-two attempt 1: verdict is LAND(), computed again ");
}

TEST_F(Recheck, EffectErasedFromAnUnprovenVerdict) {
  judge(1 / 1.05);
  body(EventKind::kVerdict).at("effect") = nullptr;
  expect_found("unroll-two attempt 1: effect is null, computed again ");
}

TEST_F(Recheck, RedVerdictWithoutItsGate) {
  lab.propose();
  lab.set(kCandidate, "bits", "x");
  lab.run();
  EXPECT_EQ(recheck_verdicts(lab.view()), Lines{});
  body(EventKind::kVerdict).at("reason") = "parity";
  expect_found("unroll-two attempt 1: REVERT(parity) without a red gate for it");
}

TEST_F(Recheck, RedVerdictTurnedIntoALand) {
  lab.propose();
  lab.set(kCandidate, "bits", "x");
  lab.run();
  body(EventKind::kVerdict).at("verdict") = "LAND";
  expect_found("unroll-two attempt 1: verdict is LAND(identity): a red gate cannot give that");
}

}  // namespace
}  // namespace assay
