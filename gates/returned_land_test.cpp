// A LAND that comes home: its row is set where its baseline still serves, and nowhere else.
#include "gates/returned_land.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "experiments/service_map.h"
#include "gates/landing.h"
#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kIncumbent = SimulatedWorkspace::kIncumbent;
const std::string kCandidate = SimulatedWorkspace::kCandidate;

// A workspace where `unroll-two` has landed, by a run with timed samples.
class ReturnedLandTest : public testing::Test {
 protected:
  ReturnedLandTest() {
    before = lab.service_map();
    lab.propose();
    lab.calibrated();
    lab.set(kCandidate, "factor", 0.9);
    EXPECT_EQ(lab.run().exit_code, 0);
  }
  void apply() { apply_intent(open_intents(lab.journal).at(0), lab.path(), lab.journal); }
  Lines runs() const { return {lab.view().judged()->verdict_run}; }
  LandClaim land() const { return returned_land(lab.view(), runs()).value(); }
  // The map as it was, with another row for the norm.
  std::string served_by(const std::string& variant, const std::string& by) const {
    ServiceMap map = parse_service_map(before, "map");
    MapRow& row = map.devices.at("cpu-avx2").at("rms_norm").at(0);
    row.row.variant = variant;
    row.by = by;
    return emit(map);
  }
  std::string refusal(const std::string& text) const {
    Lines changes;
    try {
      with_returned_land(text, land(), {}, changes);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_TRUE(changes.empty());
      return error.what();
    }
    return "made";
  }

  SimulatedWorkspace lab;
  std::string before;
};

TEST_F(ReturnedLandTest, MakesTheEditThatRunMade) {
  apply();
  Lines changes;
  EXPECT_EQ(with_returned_land(before, land(), {}, changes), lab.service_map());
  EXPECT_EQ(changes, Lines{"experiments/in_service.yaml: rms_norm on cpu-avx2 is served by " +
                           kCandidate + " now, by unroll-two"});
}

TEST_F(ReturnedLandTest, KeepsWhatElseChangedHere) {
  apply();
  const std::string rope = "rope.cpu.portable";
  std::string here = before;
  here.replace(here.find("rope.cpu.avx2"), 13, rope);
  Lines changes;
  const ServiceMap after = parse_service_map(with_returned_land(here, land(), {}, changes), "map");
  EXPECT_EQ(after.devices.at("cpu-avx2").at("rms_norm").at(0).row.variant, kCandidate);
  EXPECT_EQ(after.devices.at("cpu-avx2").at("rope").at(0).row.variant, rope);
}

TEST_F(ReturnedLandTest, AMapThatHasTheRowIsLeftByteForByte) {
  apply();
  const std::string here = "# by hand\n" + lab.service_map();
  Lines changes;
  EXPECT_EQ(with_returned_land(here, land(), {}, changes), here);
  EXPECT_TRUE(changes.empty());
}

TEST_F(ReturnedLandTest, AnotherVariantInItsPlaceIsRefused) {
  apply();
  EXPECT_EQ(refusal(served_by("rms_norm.cpu.portable", "hand-made")),
            "experiments/in_service.yaml: unroll-two landed " + kCandidate + " in place of " +
                kIncumbent +
                ", but here rms_norm on cpu-avx2 is served by rms_norm.cpu.portable (by "
                "hand-made), against which it was not measured: put " +
                kIncumbent +
                " back into that row and import again, then let the two compete in an experiment "
                "of their own");
}

TEST_F(ReturnedLandTest, ARowThatALaterLandHasAlreadyStays) {
  apply();
  const std::string here = served_by("rms_norm.cpu.portable", "later-one");
  LandClaim later = land();
  later.slug = "later-one";
  later.rows.at(0).candidate = "rms_norm.cpu.portable";
  Lines changes;
  EXPECT_THROW(with_returned_land(here, land(), {later}, changes), Error) << "not later";
  later.at = "9999";
  EXPECT_EQ(with_returned_land(here, land(), {later}, changes), here);
  EXPECT_TRUE(changes.empty());
}

TEST_F(ReturnedLandTest, AMapWithoutTheRowIsRefused) {
  apply();
  ServiceMap map = parse_service_map(before, "map");
  map.devices.at("cpu-avx2").erase("rms_norm");
  EXPECT_EQ(refusal(emit(map)),
            "experiments/in_service.yaml: unroll-two landed " + kCandidate +
                ", but here is no row for rms_norm on cpu-avx2: write it by hand with " +
                kIncumbent + ", then import again");
}

TEST_F(ReturnedLandTest, OnlyAmongTheRunsThatCameIn) {
  apply();
  EXPECT_FALSE(returned_land(lab.view(), {"another run"}));
}

TEST_F(ReturnedLandTest, NotWhereTheFileWasKeptAsItWas) {
  write_whole(lab.service_path(), before + "# edited\n");
  settle_intent(open_intents(lab.journal).at(0), lab.path(), lab.journal, true);
  EXPECT_FALSE(returned_land(lab.view(), runs()));
}

TEST_F(ReturnedLandTest, WhereTheRowWasPutInByHand) {
  write_whole(lab.service_path(), before + "# edited\n");
  settle_intent(open_intents(lab.journal).at(0), lab.path(), lab.journal, false);
  EXPECT_EQ(land().rows.at(0).incumbent, kIncumbent);
}

TEST_F(ReturnedLandTest, AVerdictThatItsSamplesDoNotGiveChangesNothing) {
  apply();
  ExperimentView view = lab.view();
  for (AttemptView& attempt : view.attempts) {
    for (PairSample& sample : attempt.samples) sample.worker_ns.assign(8, 100000);
  }
  try {
    returned_land(view, runs());
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("unroll-two: its LAND does not follow from its samples ("))
        << error.what();
  }
}

}  // namespace
}  // namespace assay
