// `assay generate` on the model that ships, as a user runs it.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

using Json = nlohmann::json;

Json tokens_of(std::vector<std::string> flags) {
  std::vector<std::string> arguments{"generate", "-m", "embedded", "-p",
                                     "The ship", "-n", "16",       "--json"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const Finished done = run_assay("/", arguments);
  EXPECT_EQ(done.code, 0) << done.err;
  return Json::parse(done.out).at("tokens");
}

TEST(Generate, ASeedDrawsTheSameTokensAtAnyNumberOfThreads) {
  const Json drawn = tokens_of({"--temp", "1", "--seed", "3", "--threads", "1"});
  EXPECT_EQ(tokens_of({"--temp", "1", "--seed", "3", "--threads", "2"}), drawn);
  EXPECT_NE(tokens_of({"--temp", "1", "--seed", "4"}), drawn);
}

TEST(Generate, SmallNumbersAreReadWithTheirExponents) {
  EXPECT_EQ(tokens_of({"--temp", "1e-3"}), tokens_of({}));
  EXPECT_EQ(tokens_of({"--temp", "5", "--top-p", "1e-30"}), tokens_of({}));
}

// The embedded model has 1,024 positions.
TEST(Generate, TheContextIsTheModelsOwnOrAsAsked) {
  const auto refusal = [](std::vector<std::string> flags) {
    std::vector<std::string> arguments{"generate", "-m", "embedded", "--tokens", "1,2,3"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Finished done = run_assay("/", arguments);
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.out, "");
    return done.err;
  };
  EXPECT_EQ(refusal({"-n", "1023"}),
            "assay: generate: 3 tokens of prompt and --count 1023 need 1025 positions, and "
            "embedded is loaded with 1024, the default: ask for less, or give --context, at most "
            "what the model has\n");
  EXPECT_EQ(refusal({"-n", "8", "--context", "9"}),
            "assay: generate: 3 tokens of prompt and --count 8 need 10 positions, and embedded is "
            "loaded with --context 9: ask for less, or give a larger one\n");
  EXPECT_EQ(refusal({"--context", "1025"}),
            "assay: load: context is 1025; this model has 1..1024 positions (0: its own, at most "
            "4096)\n");
  EXPECT_EQ(tokens_of({"--context", "64"}), tokens_of({}));
}

TEST(Generate, ThreadsThatCannotBeStartedAreOneError) {
  const std::string command = "ulimit -v 600000; exec " + std::string(ASSAY_BIN) +
                              "/assay generate -m embedded -p x -n 2 --threads 128 2>&1";
  std::string out;
  FILE* output = ::popen(command.c_str(), "r");
  ASSERT_NE(output, nullptr);
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) out += static_cast<char>(c);
  EXPECT_EQ(WEXITSTATUS(::pclose(output)), 13);
  EXPECT_EQ(out,
            "assay: 128 threads cannot be started (Resource temporarily unavailable): give "
            "--threads a smaller number\n");
}

TEST(Generate, TopKOneIsGreedy) {
  EXPECT_EQ(tokens_of({"--temp", "5", "--top-k", "1", "--seed", "8"}), tokens_of({}));
}

TEST(Generate, ControlTokensAreReadWhenAsked) {
  const auto prompt_of = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"generate", "-m", "embedded", "-n", "1", "--json"});
    return Json::parse(run_assay("/", arguments).out).at("prompt_tokens");
  };
  EXPECT_EQ(prompt_of({"-p", "<|im_start|>", "--special"}), Json({4094}));
  EXPECT_GT(prompt_of({"-p", "<|im_start|>"}).size(), 1u);
}

TEST(Generate, HelpSaysWhatIsOutOfScopeAndInWhichOrderTokensAreDrawn) {
  const std::string help = run_assay("/", {"generate", "--help"}).out;
  std::string words;
  for (const char c : help) {
    if (c != ' ' && c != '\n') words += c;
  }
  EXPECT_NE(words.find("nochattemplateisputaroundit"), std::string::npos) << help;
  EXPECT_NE(words.find("after--top-k,then--top-p,thenthedivisionoflogitsbyT"), std::string::npos)
      << help;
}

}  // namespace
}  // namespace assay
