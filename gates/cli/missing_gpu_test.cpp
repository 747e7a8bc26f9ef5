// Bad input to --backend cuda is said as such, with exit code 2, whether there is a GPU or not; so
// are flags that say nothing to what is asked.
#include <gtest/gtest.h>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

void expect_usage(const std::vector<std::string>& arguments, const std::string& message) {
  const Finished done = run_assay("/", arguments);
  EXPECT_EQ(done.err, "assay: " + message + "\n");
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.code, 2);
}

TEST(MissingGpu, ABadModelIsSaidFirst) {
  const std::string known =
      ": write SHAPE-QUANT; shapes: tiny, qwen2.5-1.5b, qwen2.5-7b, qwen2.5-14b, llama-3-8b; "
      "quants: q4_k_m, q8_0, f16; an example: synth:tiny-q8_0";
  expect_usage({"bench", "-m", "synth:nonsense", "--backend", "cuda"},
               "synth:nonsense: no synthetic model has this shape" + known);
  expect_usage({"generate", "-m", "synth:nonsense", "-p", "x", "--backend", "cuda"},
               "synth:nonsense: no synthetic model has this shape" + known);
  for (const char* command : {"profile", "bench"}) {
    std::vector<std::string> words = {command, "-m", "/etc/passwd"};
    if (words[0] == "bench") words.insert(words.end(), {"--backend", "cuda"});
    expect_usage(
        words,
        "/etc/passwd: magic at byte 0 is \"root\", not \"GGUF\": this is no GGUF file, name "
        "a model in that format");
  }
}

TEST(MissingGpu, TooFewPositionsAreSaidFirst) {
  expect_usage({"profile", "--context", "10", "--depth", "100"},
               "profile: this needs 116 positions, and embedded is loaded with --context 10: ask "
               "for less, or give a larger one");
  expect_usage({"bench", "-m", "embedded", "--backend", "cuda", "--context", "10"},
               "bench: this needs 128 positions, and embedded is loaded with --context 10: ask for "
               "less, or give a larger one");
  expect_usage({"profile", "--context", "1000000"},
               "load: context is 1000000; this model has 1..1024 positions (0: its own, at most "
               "4096)");
}

TEST(MissingGpu, CalibrateSaysWhatIsWrongWithTheModel) {
  const TestWorkspace workspace;
  const Finished none =
      workspace.assay({"calibrate", "--backend", "cuda", "--model", "/nosuch", "--json"});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, "assay: /nosuch: there is no such file: check the path\n");
}

TEST(MissingGpu, CalibrateRefusesFlagsOfTheOtherPhase) {
  const TestWorkspace workspace;
  const auto expect = [&](const std::vector<std::string>& flags, const std::string& message) {
    std::vector<std::string> words = {"calibrate"};
    words.insert(words.end(), flags.begin(), flags.end());
    const Finished done = workspace.assay(words);
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(done.err, "assay: calibrate: " + message + ": leave it out\n");
  };
  expect({"--phase", "prefill", "--depth", "3"}, "--depth says nothing to --phase prefill");
  expect({"--phase", "prefill", "--steps", "3"}, "--steps says nothing to --phase prefill");
  expect({"--tokens", "3"}, "--tokens says nothing to --phase decode");
}

}  // namespace
}  // namespace assay
