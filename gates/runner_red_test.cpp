// Every way a candidate can be wrong: exit 10, a verdict with its reason, one attempt used, nothing
// timed.
#include <gtest/gtest.h>
#include <signal.h>

#include <regex>

#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kCandidate = SimulatedWorkspace::kCandidate;
const std::string kIncumbent = SimulatedWorkspace::kIncumbent;

struct Fault {
  std::string name;
  nlohmann::json properties;  // of the candidate
  std::string gate, reason;
  std::string sentence;  // a regular expression for all of it
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

TEST(RedParity, OfAnExactOpSaysHowManyValuesDiffer) {
  SimulatedWorkspace lab;
  lab.scenario["case_budget"] = 0;
  lab.save();
  lab.propose();
  lab.set(kCandidate, "case_value", 0.01);
  EXPECT_EQ(lab.run().exit_code, 10);
  EXPECT_EQ(lab.sentence("parity"),
            "rms_norm mild: no error is allowed here, and 1 of 8 values differ; value 4 is -0.49 "
            "instead of -0.5");
}

class RedCandidate : public testing::TestWithParam<Fault> {};

TEST_P(RedCandidate, UsesAnAttemptAndIsNeverTimed) {
  const Fault& fault = GetParam();
  SimulatedWorkspace lab;
  lab.propose();
  lab.options.stall_limit_s = fault.reason == "hang" ? 1 : 20;
  lab.scenario["variants"][kCandidate] = fault.properties;
  lab.save();
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.outcome, "red");
  const std::string sentence = lab.sentence(fault.gate);
  EXPECT_TRUE(std::regex_match(sentence, std::regex(fault.sentence))) << sentence;
  EXPECT_EQ(outcome.message, fault.gate + " is red" +
                                 (fault.reason == fault.gate ? "" : " (" + fault.reason + ")") +
                                 ": " + sentence + "; one attempt is left");
  Lines expected{"preflight green", "baseline green"};
  for (const char* gate : {"identity", "parity", "margin"}) {
    if (fault.gate == gate) break;
    expected.push_back(std::string(gate) + " green");
  }
  expected.push_back(fault.gate + " red(" + fault.reason + ")");
  expected.push_back("behaviour green");
  EXPECT_EQ(lab.gates(), expected);
  EXPECT_TRUE(lab.events(EventKind::kPlanFrozen).empty());
  EXPECT_TRUE(lab.events(EventKind::kSample).empty());
  const ExperimentView view = lab.view();
  EXPECT_EQ(view.state, ExperimentState::kOpen);
  ASSERT_EQ(view.used_attempts(), 1);
  ASSERT_TRUE(view.attempts[0].verdict);
  EXPECT_EQ(view.attempts[0].verdict->verdict, "REVERT");
  EXPECT_EQ(view.attempts[0].verdict->reason, fault.reason);
  EXPECT_TRUE(view.attempts[0].verdict->effect.is_null());
  EXPECT_EQ(view.runs.back().ended->exit_code, 10);
  EXPECT_EQ(recheck_verdicts(view), Lines{});
}

std::vector<Fault> faults() {
  const std::string id = "rms_norm\\.cpu\\.avx2\\[unroll=2\\]";
  return {
      {"TokenFork",
       {{"tokens", "x"}},
       "identity",
       "identity",
       R"(workload 0 \(prefill\): token 1 of 32 is \d+ instead of \d+)"},
      {"DigestOnly",
       {{"bits", "x"}},
       "identity",
       "identity",
       R"(workload 0 \(prefill\): logits of row 1 of 48 differ \(tokens are equal\))"},
      {"NotFinite",
       {{"nonfinite", 3}},
       "identity",
       "identity",
       R"(workload 0 \(prefill\): 3 values were not finite instead of 0 \(logits are equal\))"},
      {"NotFiniteWhenForced",
       {{"forced_nonfinite", 3}},
       "margin",
       "margin",
       R"(3 values were not finite instead of 0 \(forced steps\))"},
      {"Fallback",
       {{"falls_back_to", kIncumbent}},
       "identity",
       "not-live",
       R"(workload 0 \(prefill\): prefill: )" + id + " ran 0 times, planned 2"},
      {"ParityValue",
       {{"case_value", 0.01}},
       "parity",
       "parity",
       "rms_norm mild: error is 10 times its budget"},
      {"NotANumber",
       {{"case_value", "nan"}},
       "parity",
       "parity",
       "rms_norm mild: value 4 is nan instead of -0.5"},
      {"Guard",
       {{"guard", "overwritten"}},
       "parity",
       "parity",
       "rms_norm mild: wrote outside its output"},
      {"NotRepeatable",
       {{"repeats", "differ"}},
       "parity",
       "parity",
       "rms_norm mild: two launches gave different bits"},
      {"CaseBits",
       {{"case_bits", "x"}},
       "parity",
       "parity",
       R"(rms_norm outlier: bits differ from in-service rms_norm\.cpu\.avx2\[unroll=1\])"},
      {"Margin",
       {{"forced_argmax", "x"}},
       "margin",
       "margin",
       R"(argmax of row 97 differs, margin \d\.\d{4})"},
      {"CrashInWork",
       {{"end_in", "work"}, {"end_by", SIGSEGV}},
       "identity",
       "crash",
       R"(the candidate worker: signal 11 \(Segmentation fault\) in `work`)"},
      {"ExitInCases",
       {{"end_in", "kernel_cases"}, {"end_by", "exit"}},
       "parity",
       "crash",
       "the candidate worker: exit status 3 in `kernel_cases`"},
      {"CrashInLoad",
       {{"end_in", "load"}, {"end_by", SIGABRT}},
       "identity",
       "crash",
       R"(the candidate worker: signal 6 \(Aborted\) in `load`)"},
      {"RefusedInWork",
       {{"end_in", "work"}, {"end_by", "refuse"}},
       "identity",
       "crash",
       "the candidate worker: " + id + " refuses work"},
      {"FailedInWork",  // a kernel's fault, which the worker lives to tell
       {{"end_in", "work"}, {"end_by", "fail"}},
       "identity",
       "crash",
       "the candidate worker: " + id + " fails in work"},
      {"FailedInCases",
       {{"end_in", "kernel_cases"}, {"end_by", "fail"}},
       "parity",
       "crash",
       "the candidate worker: " + id + " fails in kernel_cases"},
      {"RefusedInLoad",
       {{"end_in", "load"}, {"end_by", "refuse"}},
       "identity",
       "crash",
       "the candidate worker: " + id + " refuses load"},
      {"HangInWork",
       {{"end_in", "work"}, {"end_by", "hang"}},
       "identity",
       "hang",
       R"(the candidate worker: no progress for 1 s in `work`)"},
      {"HangInCases",
       {{"end_in", "kernel_cases"}, {"end_by", "hang"}},
       "parity",
       "hang",
       R"(the candidate worker: no progress for 1 s in `kernel_cases`)"},
  };
}

INSTANTIATE_TEST_SUITE_P(All, RedCandidate, testing::ValuesIn(faults()),
                         [](const auto& fault) { return fault.param.name; });

TEST(RunnerRed, StaticallyReachingAnotherLauncherIsNotLive) {
  SimulatedWorkspace lab;
  lab.propose();
  for (ManifestVariant& variant : lab.manifest.variants) {
    if (variant.id == kCandidate) variant.reaches = {kIncumbent};
  }
  lab.save();
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.message, "identity is red (not-live): " + kCandidate +
                                 "'s code calls another variant's launch function; one attempt is "
                                 "left");
  EXPECT_EQ(lab.view().attempts.at(0).verdict->reason, "not-live");
}

TEST(RunnerRed, StandardErrorOfACrashIsKept) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.scenario["variants"][kCandidate] = {{"end_in", "work"}, {"end_by", SIGSEGV}};
  lab.save();
  lab.run();
  const ExperimentView view = lab.view();
  const nlohmann::json& values = view.runs.back().gates.at(2).result.values;
  EXPECT_EQ(values, nlohmann::json(
                        {{"fault", "crash"}, {"request", "work"}, {"stderr", "ending in work\n"}}));
}

TEST(RunnerRed, BehaviourCheckSaysThatTheEngineInServiceChanged) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.set(kCandidate, "bits", "x");
  lab.journal.on_event = [&](const Event& event) {
    if (event.kind == EventKind::kVerdict) lab.set(kIncumbent, "bits", "other");
  };
  EXPECT_EQ(lab.run().exit_code, 10);
  EXPECT_EQ(lab.gates().back(), "behaviour error");
  EXPECT_TRUE(std::regex_match(
      lab.sentence("behaviour"),
      std::regex("the baseline's stream digest is [0-9a-f]{12}, recorded earlier on this host as "
                 "[0-9a-f]{12}: the code or the model is not what it was")))
      << lab.sentence("behaviour");
}

}  // namespace
}  // namespace assay
