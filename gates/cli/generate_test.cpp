// `assay generate` on the model that ships, as a user runs it.
#include <gtest/gtest.h>

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
