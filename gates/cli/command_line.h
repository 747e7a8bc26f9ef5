// From argv to a command that has run: finds the command, parses its flags, and turns every mistake
// into one line that names it and the nearest thing that exists.
#pragma once

#include <string>
#include <vector>

#include "gates/cli/command.h"

namespace assay {

// The exit code. `arguments` without the program's name. Throws Error.
int run_command_line(const std::vector<std::string>& arguments);

// The options of one command as `assay COMMAND --help` prints them, example included.
std::string help_of(const Command& command);
// The commands whose first word this is (`model`), one a line; empty when there are none.
std::string help_of_family(const std::string& word);
// All commands by group.
std::string help_of_all();

// What a command takes, as data. Options that `--help` hides are left out.
struct OptionFacts {
  std::vector<std::string> names;  // "--until", "-m"; empty: a word by itself
  std::string value;               // what its value is called: "GATE", "ID"; empty for a flag
  bool takes_value = false;
  std::vector<std::string> choices;  // where only these are taken
  std::string help;
};
struct CommandFacts {
  std::string name, summary;
  std::vector<OptionFacts> options;
};
CommandFacts facts_of_command(const Command& command);

// Words as a shell would need them to give the same arguments again.
std::string quoted(const std::vector<std::string>& arguments);

}  // namespace assay
