// `assay model`, run as a user would: what it prints, its exit codes, and that nothing is left
// behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <regex>
#include <thread>

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
  expect({"model", "synth", "tiny-q8_0", "/no/such/q.gguf"},
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
  const Finished json =
      run_assay(folder.path(), {"model", "synth", "tiny-q8_0", "other.gguf", "--json"});
  EXPECT_EQ(json.code, 0);
  EXPECT_EQ(json.out,
            "{\n  \"bytes\": 12241344,\n  \"model\": \"synth:tiny-q8_0\",\n  \"out\": "
            "\"other.gguf\"\n}\n");
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
  EXPECT_EQ(
      again.err,
      "assay: wide.gguf: is there already, and models are not written over: name another file, "
      "or remove this one\n");
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

// A model whose last values are NaN: they are counted, and no text is taken for good.
TEST(Model, ValuesThatAreNotFiniteAreSaidAndNotQuantised) {
  const TemporaryFolder folder;
  const auto assay = [&](const std::vector<std::string>& words) {
    return run_assay(folder.path(), words);
  };
  ASSERT_EQ(assay({"model", "quantize", "embedded", "wide.gguf", "--type", "f16"}).code, 0);
  const auto size = fs::file_size(folder.path() + "/wide.gguf");
  std::fstream(folder.path() + "/wide.gguf", std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(size) - 64)
      .write(std::string(64, '\xff').data(), 64);
  const std::regex said(
      "assay: [1-9][0-9]* activations, cache values or logits were not finite: the model file or "
      "a kernel is wrong\n");
  const Finished text = assay({"generate", "-m", "wide.gguf", "-p", "The ship", "-n", "3"});
  EXPECT_EQ(text.code, 1);
  EXPECT_TRUE(std::regex_match(text.err, said)) << text.err;
  EXPECT_TRUE(text.out.starts_with("The ship")) << text.out;
  const Finished bench = assay(
      {"bench", "-m", "wide.gguf", "--prefill", "4", "--decode", "2", "--repeat", "1", "--json"});
  EXPECT_EQ(bench.code, 1);
  EXPECT_TRUE(std::regex_match(bench.err, said)) << bench.err;
  EXPECT_TRUE(std::regex_search(bench.out, std::regex("\"nonfinite\": [1-9]"))) << bench.out;
  for (const char* type : {"f16", "q8_0"}) {
    const Finished again = assay({"model", "quantize", "wide.gguf", "again.gguf", "--type", type});
    EXPECT_EQ(again.code, 2);
    EXPECT_TRUE(std::regex_match(
        again.err, std::regex("assay: wide\\.gguf: tensor [0-9]+ \"[a-z0-9_.]+\": row [0-9]+: "
                              "element [0-9]+ is -?nan: convert the model again\n")))
        << again.err;
    EXPECT_FALSE(fs::exists(folder.path() + "/again.gguf"));
  }
}

// Two at once, and a file that appears meanwhile: one winner, and nothing of the others is left.
TEST(Model, OfWritersAtOnceOneWins) {
  const TemporaryFolder folder;
  std::vector<std::future<Finished>> writers;
  for (int i = 0; i < 3; ++i) {
    writers.push_back(std::async(std::launch::async, [&] {
      return run_assay(folder.path(),
                       {"model", "quantize", "embedded", "wide.gguf", "--type", "f16"});
    }));
  }
  int won = 0;
  for (std::future<Finished>& writer : writers) {
    const Finished done = writer.get();
    if (done.code == 0) {
      ++won;
    } else {
      EXPECT_EQ(done.code, 2);
      EXPECT_EQ(done.err,
                "assay: wide.gguf: is there already, and models are not written over: name "
                "another file, or remove this one\n");
    }
  }
  EXPECT_EQ(won, 1);
  fs::create_symlink("nowhere", folder.path() + "/link.gguf");
  EXPECT_EQ(
      run_assay(folder.path(), {"model", "quantize", "embedded", "link.gguf", "--type", "f16"}).err,
      "assay: link.gguf: is there already, and models are not written over: name another file, or "
      "remove this one\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

// `assay` as a process that a test signals in the middle of its work.
class Signalled {
 public:
  Signalled(const std::string& folder, const std::string& out) {
    const std::string program = std::string(ASSAY_BIN) + "/assay";
    process_ = fork();
    if (process_ != 0) return;
    setpgid(0, 0);
    const int errors = open((folder + "/err").c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(errors, STDERR_FILENO);
    if (chdir(folder.c_str()) == 0) {
      execl(program.c_str(), "assay", "model", "synth", "qwen2.5-1.5b-q8_0", out.c_str(), nullptr);
    }
    _exit(126);
  }
  // The exit code, or 128 + signal, once nothing of its group is left.
  int after(int signal) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    for (int i = 0; i < 600 && kill(-process_, 0) == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_NE(kill(-process_, 0), 0) << "assay-model lives on";
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t process_ = -1;
};

TEST(Model, ASignalReachesTheProgramThatWrites) {
  for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGKILL}) {
    const TemporaryFolder folder;
    const int code = Signalled(folder.path(), "big.gguf").after(signal);
    EXPECT_EQ(code, signal == SIGKILL ? 128 + SIGKILL : 12);
    EXPECT_EQ(read_text(folder.path() + "/err"),
              "assay: stopped before all was written; no file was made\n");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  }
}

}  // namespace
}  // namespace assay
