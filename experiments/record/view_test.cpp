// What events mean, and what holds for any order of them.
#include "experiments/record/view.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/core/error.h"
#include "experiments/record/log_for_tests.h"

namespace assay {
namespace {

// The admission's kind and ordinal, to compare both at once.
std::pair<Admission, int> asked(const Log& log, const std::string& fingerprint) {
  const AdmissionResult result = admit(log.view(), fingerprint);
  return {result.admission, result.ordinal};
}
using Answer = std::pair<Admission, int>;

TEST(Attempts, AnUnusedOneLeavesItsOrdinalToTheNextFingerprint) {
  Log log = proposed();
  log.start("F");
  log.sample(0);  // and killed
  EXPECT_EQ(log.start("G").ordinal, 1);
  log.verdict(1, "REVERT", "no-gain");
  log.end("reverted", 10);
  ExperimentView view = log.view();
  ASSERT_EQ(view.attempts.size(), 2u);
  EXPECT_EQ(view.attempts[0].opened.fingerprint, "G");  // the used one first
  EXPECT_EQ(view.attempts[0].opened.ordinal, 1);
  EXPECT_EQ(view.attempts[0].verdict->reason, "no-gain");
  EXPECT_FALSE(view.attempts[1].used);
  // F comes back as the second attempt, with the pair that it has.
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kResume, 2));
  log.revert("F", "slower");
  view = log.view();
  EXPECT_EQ(view.state, ExperimentState::kReverted);
  EXPECT_EQ(view.attempts[1].opened.fingerprint, "F");
  EXPECT_EQ(view.attempts[1].opened.ordinal, 2);
  EXPECT_EQ(view.attempts[1].samples.size(), 1u);
  EXPECT_EQ(view.attempts[1].runs, (std::vector<std::string>{"run2", "run4"}));
}

TEST(Attempts, AThirdFingerprintIsStoppedWhileTheSecondHasNoVerdict) {
  Log log = proposed();
  log.revert("F", "parity");
  log.start("G");
  log.look(8);
  log.end("inconclusive", 12);
  EXPECT_EQ(log.view().state, ExperimentState::kOpen);
  EXPECT_EQ(asked(log, "H"), Answer(Admission::kStopped, 0));
  EXPECT_EQ(admit(log.view(), "H").why,
            "both attempts of my-lever are used (attempt 1: REVERT parity; attempt 2: no verdict): "
            "only their own code may go on");
  EXPECT_EQ(asked(log, "G"), Answer(Admission::kResume, 2));
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kRedAgain, 1));
}

TEST(Attempts, ARunMayGiveUpAnOlderAttempt) {
  Log log = proposed();
  log.start("F");
  log.look(8);
  log.end("inconclusive", 12);
  log.start("G");
  log.verdict(1, "REVERT", "unproven");  // F's environment is gone
  const ExperimentView view = log.view();
  EXPECT_EQ(view.attempts[0].verdict->reason, "unproven");
  EXPECT_FALSE(view.attempts[1].verdict.has_value());
  EXPECT_EQ(view.state, ExperimentState::kOpen);
}

TEST(Attempts, TwoMachinesFirstAttemptsAreTwoOnceMerged) {
  Log log = proposed();
  for (const char* fingerprint : {"F", "G"}) {  // both recorded as attempt 1
    log.open("run");
    AttemptOpened opened;
    opened.ordinal = 1;
    opened.fingerprint = fingerprint;
    log.add(EventKind::kAttemptOpened, opened);
    log.verdict(1, "REVERT", "identity");
    log.end("reverted", 10);
  }
  const ExperimentView view = log.view();
  ASSERT_EQ(view.attempts.size(), 2u);
  EXPECT_EQ(view.attempts[1].opened.fingerprint, "G");
  EXPECT_EQ(view.attempts[1].opened.ordinal, 2);
  EXPECT_EQ(view.state, ExperimentState::kReverted);
}

TEST(Proposals, BeforeTheFirstUseTheyReplaceEachOther) {
  Log log = proposed();
  log.start("F");
  log.sample(0);  // killed
  log.propose("bar: 1%\n");
  EXPECT_EQ(log.view().proposal.definition, "bar: 1%\n");
  EXPECT_TRUE(log.view().attempts.empty());  // the pair answered another question
  EXPECT_EQ(log.view().runs.size(), 3u);
}

TEST(Proposals, TheSameTextAgainKeepsWhatWasMeasured) {
  Log log = proposed();
  log.start("F");
  log.sample(0);
  log.propose("bar: 5%\n");
  ASSERT_EQ(log.view().attempts.size(), 1u);
  EXPECT_EQ(log.view().attempts[0].samples.size(), 1u);
}

TEST(Proposals, AfterTheFirstUseTheDefinitionIsFrozen) {
  Log log = proposed();
  EXPECT_EQ(refuse_edit(log.view(), "bar: 1%\n"), std::nullopt);
  Log measured = proposed();
  measured.start("F");
  EXPECT_EQ(refuse_edit(measured.view(), "bar: 1%\n"), std::nullopt);
  measured.sample(0);
  EXPECT_EQ(measured.view().measured_pairs(), 1);
  EXPECT_TRUE(refuse_edit(measured.view(), "bar: 1%\n").has_value());
  log.revert("F", "identity");
  EXPECT_EQ(refuse_edit(log.view(), "bar: 5%\n"), std::nullopt);
  EXPECT_EQ(refuse_edit(log.view(), "bar: 1%\n"),
            "the definition of my-lever is frozen (open) and cannot be edited; put it back, or "
            "propose a new experiment that names this one in `derived_from`:\n"
            "--- frozen\n+++ proposed now\n@@ -1 +1 @@\n-bar: 5%\n+bar: 1%\n");
  log.propose("bar: 1%\n");  // forced into the log all the same
  EXPECT_EQ(log.view().proposal.definition, "bar: 5%\n");
}

TEST(Fold, ADamagedBodyIsNamed) {
  Log log = proposed();
  log.events[1].body["definition"] = 7;
  try {
    log.view();
    FAIL() << "folded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCheckFound);
    EXPECT_EQ(std::string(error.what()).rfind("event 1 (proposed) of run run1 is damaged: ", 0),
              0u);
  }
}

TEST(Fold, AVerdictWithoutAnAttemptIsDamage) {
  Log log = proposed();
  log.open("run");
  log.verdict(1, "LAND", "");
  try {
    log.view();
    FAIL() << "folded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCheckFound);
    EXPECT_STREQ(error.what(),
                 "run run2 has a verdict on attempt 1, which was never opened: the history is "
                 "damaged");
  }
}

// One random step of a runner that obeys `admit`.
void random_step(Log& log, std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  constexpr const char* kReasons[] = {"identity", "crash", "slower", "no-gain", "unproven"};
  const std::string fingerprint(1, static_cast<char>('F' + pick(5)));
  if (pick(12) == 0) log.propose("bar: " + std::to_string(pick(3)) + "%\n");
  const Admission admission = admit(log.view(), fingerprint).admission;
  const bool runs = admission == Admission::kNew || admission == Admission::kResume ||
                    admission == Admission::kRedAgain;
  if (!runs) return;
  const int ordinal = log.start(fingerprint).ordinal;
  for (int i = pick(4); i > 0; --i) log.sample(i);
  if (pick(3) == 0) log.look(8);
  if (pick(3) == 0)
    log.verdict(ordinal, "REVERT", kReasons[pick(5)]);
  else if (pick(12) == 0)
    log.verdict(ordinal, "LAND", "");
  if (pick(4) != 0) log.end("inconclusive", 12);
}

TEST(Fold, WhoeverObeysAdmitNeverUsesAThirdAttempt) {
  int reverted = 0;
  int landed = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Log log = proposed();
    for (int step = 0; step < 20; ++step) random_step(log, random);
    const ExperimentView view = log.view();
    ASSERT_LE(view.used_attempts(), 2) << "seed " << seed;
    reverted += view.state == ExperimentState::kReverted ? 1 : 0;
    landed += view.state == ExperimentState::kLanded ? 1 : 0;
  }
  EXPECT_GT(reverted, 20);  // the walks do reach the ends
  EXPECT_GT(landed, 20);
}

// What a prefix has settled, no later event changes.
TEST(Fold, IsPrefixStable) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    Log log = proposed();
    for (int step = 0; step < 12; ++step) random_step(log, random);
    ExperimentView before = fold({});
    for (std::size_t n = 1; n <= log.events.size(); ++n) {
      const ExperimentView now = fold(std::span(log.events).first(n));
      ASSERT_GE(now.used_attempts(), before.used_attempts());
      for (int i = 0; i < before.used_attempts(); ++i) {
        const AttemptView& old = before.attempts[static_cast<std::size_t>(i)];
        const AttemptView& same = now.attempts[static_cast<std::size_t>(i)];
        ASSERT_EQ(same.opened.fingerprint, old.opened.fingerprint);
        ASSERT_EQ(same.opened.ordinal, i + 1);
        ASSERT_GE(same.samples.size(), old.samples.size());
        ASSERT_GE(same.looks.size(), old.looks.size());
        if (old.verdict) {
          ASSERT_EQ(nlohmann::json(*same.verdict), nlohmann::json(*old.verdict));
        }
      }
      if (before.used_attempts() > 0) {
        ASSERT_EQ(now.proposal.definition, before.proposal.definition);
      }
      const bool final =
          before.state == ExperimentState::kLanded || before.state == ExperimentState::kReverted;
      if (final) {
        ASSERT_EQ(now.state, before.state);
      }
      before = now;
    }
  }
}

}  // namespace
}  // namespace assay
