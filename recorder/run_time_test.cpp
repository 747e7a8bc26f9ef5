#include "recorder/run_time.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

GateInRun gate(const std::string& name, double seconds, const nlohmann::json& values = nullptr) {
  GateInRun gate;
  gate.result.gate = name;
  gate.result.seconds = seconds;
  gate.result.values = values;
  return gate;
}

RunView run_of_minutes() {
  RunView run;
  run.opened_at = "2026-11-30T10:00:00.000Z";
  run.ended_at = "2026-11-30T10:01:18.400Z";
  run.ended = RunEnded{"landed", 0, ""};
  run.gates = {gate("preflight", 0.1), gate("baseline", 12),
               gate("ab", 60,
                    {{"spent",
                      {{"history_s", 0.0},
                       {"launch_s", 3.1},
                       {"warm_up_s", 9.6},
                       {"filler_s", 4.0},
                       {"measure_s", 40.0}}}})};
  return run;
}

TEST(RunTime, IsDividedAsTheRecordSays) {
  EXPECT_EQ(run_time_text(run_time(run_of_minutes())),
            "78.4 s: gates 12.1, A/B 60.0 (launching 3.1, warming up 9.6, fillers 4.0, measuring "
            "40.0, the rest 3.3), the rest 6.3");
  const nlohmann::json json = run_time_json(run_time(run_of_minutes()));
  EXPECT_NEAR(json.at("parts").at("rest_s").get<double>(), 3.3, 1e-9);
  EXPECT_EQ(json.at("whole_s"), 78.4);
}

TEST(RunTime, NamesTheHistoryThatWasMeasuredFirst) {
  RunView run = run_of_minutes();
  run.gates[2].result.values["spent"]["history_s"] = 2.5;
  EXPECT_EQ(run_time_text(run_time(run)),
            "78.4 s: gates 12.1, A/B 60.0 (A/A history 2.5, launching 3.1, warming up 9.6, fillers "
            "4.0, measuring 40.0, the rest 0.8), the rest 6.3");
}

TEST(RunTime, OfAnOlderRecordIsWhatItHolds) {
  RunView run = run_of_minutes();
  run.gates[2].result.values = nullptr;
  EXPECT_EQ(run_time_text(run_time(run)),
            "78.4 s: gates 12.1, A/B 60.0 (its parts are not recorded), the rest 6.3");
  EXPECT_EQ(run_time_json(run_time(run)).at("parts"), nullptr);
}

TEST(RunTime, OfAKilledRunHasNoWhole) {
  RunView run = run_of_minutes();
  run.ended.reset();
  run.gates.pop_back();
  EXPECT_EQ(run_time_text(run_time(run)), "gates 12.1 s, and it has no end");
  EXPECT_EQ(run_time_json(run_time(run)).dump(),
            R"({"ab_s":null,"gates_s":12.1,"parts":null,"whole_s":null})");
}

}  // namespace
}  // namespace assay
