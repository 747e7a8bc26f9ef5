// `assay model`, run as a user would: what it prints, its exit codes, and that nothing is left
// behind.
#include <gtest/gtest.h>

#include <filesystem>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(Model, InfoOfTheEmbeddedModel) {
  const Finished text = run_assay("/", {"model", "info", "embedded"});
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_NE(text.out.find("runs here     yes\n"), std::string::npos) << text.out;
  const Finished json = run_assay("/", {"model", "info", "embedded", "--json"});
  EXPECT_NE(json.out.find("\"parameters\": 11938304"), std::string::npos) << json.out;
}

TEST(Model, ErrorsAreOneLineAndExitCode2) {
  const auto expect = [](std::vector<std::string> arguments, const std::string& message) {
    const Finished done = run_assay("/", arguments);
    EXPECT_EQ(done.err, message + "\n");
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(done.code, 2);
  };
  expect({"model", "info", "/no/such.gguf"},
         "assay: /no/such.gguf: there is no such file: check the path");
  expect({"model", "info"},
         "assay: model info: FILE is required; `assay model info --help` shows an example");
  expect({"model"},
         "assay: no command `model`; did you mean `model info` or `model quantize` or "
         "`model synth`?");
  expect({"model", "quantise"},
         "assay: no command `model quantise`; did you mean `model info` or `model quantize` or "
         "`model synth`?");
  expect({"model", "quantize", "embedded", "/no/such/q.gguf", "--type", "f16"},
         "assay: /no/such/q.gguf: its folder does not exist; make it first");
  expect({"model", "quantize", "embedded", "q.gguf", "--type", "q2_k"},
         "assay: model quantize: --type: q2_k not in {q4_k_m,q6_k,q8_0,f16,bf16,f32}; `assay model "
         "quantize --help` shows an example");
}

TEST(Model, SynthWritesAModelOnce) {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"model", "synth", "tiny-q8_0@7", "tiny.gguf"};
  const Finished made = run_assay(folder.path(), words);
  EXPECT_EQ(made.code, 0);
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(made.out, "tiny.gguf  synth:tiny-q8_0@7, 11.7 MiB\n");
  EXPECT_EQ(fs::file_size(folder.path() + "/tiny.gguf"), 12241344u);
  const Finished again = run_assay(folder.path(), words);
  EXPECT_EQ(again.code, 2);
  EXPECT_EQ(again.out, "");
  EXPECT_EQ(again.err,
            "assay: tiny.gguf: is there already, and models are not written over: name another "
            "file, or remove this one\n");
}

TEST(Model, QuantizeThereAndBack) {
  const TemporaryFolder folder;
  const Finished wide =
      run_assay(folder.path(), {"model", "quantize", "embedded", "wide.gguf", "--type", "f16"});
  EXPECT_EQ(wide.code, 0) << wide.err;
  EXPECT_EQ(wide.out, "wide.gguf: 24031584 bytes (7696736 before), tensors: 36 f16, 26 f32\n");
  EXPECT_EQ(wide.err, "");
  const Finished again =
      run_assay(folder.path(), {"model", "quantize", "embedded", "wide.gguf", "--type", "f16"});
  EXPECT_EQ(again.code, 2);
  EXPECT_EQ(again.err, "assay: wide.gguf: exists already; remove it, or name another file\n");
  const Finished four = run_assay(
      folder.path(), {"model", "quantize", "wide.gguf", "four.gguf", "--type", "q4_k_m", "--json"});
  EXPECT_EQ(four.code, 0) << four.err;
  EXPECT_NE(four.out.find("\"q4_K\": 31"), std::string::npos) << four.out;
  EXPECT_EQ(fs::file_size(folder.path() + "/four.gguf"), 7696736u);
  const Finished twice =
      run_assay(folder.path(), {"model", "quantize", "embedded", "eight.gguf", "--type", "q8_0"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_EQ(twice.out, "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

}  // namespace
}  // namespace assay
