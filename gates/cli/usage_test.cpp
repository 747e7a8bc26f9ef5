// What `assay` says to somebody who mistypes: whole messages and exit codes.
#include <gtest/gtest.h>

#include "gates/cli/command.h"
#include "gates/cli/command_line.h"
#include "gates/cli/driven_program.h"

namespace assay {
namespace {

void expect_usage(const std::vector<std::string>& arguments, const std::string& message) {
  const Finished done = run_assay("/", arguments);
  EXPECT_EQ(done.err, message + "\n");
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.code, 2);
}

TEST(Usage, NoCommandShowsTheListAndIsAnError) {
  const Finished done = run_assay("/", {});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.err, help_of_all());
}

TEST(Usage, HelpListsEveryCommandInItsGroup) {
  const Finished done = run_assay("/", {"help"});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.out, help_of_all());
  EXPECT_EQ(done.out, run_assay("/", {"--help"}).out);
  for (const Command& command : commands()) {
    EXPECT_NE(done.out.find("\n  " + std::string(command.name) + " "), std::string::npos)
        << command.name;
    EXPECT_NE(done.out.find("\n" + std::string(command.group) + "\n"), std::string::npos);
  }
  for (const char* later : {"selftest", "reproduce", "campaign", "profile", "merge"}) {
    EXPECT_EQ(done.out.find(later), std::string::npos) << later;
  }
}

TEST(Usage, EveryCommandHasHelpWithItsExampleAndTheCommonOptions) {
  for (const Command& command : commands()) {
    std::vector<std::string> words;
    const std::string name(command.name);
    const std::size_t space = name.find(' ');
    words.push_back(name.substr(0, space));
    if (space != std::string::npos) words.push_back(name.substr(space + 1));
    words.push_back("--help");
    const Finished done = run_assay("/", words);
    EXPECT_EQ(done.code, 0) << name;
    EXPECT_NE(done.out.find("Example:\n  " + std::string(command.example)), std::string::npos)
        << done.out;
    for (const char* option : {"--db", "--workspace", "--worker"}) {
      EXPECT_NE(done.out.find(option), std::string::npos) << name << " " << option;
    }
    EXPECT_EQ(done.out.find("--json") != std::string::npos, command.json) << name;
  }
}

TEST(Usage, HelpOfOneCommand) {
  const Finished done = run_assay("/", {"help", "new", "variant"});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.out, run_assay("/", {"new", "variant", "-h"}).out);
}

TEST(Usage, MistypedCommandNamesTheNearest) {
  expect_usage({"rnu", "x"}, "assay: no command `rnu`; did you mean `run`?");
  expect_usage({"new", "varient", "x"},
               "assay: no command `new varient`; did you mean `new variant`?");
  expect_usage({"help", "querry"}, "assay: no command `querry`; did you mean `query`?");
  expect_usage({"selftest"}, "assay: no command `selftest`; `assay help` lists the commands");
  expect_usage({"--db", "x", "run"},
               "assay: a command must come first, and --db is an option; `assay help` lists the "
               "commands");
}

TEST(Usage, MistypedOptionNamesTheNearest) {
  expect_usage({"run", "x", "--untl", "identity"},
               "assay: run: no option --untl; did you mean `--until`?");
  expect_usage({"run", "--premisse", "x"},
               "assay: run: no option --premisse; did you mean `--premise`?");
  expect_usage({"query", "--qqqqqqqq=3"},
               "assay: query: no option --qqqqqqqq; `assay query --help` lists them");
}

TEST(Usage, AnUnknownOptionIsNamedBeforeWhatIsMissing) {
  expect_usage({"run", "--buid"}, "assay: run: no option --buid; did you mean `--build`?");
}

TEST(Usage, MissingAndSuperfluousWords) {
  expect_usage({"run"}, "assay: run: ID is required; `assay run --help` shows an example");
  expect_usage({"show", "one", "two"},
               "assay: show: `two` is one word too many; text of several words needs quotes");
  expect_usage({"close", "x", "--as", "closed"},
               "assay: close: --because is required; `assay close --help` shows an example");
}

TEST(Usage, ImpossibleValues) {
  const Finished until = run_assay("/", {"run", "x", "--until", "ab"});
  EXPECT_EQ(until.code, 2);
  EXPECT_EQ(
      until.err,
      "assay: run: --until: ab not in {preflight,baseline,identity,parity,margin}; `assay run "
      "--help` shows an example\n");
  expect_usage({"run", "x", "--until", "parity", "--premise"},
               "assay: run: --premise and --until are two different short runs: give one of them");
  expect_usage(
      {"query", "--since", "yesterday"},
      "assay: query: --since yesterday: write a date as YYYY-MM-DD, 2026-11-29 for example");
  expect_usage({"query", "--json", "--format", "csv"},
               "assay: query: --json and --format csv contradict each other: give one of them");
  expect_usage({"calibrate", "--for", "x", "--depth", "3"},
               "assay: calibrate: --for takes the experiment's own workload; leave out --model, "
               "--phase, --tokens, --depth, --steps and --threads");
}

TEST(Usage, WhatDoesNotExistYetSaysSo) {
  const std::string sampling =
      "assay: generate: this version picks the likeliest token at each step (--temp 0); sampling "
      "(--temp above 0, --top-k, --top-p, --seed) does not exist yet";
  expect_usage({"generate", "-m", "embedded", "-p", "x", "--temp", "0.8"}, sampling);
  expect_usage({"generate", "-m", "embedded", "-p", "x", "--seed", "1"}, sampling);
  expect_usage(
      {"generate", "-m", "embedded", "-p", "x", "--backend", "cuda"},
      "assay: --backend cuda: this version has the CPU backend only: leave it out, or write "
      "--backend cpu");
  expect_usage({"bench", "-m", "synth:tiny-q8_0"},
               "assay: synth:tiny-q8_0: synthetic models do not exist in this version; name a GGUF "
               "file, or `embedded`");
  expect_usage(
      {"bench", "-m", "/no/such.gguf"},
      "assay: /no/such.gguf: no such file; -m takes a GGUF file, or `embedded` for the model "
      "that ships");
}

TEST(Usage, ArgumentsAreQuotedForAShell) {
  EXPECT_EQ(quoted({"assay", "run", "x", "--candidate", "a.b[c=1]", "it's", ""}),
            "assay run x --candidate 'a.b[c=1]' 'it'\\''s' ''");
}

}  // namespace
}  // namespace assay
