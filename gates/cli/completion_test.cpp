// Completion scripts: everything that a command takes is in them, and the shells run theirs.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "gates/cli/completion_script.h"
#include "gates/cli/driven_program.h"
#include "gates/cli/program_path.h"

namespace assay {
namespace {

std::vector<CommandFacts> all_facts() {
  std::vector<CommandFacts> all;
  for (const Command& command : commands()) all.push_back(facts_of_command(command));
  return all;
}

std::string script(const std::string& shell) {
  const Finished done = run_assay("/", {"completion", shell});
  EXPECT_EQ(done.code, 0) << done.err;
  return done.out;
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) {
    out.append(buffer.data(), got);
  }
  EXPECT_EQ(pclose(pipe), 0) << out;
  return out;
}

void record_one(const TestWorkspace& workspace, const std::string& slug) {
  {
    Store store(workspace.database());
    play_proposal(store, slug, definition_text(slug));
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
}

bool is_installed(const std::string& shell) {
  return std::system(("command -v " + shell + " >/dev/null 2>&1").c_str()) == 0;
}

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " '" + word + "'";
  return text;
}

// What bash offers for the words of a line, the last of which is being typed.
std::string offered(const std::string& folder, const std::vector<std::string>& line) {
  write_text(folder + "/assay.bash", script("bash"));
  write_text(folder + "/ask.sh", "cd '" + folder + "'; . ./assay.bash; COMP_WORDS=('" +
                                     program_beside("assay") + "'" + quoted(line) +
                                     "); COMP_CWORD=" + std::to_string(line.size()) +
                                     "; _assay; printf '%s\\n' \"${COMPREPLY[@]}\"");
  return output_of("bash --noprofile --norc '" + folder + "/ask.sh'");
}

// What zsh would choose from: its own choice by what was typed is left out.
std::string offered_by_zsh(const std::string& folder, const std::vector<std::string>& line) {
  write_text(folder + "/assay.zsh", script("zsh"));
  write_text(folder + "/ask.sh",
             "cd '" + folder +
                 "'; compdef() { :; }; compadd() { shift; print -rl -- $@; }; _files() { print "
                 "files; }; . ./assay.zsh; words=('" +
                 program_beside("assay") + "'" + quoted(line) +
                 "); CURRENT=" + std::to_string(line.size() + 1) + "; _assay");
  return output_of("zsh -f '" + folder + "/ask.sh'");
}

// What fish offers, without its descriptions.
std::string offered_by_fish(const std::string& folder, const std::string& line) {
  write_text(folder + "/assay.fish", script("fish"));
  const std::string program = program_beside("assay");
  write_text(folder + "/ask.sh",
             "cd '" + folder + "'; set -x PATH '" + program.substr(0, program.rfind('/')) +
                 "' $PATH; source assay.fish; complete -C '" + line + "' | cut -f 1");
  return output_of("HOME='" + folder + "' fish '" + folder + "/ask.sh'");
}

TEST(Completion, FactsAreThoseOfTheCommandLine) {
  const CommandFacts run = facts_of_command(*find_command("run"));
  const auto find = [&](const std::string& name) {
    for (const OptionFacts& option : run.options) {
      for (const std::string& known : option.names) {
        if (known == name) return option;
      }
    }
    ADD_FAILURE() << name;
    return OptionFacts{};
  };
  EXPECT_EQ(find("--until").choices,
            (std::vector<std::string>{"preflight", "baseline", "identity", "parity", "margin"}));
  EXPECT_TRUE(find("--until").takes_value);
  EXPECT_FALSE(find("--premise").takes_value);
  EXPECT_EQ(find("--candidate").value, "VARIANT");
  EXPECT_EQ(values_of(find("--candidate")).ask, "variants");
  EXPECT_EQ(values_of(find("--db")).kind, ValueWords::Kind::kFiles);
  EXPECT_EQ(find("-h").names, (std::vector<std::string>{"--help", "-h"}));
}

TEST(Completion, EveryCommandAndFlagIsInEveryScript) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string text = script(shell);
    const bool fish = std::string(shell) == "fish";
    for (const CommandFacts& command : all_facts()) {
      EXPECT_NE(text.find("'" + command.name + "'"), std::string::npos) << shell << command.name;
      for (const OptionFacts& option : command.options) {
        for (const std::string& name : option.names) {
          const std::string dashless =
              name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
          const std::size_t from =
              fish ? 0 : text.find("      '" + command.name + "') _assay_offer");
          const std::string line = fish ? text : text.substr(from, text.find('\n', from) - from);
          EXPECT_NE(line.find(fish ? dashless : " " + name), std::string::npos)
              << shell << ": " << command.name << " " << name;
        }
      }
    }
    EXPECT_EQ(text.find("--words KIND"), std::string::npos);
  }
}

TEST(Completion, BashCompletesCommandsFlagsAndChoices) {
  const TestWorkspace workspace;
  EXPECT_EQ(offered(workspace.root(), {"rep"}), "reproduce\nreport\n");
  EXPECT_EQ(offered(workspace.root(), {"model", ""}), "info\nquantize\nsynth\n");
  EXPECT_EQ(offered(workspace.root(), {"model", "synth", "--worker", "x", "--h"}), "--help\n");
  EXPECT_EQ(offered(workspace.root(), {"run", "--un"}), "--until\n");
  EXPECT_EQ(offered(workspace.root(), {"run", "x", "--until", "p"}), "preflight\nparity\n");
  EXPECT_EQ(offered(workspace.root(), {"query", "--verdict", "L"}), "LAND\n");
  EXPECT_EQ(offered(workspace.root(), {"query", "--lever", "attention_prefill.m"}),
            "attention_prefill.mechanism\n");
  EXPECT_EQ(offered(workspace.root(), {"completion", "f"}), "fish\n");
  EXPECT_EQ(offered(workspace.root(), {"tried", "attention_prefill.m"}),
            "attention_prefill.mechanism\n");
}

TEST(Completion, BashPutsInOneWord) {
  const TestWorkspace workspace;
  const auto section = [&](const std::string& typed) {
    return offered(workspace.root(), {"note", "3", "--section", typed});
  };
  EXPECT_EQ(section("V"), "Veto\\ mechanism\n");
  EXPECT_EQ(section("Veto\\ m"), "Veto\\ mechanism\n");
  EXPECT_EQ(section("\"Veto m"), "Veto mechanism\n");
  EXPECT_EQ(section("L"), "Lessons\n");
  EXPECT_EQ(offered(workspace.root(), {"query", "--gate", "b"}), "baseline\nbehaviour\n");
}

TEST(Completion, FishIsGivenOneWord) {
  EXPECT_NE(
      script("fish").find(
          "-l section -x -a 'Lessons \\'Veto mechanism\\' \\'Retry condition\\' Corrections'"),
      std::string::npos);
}

TEST(Completion, BashCompletesWhatIsOnRecord) {
  const TestWorkspace workspace;
  record_one(workspace, "kv-tile");
  record_one(workspace, "other-one");
  EXPECT_EQ(offered(workspace.root(), {"show", "kv"}), "kv-tile\n");
  EXPECT_EQ(offered(workspace.root(), {"run", ""}), "kv-tile\nother-one\n");
  write_text(workspace.path("results/records/0009-$(touch hit).json"), "");
  EXPECT_EQ(offered(workspace.root(), {"run", "o"}), "other-one\n");
  EXPECT_FALSE(std::filesystem::exists(workspace.path("hit")));
  EXPECT_EQ(run_assay("/", {"completion", "--words", "ids"}).out, "");
}

TEST(Completion, ZshCompletes) {
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  const TestWorkspace workspace;
  record_one(workspace, "kv-tile");
  EXPECT_EQ(offered_by_zsh(workspace.root(), {"show", ""}), "kv-tile\n");
  EXPECT_EQ(offered_by_zsh(workspace.root(), {"query", "--verdict", ""}), "LAND\nREVERT\n");
  EXPECT_EQ(offered_by_zsh(workspace.root(), {"model", ""}), "info\nquantize\nsynth\n");
  EXPECT_EQ(offered_by_zsh(workspace.root(), {"import", ""}), "files\n");
}

TEST(Completion, FishCompletes) {
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
  const TestWorkspace workspace;
  record_one(workspace, "kv-tile");
  EXPECT_EQ(offered_by_fish(workspace.root(), "assay show k"), "kv-tile\n");
  EXPECT_EQ(offered_by_fish(workspace.root(), "assay rep"), "report\nreproduce\n");
  EXPECT_EQ(offered_by_fish(workspace.root(), "assay query --verdict L"), "LAND\n");
  EXPECT_EQ(offered_by_fish(workspace.root(), "assay query --le"), "--lever\n");
}

TEST(Completion, NeedsAShellThatItKnows) {
  EXPECT_EQ(run_assay("/", {"completion"}).err,
            "assay: completion: which shell? `assay completion bash`, `zsh` or `fish`\n");
  EXPECT_EQ(run_assay("/", {"completion", "tcsh"}).code, 2);
}

}  // namespace
}  // namespace assay
