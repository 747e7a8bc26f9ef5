// assay ledger: whole texts over a history with two LANDs, a REVERT and an attempt that goes on.
#include <gtest/gtest.h>

#include "gates/cli/driven_program.h"
#include "gates/statistics/plan.h"

namespace assay {
namespace {

using Json = nlohmann::json;

struct Played {
  std::string slug;
  int looks = 1;
  std::string verdict = "";
  std::string reason = "";
  std::vector<double> guards = {};  // effects of the only guard, look by look
};

// A run with this many looks of a plan of 16 pairs and one guard, and its verdict.
void play(Store& store, const Played& played) {
  play_proposal(store, played.slug, definition_text(played.slug));
  AdmissionResult admitted;
  const std::string run = open_attempt_run(store, played.slug, "f-" + played.slug, &admitted);
  AbPlan plan = make_plan(0.05, 16, 0.05);
  plan.guards.push_back({{{"describe", "embedded decode depth=8 steps=8 threads=1"}}, {}});
  store.append(run, EventKind::kPlanFrozen, {{"plan", plan}, {"aa", Json::array()}});
  for (int i = 0; i < played.looks; ++i) {
    const int pairs = plan.looks[static_cast<std::size_t>(i)].pairs;
    store.append(run, EventKind::kLook, Look{"ab", pairs, {{"estimate", 0.1}}});
  }
  for (const double effect : played.guards) {
    store.append(run, EventKind::kLook, Look{"guard:0", 8, {{"estimate", effect}}});
  }
  if (played.verdict.empty()) {
    store.end_run(run, {"inconclusive", 12, "stopped before a verdict"});
    return;
  }
  VerdictBody verdict;
  verdict.attempt = admitted.ordinal;
  verdict.verdict = played.verdict;
  verdict.reason = played.reason;
  const bool land = played.verdict == "LAND";
  if (land) verdict.intents = {{"experiments/in_service.yaml", "00", "version: 1\n"}};
  store.append(run, EventKind::kVerdict, verdict);
  if (land) {
    store.append(run, EventKind::kApplied, Applied{"experiments/in_service.yaml", "11"});
  }
  store.end_run(run, {land ? "landed" : "red", land ? 0 : 10, played.verdict});
}

class Ledgers : public ::testing::Test {
 protected:
  TestWorkspace workspace;
};

TEST_F(Ledgers, AddUpWhatTheLooksSpentAndTheGuardsLost) {
  {
    Store store(workspace.database());
    play(store, {"first", 1, "LAND", "", {-0.02, -0.006}});  // the look that crossed last
    play(store, {"second", 3, "REVERT", "unproven"});
    play_proposal(store, "asked", definition_text("asked"));
    play_red_run(store, "asked", "f1");
    play(store, {"third", 2, "LAND", "", {-0.005}});
    play(store, {"fourth", 1});
  }
  const Finished done = workspace.assay({"ledger"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, R"(experiment   attempt  looks   alpha spent  verdict
0001 first   1        1 of 3  0.00041      LAND
0002 second  1        3 of 3  0.01250      REVERT(unproven)
0004 third   1        2 of 3  0.00393      LAND
0005 fourth  1        1 of 3  0.00041

4 attempts, 2 LANDs: alpha spent 0.0172, expected false LANDs 0.0086
Both are those of levers worth exactly their bar. Most are worth less, so these bound the numbers from above.
guard embedded decode depth=8 steps=8 threads=1: effects of 2 LANDs add up to -1.10 %, beyond -1 %
)");
  const Json json = Json::parse(workspace.assay({"ledger", "--json"}).out);
  EXPECT_EQ(json.at("lands"), 2);
  EXPECT_NEAR(json.at("alpha"), 0.0172, 1e-4);
  EXPECT_EQ(json.at("expected_false_lands").get<double>(), json.at("alpha").get<double>() / 2);
  ASSERT_EQ(json.at("rows").size(), 4u);
  Json row = json.at("rows").at(1);
  EXPECT_NEAR(row.at("alpha"), 0.0125, 1e-6);
  row.erase("alpha");
  EXPECT_EQ(
      row.dump(),
      R"json({"attempt":1,"experiment":"second","landed":false,"looks":3,"number":2,"planned":3,"verdict":"REVERT(unproven)"})json");
  EXPECT_EQ(json.at("rows").at(3).at("verdict"), nullptr);
  EXPECT_EQ(json.at("guards").at(0).at("records"), 2);
  EXPECT_NEAR(json.at("guards").at(0).at("loss"), 0.994 * 0.995 - 1, 1e-9);
  EXPECT_EQ(json.at("guards").at(0).at("upper"), json.at("guards").at(0).at("loss"));
  EXPECT_EQ(json.at("guards").at(0).at("beyond_limit"), true);
}

TEST_F(Ledgers, GainsOfGuardsDoNotPayForLosses) {
  {
    Store store(workspace.database());
    play(store, {"first", 1, "LAND", "", {-0.006}});
    play(store, {"second", 1, "LAND", "", {0.02}});
    play(store, {"third", 1, "REVERT", "unproven", {-0.2}});
  }
  const Finished done = workspace.assay({"ledger"});
  EXPECT_TRUE(
      done.out.ends_with("bound the numbers from above.\nguard embedded decode depth=8 "
                         "steps=8 threads=1: effects of 2 LANDs add up to "
                         "-0.60 %\n"))
      << done.out;
}

TEST_F(Ledgers, OfNothingSaysSo) {
  workspace.assay({"query"});  // tidies up
  const Finished done = workspace.assay({"ledger"});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.err, "assay: no attempt has taken a look yet\n");
  EXPECT_EQ(Json::parse(workspace.assay({"ledger", "--json"}).out).dump(),
            R"({"alpha":0.0,"expected_false_lands":0.0,"guards":[],"lands":0,"rows":[]})");
}

TEST_F(Ledgers, APlanOfAnotherFormIsToldAndLeftOut) {
  {
    Store store(workspace.database());
    play(store, {"first", 1, "REVERT", "no-gain"});
    play_proposal(store, "strange", definition_text("strange"));
    play_timed_run(store, "strange", "f2", {});
  }
  const Finished done = workspace.assay({"ledger"});
  EXPECT_EQ(done.code, 3);
  EXPECT_TRUE(done.err.ends_with(
      "assay: ledger: strange attempt 1 has a plan of another form; it is left out\n"))
      << done.err;
  EXPECT_EQ(done.out, R"(experiment  attempt  looks   alpha spent  verdict
0001 first  1        1 of 3  0.00041      REVERT(no-gain)

1 attempt, 0 LANDs: alpha spent 0.0004, expected false LANDs 0.0002
Both are those of levers worth exactly their bar. Most are worth less, so these bound the numbers from above.
)");
}

}  // namespace
}  // namespace assay
