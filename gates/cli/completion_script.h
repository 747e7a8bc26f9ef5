// Completion scripts for shells, from the commands as they are defined (command_line.h): what a
// command takes is written down in one place only.
#pragma once

#include <string>
#include <vector>

#include "gates/cli/command_line.h"

namespace assay {

// What can stand where a value is expected.
struct ValueWords {
  enum class Kind {
    kNone,   // anything: a number, text
    kFiles,  // paths
    kFixed,  // `words`
    kAsked,  // what `assay completion --words ASK` prints in this workspace
  };
  Kind kind = Kind::kNone;
  std::vector<std::string> words;
  std::string ask;  // "ids", "levers", "ops", "variants", "laws", "commands", "names"
};
// By what the value is called ("ID", "GATE") and its fixed choices, if it has any.
ValueWords values_of(const OptionFacts& option);

std::string bash_completion(const std::vector<CommandFacts>& commands);
std::string zsh_completion(const std::vector<CommandFacts>& commands);
std::string fish_completion(const std::vector<CommandFacts>& commands);

}  // namespace assay
