// assay calibrate --show: histories by workload, out of the database alone.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

AaEffect effect_of_day(int day, const std::string& workload, std::vector<double> values) {
  const std::string at = "2026-11-0" + std::to_string(day) + "T08:00:00.000Z";
  return {"aa-" + std::to_string(day), "Some CPU | GCC 12 -O3 | abc0123456789def " + workload,
          "bench-host", at, std::move(values)};
}

// Two effects on an experiment's workload, one on another; a run on record names the model.
class ShownCalibrations : public ::testing::Test {
 protected:
  void SetUp() override {
    Store store(workspace.database());
    play_proposal(store, "tile", definition_text("tile"));
    const nlohmann::json facts = {{"model_sha256", "abc0123456789def"},
                                  {"workload", "embedded prefill tokens=128 threads=0"}};
    const std::string run = store.open_run("tile", {"run", "assay run tile", facts});
    store.end_run(run, {"error", 14, "stopped"});
    const std::string primary = "prefill tokens=128 threads=0";
    store.import_aa(effect_of_day(1, primary, {0.01, 0.011, 0.009}));
    store.import_aa(effect_of_day(2, primary, {-0.002, 0.004, 0.001}));
    store.import_aa(effect_of_day(3, "decode depth=8 steps=8 threads=1", {0.002}));
  }
  TestWorkspace workspace;
};

TEST_F(ShownCalibrations, OfAnExperiment) {
  const Finished done = workspace.assay({"calibrate", "--show", "--for", "tile"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, R"(Some CPU, embedded (abc012345678) prefill tokens=128 threads=0
build GCC 12 -O3

2026-11-01 08:00 !                       :                  [------*-----]     +1.01 %
2026-11-02 08:00        [----------------:--*------------------]               +0.10 %
rms, K 2               (-----------------:-----------------)                   0.71 %

: zero   [-*-] estimate and 95 % interval
(-) plus and minus the rms
scale -0.81 % to +1.35 %

2 runs: pair sd 0.22 %, rms effect 0.71 %; 1 of 2 intervals exclude zero (!); below 20: verdicts are provisional
)");
  EXPECT_EQ(workspace.assay({"calibrate", "--show", "--phase", "prefill"}).out, done.out);
}

TEST_F(ShownCalibrations, AllOfThem) {
  const std::string all = workspace.assay({"calibrate", "--show"}).out;
  const std::string one = workspace.assay({"calibrate", "--show", "--for", "tile"}).out;
  EXPECT_TRUE(all.ends_with("\n\n" + one)) << all;
  EXPECT_EQ(all.substr(0, all.size() - one.size()),
            R"(Some CPU, embedded (abc012345678) decode depth=8 steps=8 threads=1
build GCC 12 -O3

2026-11-03 08:00                              :                        *     +0.20 %
rms, K 1             (------------------------:------------------------)     0.20 %

: zero   [-*-] estimate and 95 % interval
(-) plus and minus the rms
scale -0.22 % to +0.22 %

1 run: pair sd 0.00 %, rms effect 0.20 %; 0 of 1 intervals exclude zero (!); below 20: verdicts are provisional

)");
}

TEST_F(ShownCalibrations, AsJson) {
  const Finished done = workspace.assay({"calibrate", "--show", "--json", "--phase", "decode",
                                         "--depth", "8", "--steps", "8", "--threads", "1"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(
      nlohmann::json::parse(done.out).dump(),
      R"({"histories":[{"build":"GCC 12 -O3","components":null,"device":"Some CPU","effects":[{"at":"2026-11-03T08:00:00.000Z","estimate":0.002002001334000267,"excludes_zero":false,"host":"bench-host","id":"aa-3","interval":[0.002002001334000267,0.002002001334000267],"pair_sd":0.0,"pairs":1}],"excluding_zero":0,"model":"embedded","model_sha256":"abc0123456789def","pair_sd":0.0,"rms_effect":0.002002001334000267,"workload":"decode depth=8 steps=8 threads=1"}]})");
}

TEST_F(ShownCalibrations, ThatAreNotThere) {
  workspace.assay({"query"});  // tidies up
  const Finished done = workspace.assay({"calibrate", "--show", "--model", "other.gguf"});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.err,
            "assay: no A/A effect is on record for other.gguf decode depth=128 steps=32 threads=0: "
            "`assay calibrate` measures one\n");
}

}  // namespace
}  // namespace assay
