// `assay profile` where it cannot run: whole messages and exit codes.
#include <gtest/gtest.h>

#include <algorithm>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

void expect_usage(std::vector<std::string> flags, const std::string& message) {
  flags.insert(flags.begin(), "profile");
  const Finished done = run_assay("/", flags);
  EXPECT_EQ(done.err, "assay: profile: " + message + "\n");
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.code, 2);
}

TEST(Profile, OnlyAGpuIsProfiled) {
  expect_usage(
      {"--backend", "cpu"},
      "--backend cpu: only the kernels of a GPU can be traced: leave it out; `assay bench` "
      "says how fast the CPU is");
}

TEST(Profile, FlagsOfTheOtherPhase) {
  expect_usage({"--tokens", "5"}, "--tokens says nothing to --phase decode: leave it out");
  for (const char* flag : {"--depth", "--steps"}) {
    expect_usage({"--phase", "prefill", flag, "5"},
                 std::string(flag) + " says nothing to --phase prefill: leave it out");
  }
  expect_usage({"--phase", "prefill", "--no-graph"},
               "--no-graph says nothing to --phase prefill: leave it out");
  expect_usage(
      {"--steps", "257"},
      "--steps: `257` is not a whole number from 1 to 256; `assay profile --help` shows an "
      "example");
}

TEST(Profile, OverridesNameAnOpAndAVariantOfIt) {
  expect_usage({"--override", "rope.cuda.pairs"},
               "--override rope.cuda.pairs: write OP=VARIANT, as rope=rope.cuda.pairs");
  expect_usage(
      {"--override", "matvec_q4k.cuda.warp[rows=1]"},
      "--override matvec_q4k.cuda.warp[rows=1]: write OP=VARIANT, as rope=rope.cuda.pairs");
  for (const std::string nothing : {"=", "=rope.cuda.pairs", "rope="}) {
    expect_usage({"--override", nothing},
                 "--override " + nothing + ": write OP=VARIANT, as rope=rope.cuda.pairs");
  }
  expect_usage({"--override", "add=add.cpu.portable"},
               "--override add=add.cpu.portable: add.cpu.portable runs on the CPU, and only the "
               "kernels of a GPU can be traced");
  expect_usage({"--override", "warp=warp.cuda.x"},
               "--override warp=warp.cuda.x: there is no op warp; `assay levers` lists them");
  expect_usage({"--override", "rope=rope.cuda.pair"},
               "--override rope=rope.cuda.pair: rope has no such variant; did you mean "
               "`rope.cuda.pairs`?");
  expect_usage({"--override", "rope=rope.cuda.pairs", "--override", "rope=rope.cuda.pairs"},
               "--override rope=rope.cuda.pairs: another one names a variant of rope already");
}

// One line, exit 13; what is missing depends on the build and the machine.
TEST(Profile, WithoutAGpuTheEnvironmentIsUnfit) {
  const Finished done = run_assay("/", {"profile"});
  if (done.code == 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(done.code, 13);
  EXPECT_EQ(done.out, "");
  EXPECT_TRUE(done.err.starts_with("assay: backend cuda: ")) << done.err;
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
}

}  // namespace
}  // namespace assay
