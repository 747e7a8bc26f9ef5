// What a LAND may touch, and what of it the map must show.
#include "gates/land_claim.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "gates/landing.h"
#include "gates/served_rows.h"
#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kIncumbent = SimulatedWorkspace::kIncumbent;
const std::string kCandidate = SimulatedWorkspace::kCandidate;
const std::string kMap = "experiments/in_service.yaml";

class LandClaimTest : public testing::Test {
 protected:
  LandClaimTest() {
    before = lab.service_map();
    lab.propose();
    lab.calibrated();
    lab.set(kCandidate, "factor", 0.9);
    EXPECT_EQ(lab.run().exit_code, 0);
    apply_intent(open_intents(lab.journal).at(0), lab.path(), lab.journal);
    view = lab.view();
  }
  AttemptOpened& attempt() { return view.attempts.at(0).opened; }
  Intent& intent() { return view.attempts.at(0).verdict->intents.at(0); }
  std::string refusal() const {
    try {
      land_claim(view);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "may";
  }
  Lines checked(const std::string& map, const std::vector<ExperimentView>& views) const {
    const Lines maps{kMap};
    return check_served_rows(views, maps, [&](const std::string&) { return std::optional(map); });
  }
  Lines checked(const std::string& map) const { return checked(map, {view}); }

  SimulatedWorkspace lab;
  std::string before;
  ExperimentView view;
};

TEST_F(LandClaimTest, IsTheRowThatRunChanged) {
  const LandClaim claim = land_claim(view);
  ASSERT_EQ(claim.rows.size(), 1U);
  EXPECT_EQ(claim.rows[0].device_key, "cpu-avx2");
  EXPECT_EQ(claim.rows[0].incumbent, kIncumbent);
  EXPECT_EQ(claim.rows[0].candidate, kCandidate);
  EXPECT_EQ(emit(with_claim(parse_service_map(before, "map"), claim)), lab.service_map());
}

TEST_F(LandClaimTest, AnotherOpThanTheDefinitionAsksFor) {
  attempt().candidate = {{"rope", "rope.cpu.portable"}};
  EXPECT_EQ(refusal(),
            "unroll-two: its LAND serves rope with rope.cpu.portable, and its definition asks for "
            "rms_norm (lever rms_norm.unroll)");
  attempt().candidate = {};
  EXPECT_EQ(refusal(), "unroll-two: its LAND leaves out rms_norm, for which its definition asks");
}

TEST_F(LandClaimTest, AVariantThatIsNoPointOfTheLever) {
  attempt().candidate = {{"rms_norm", "rms_norm.cpu.portable"}};
  EXPECT_EQ(refusal(),
            "unroll-two: its LAND serves rms_norm with rms_norm.cpu.portable, which is no point of "
            "its lever rms_norm.unroll");
}

TEST_F(LandClaimTest, AnotherMapOrNone) {
  intent().path = "experiments/seeds.yaml";
  EXPECT_EQ(refusal(),
            "unroll-two: its LAND changed experiments/seeds.yaml, and its definition names "
            "in_service.yaml");
  view.attempts.at(0).verdict->intents.clear();
  EXPECT_EQ(refusal(), "unroll-two: its LAND names 0 changes of a map, and a LAND is one");
}

TEST_F(LandClaimTest, ARowOrAnIncumbentThatCannotBeSaid) {
  const std::string said =
      "unroll-two: its LAND does not say which row of rms_norm it changed, or what served before";
  const std::string after = intent().after_text;
  intent().after_text = before;
  EXPECT_EQ(refusal(), said);
  intent().after_text = after;
  attempt().code_hashes.erase(kIncumbent);
  EXPECT_EQ(refusal(), said);
}

TEST_F(LandClaimTest, AMapOfAnOlderDayMayNameVariantsThatAreGone) {
  std::string& text = intent().after_text;
  text.replace(text.find("rope.cpu.avx2"), 13, "rope.cpu.gone");
  EXPECT_EQ(refusal(), "may");
}

TEST_F(LandClaimTest, TheMapMustShowIt) {
  EXPECT_EQ(checked(lab.service_map()), Lines{});
  EXPECT_EQ(checked(before),
            Lines{kMap + ": rms_norm on cpu-avx2 is served by " + kIncumbent +
                  " (by incumbent), and unroll-two landed " + kCandidate +
                  " there: `assay apply unroll-two` puts the landed row back, `assay apply "
                  "unroll-two --discard` records that the map stays as it is"});
  ServiceMap map = parse_service_map(before, "map");
  map.devices.at("cpu-avx2").erase("rms_norm");
  EXPECT_EQ(
      checked(emit(map)),
      Lines{kMap + ": has no row for rms_norm on cpu-avx2, where unroll-two landed " + kCandidate +
            ": write the row by hand, or record with `assay apply unroll-two --discard` that "
            "the map stays as it is"});
  EXPECT_EQ(checked("{{{").size(), 1U);
  EXPECT_TRUE(checked("{{{")[0].starts_with(kMap + ":1:")) << checked("{{{")[0];
}

TEST_F(LandClaimTest, TheLastOfTwoLandsOnARowHasIt) {
  ExperimentView later = view;
  later.slug = "later";
  later.attempts.at(0).verdict_at = "9999";
  std::string& text = later.attempts.at(0).verdict->intents.at(0).after_text;
  const std::string by = "by: unroll-two";
  text.replace(text.find(by), by.size(), "by: later");
  EXPECT_EQ(checked(text, {view, later}), Lines{});
  EXPECT_EQ(checked(text, {later, view}), Lines{});
  EXPECT_EQ(checked(lab.service_map(), {view, later}).size(), 1U);
  const std::vector<ExperimentView> both{view, later};
  EXPECT_EQ(successor(both, view), "later");
  EXPECT_EQ(successor(both, later), "");
}

TEST_F(LandClaimTest, ASettlementIsTheLastWord) {
  const auto settle = [&](bool kept) {
    record_settlement(land_claim(view), before, kept, {"apply", "assay apply", nullptr},
                      lab.journal);
    view = lab.view();
  };
  settle(true);
  EXPECT_TRUE(last_settlement(view)->kept);
  EXPECT_EQ(checked(before), Lines{});
  settle(false);
  EXPECT_FALSE(last_settlement(view)->kept);
  EXPECT_EQ(checked(before).size(), 1U);
  EXPECT_EQ(checked(lab.service_map()), Lines{});
}

}  // namespace
}  // namespace assay
