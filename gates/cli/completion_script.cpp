#include "gates/cli/completion_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace assay {
namespace {

using Kind = ValueWords::Kind;

// For a POSIX shell; fish reads it the same way, but for the quote itself.
std::string shell_word(const std::string& text, bool fish = false) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += fish ? "\\'" : "'\\''";
    } else if (c == '\\' && fish) {
      out += "\\\\";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string first_word(const std::string& name) {
  return name.substr(0, name.find(' '));
}

// "new", "model" -> their second words; the other commands under "".
std::map<std::string, std::vector<std::string>> families(
    const std::vector<CommandFacts>& commands) {
  std::map<std::string, std::vector<std::string>> all;
  for (const CommandFacts& command : commands) {
    const std::size_t space = command.name.find(' ');
    if (space == std::string::npos) continue;
    all[command.name.substr(0, space)].push_back(command.name.substr(space + 1));
  }
  return all;
}

std::vector<std::string> first_words(const std::vector<CommandFacts>& commands) {
  std::vector<std::string> words;
  for (const CommandFacts& command : commands) {
    const std::string word = first_word(command.name);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

std::vector<std::string> flags_of(const CommandFacts& command) {
  std::vector<std::string> flags;
  for (const OptionFacts& option : command.options) {
    flags.insert(flags.end(), option.names.begin(), option.names.end());
  }
  return flags;
}

const OptionFacts* positional_of(const CommandFacts& command) {
  for (const OptionFacts& option : command.options) {
    if (option.names.empty()) return &option;
  }
  return nullptr;
}

// The two shells of one kind differ in three functions: words, files, and what is typed.
struct Dialect {
  const char* words;  // offers the words that follow
  const char* asked;  // offers what the program answers
  const char* files;
};
constexpr Dialect kBash{"_assay_offer", "_assay_ask", "_assay_files"};

std::string offer(const ValueWords& values, const Dialect& dialect) {
  switch (values.kind) {
    case Kind::kFiles:
      return dialect.files;
    case Kind::kAsked:
      return fmt::format("{} {}", dialect.asked, values.ask);
    case Kind::kFixed: {
      std::string text = dialect.words;
      for (const std::string& word : values.words) text += " " + shell_word(word);
      return text;
    }
    case Kind::kNone:
      break;
  }
  return ":";
}

// case branches "COMMAND:FLAG": what its value may be.
std::string value_branches(const std::vector<CommandFacts>& commands) {
  std::string text;
  for (const CommandFacts& command : commands) {
    for (const OptionFacts& option : command.options) {
      if (!option.takes_value || option.names.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(shell_word(command.name + ":" + name));
      }
      text += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, "|"),
                          offer(values_of(option), kBash));
    }
  }
  return text;
}

// case branches "COMMAND": its flags, or its words.
std::string flag_branches(const std::vector<CommandFacts>& commands) {
  std::string text;
  for (const CommandFacts& command : commands) {
    text += fmt::format("      {}) _assay_offer {} ;;\n", shell_word(command.name),
                        fmt::join(flags_of(command), " "));
  }
  return text;
}

std::string word_branches(const std::vector<CommandFacts>& commands) {
  std::string text;
  for (const CommandFacts& command : commands) {
    const OptionFacts* positional = positional_of(command);
    if (positional == nullptr) continue;
    text += fmt::format("      {}) {} ;;\n", shell_word(command.name),
                        offer(values_of(*positional), kBash));
  }
  return text;
}

// The body is the same for bash and zsh: `cur` and `prev` are words, `command` is one or two of
// them, `at` is the place of the word that is typed, counted from 0.
std::string shared_body(const std::vector<CommandFacts>& commands) {
  std::string family_branches;
  std::vector<std::string> names;
  for (const auto& [word, seconds] : families(commands)) {
    names.push_back(word);
    family_branches += fmt::format("      {}) _assay_offer {} ;;\n", word, fmt::join(seconds, " "));
  }
  std::string text;
  text += "  if [ \"$at\" -le 1 ]; then\n";
  text += fmt::format("    _assay_offer {} --help --version\n    return\n  fi\n",
                      fmt::join(first_words(commands), " "));
  text += fmt::format("  case \"$command\" in\n    {})\n", fmt::join(names, "|"));
  text += "      if [ \"$at\" -gt 2 ]; then command=\"$command $second\"; else\n";
  text +=
      "      case \"$command\" in\n" + family_branches + "      esac\n      return\n      fi ;;\n";
  text += "  esac\n";
  text += "  case \"$command:$prev\" in\n" + value_branches(commands) + "  esac\n";
  text += "  case \"$cur\" in\n    -*)\n      case \"$command\" in\n" + flag_branches(commands);
  text += "      esac ;;\n    *)\n      case \"$command\" in\n" + word_branches(commands);
  text += "      esac ;;\n  esac\n";
  return text;
}

std::string fish_values(const ValueWords& values) {
  switch (values.kind) {
    case Kind::kFiles:
      return " -r -F";
    case Kind::kAsked:
      return fmt::format(" -x -a '(__assay_ask {})'", values.ask);
    case Kind::kFixed: {
      // fish reads the list as words of a command line.
      std::string list;
      for (const std::string& word : values.words) {
        if (!list.empty()) list += ' ';
        list += word.find(' ') == std::string::npos ? word : shell_word(word, true);
      }
      return " -x -a " + shell_word(list, true);
    }
    case Kind::kNone:
      break;
  }
  return " -x";
}

std::string fish_option(const CommandFacts& command, const OptionFacts& option) {
  std::string text = fmt::format("complete -c assay -n \"__assay_is '{}'\"", command.name);
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (option.names.empty() || option.takes_value) text += fish_values(values_of(option));
  return text + " -d " + shell_word(option.help, true) + "\n";
}

}  // namespace

ValueWords values_of(const OptionFacts& option) {
  const auto fixed = [](std::vector<std::string> words) {
    return ValueWords{Kind::kFixed, std::move(words), ""};
  };
  if (!option.choices.empty()) return fixed(option.choices);
  static const std::map<std::string, std::string> kAsked{
      {"ID", "ids"},           {"SLUG", "ids"},        {"LEVER", "levers"},     {"OP", "ops"},
      {"VARIANT", "variants"}, {"--from", "variants"}, {"COMMAND", "commands"}, {"LAW", "laws"}};
  if (option.names.empty() && option.value == "WORDS") return {Kind::kAsked, {}, "names"};
  for (const std::string& name : {option.value, option.names.empty() ? "" : option.names.back()}) {
    const auto at = kAsked.find(name);
    if (at != kAsked.end()) return {Kind::kAsked, {}, at->second};
  }
  if (!option.names.empty() && option.names.front() == "--backend") return fixed({"cpu", "cuda"});
  if (option.value == "VERDICT") return fixed({"LAND", "REVERT"});
  if (option.value == "STATE") {
    return fixed({"proposed", "open", "landed", "reverted", "closed", "measured", "unreached",
                  "historical"});
  }
  if (option.value == "FORMAT") return fixed({"table", "json", "csv", "md"});
  if (option.value == "SHELL") return fixed({"bash", "zsh", "fish"});
  if (option.value == "GATE") {
    return fixed({"preflight", "baseline", "identity", "parity", "margin", "ab", "behaviour"});
  }
  for (const char* path : {"PATH", "DIR", "FILE", "MODEL", "IN", "OUT"}) {
    if (option.value == path) return {Kind::kFiles, {}, ""};
  }
  return {};
}

std::string bash_completion(const std::vector<CommandFacts>& commands) {
  return "# Completion of assay for bash, made by `assay completion bash`. Put into ~/.bashrc:\n"
         "#   eval \"$(assay completion bash)\"\n"
         // Words are compared, never expanded: some come from names of files.
         // A word of several is put in with its blanks escaped, and may be typed so, or in quotes.
         "_assay_match() {\n"
         "  local typed=${cur#[\\\"\\']} quote=\n"
         "  [[ $cur == [\\\"\\']* ]] && quote=1\n"
         "  [[ -n $quote ]] || typed=${typed//\\\\ / }\n"
         "  [[ $1 == \"$typed\"* ]] || return\n"
         "  if [[ -n $quote ]]; then COMPREPLY+=(\"$1\"); "
         "else COMPREPLY+=(\"${1// /\\\\ }\"); fi\n"
         "}\n"
         "_assay_offer() { local word; for word; do _assay_match \"$word\"; done; }\n"
         "_assay_ask() {\n"
         "  local word\n"
         "  while IFS= read -r word; do _assay_match \"$word\"; done "
         "< <(\"${COMP_WORDS[0]}\" completion --words \"$1\" 2>/dev/null)\n"
         "}\n"
         "_assay_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY "
         "< <(compgen -f -- \"$cur\"); }\n"
         "_assay() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=${COMP_WORDS[1]} second=${COMP_WORDS[2]} at=$COMP_CWORD\n"
         "  COMPREPLY=()\n" +
         shared_body(commands) + "}\ncomplete -F _assay assay\n";
}

std::string zsh_completion(const std::vector<CommandFacts>& commands) {
  return "#compdef assay\n"
         "# Completion of assay for zsh, made by `assay completion zsh`. Put into ~/.zshrc, behind "
         "compinit:\n"
         "#   eval \"$(assay completion zsh)\"\n"
         "_assay_offer() { compadd -- \"$@\"; }\n"
         "_assay_ask() { compadd -- ${(f)\"$(\"${words[1]}\" completion --words \"$1\" "
         "2>/dev/null)\"}; }\n"
         "_assay_files() { _files; }\n"
         "_assay() {\n"
         "  local cur=${words[CURRENT]} prev=${words[CURRENT-1]}\n"
         "  local command=${words[2]} second=${words[3]} at=$((CURRENT - 1))\n" +
         shared_body(commands) + "}\ncompdef _assay assay\n";
}

std::string fish_completion(const std::vector<CommandFacts>& commands) {
  std::string text =
      "# Completion of assay for fish, made by `assay completion fish`:\n"
      "#   assay completion fish > ~/.config/fish/completions/assay.fish\n"
      "function __assay_ask; assay completion --words $argv[1] 2>/dev/null; end\n"
      "function __assay_is\n"
      "  set -l typed (commandline -opc)\n"
      "  set -l wanted (string split ' ' -- $argv[1])\n"
      "  test (count $typed) -gt (count $wanted); or return 1\n"
      "  for i in (seq (count $wanted))\n"
      "    test $typed[(math $i + 1)] = $wanted[$i]; or return 1\n"
      "  end\n"
      "end\n"
      "complete -c assay -f\n";
  std::set<std::string> known;
  for (const CommandFacts& command : commands) {
    const std::string first = first_word(command.name);
    if (known.insert(first).second) {
      text +=
          fmt::format("complete -c assay -n 'test (count (commandline -opc)) -eq 1' -a {} -d {}\n",
                      first, shell_word(command.summary, true));
    }
    if (first != command.name) {
      text += fmt::format(
          "complete -c assay -n \"__assay_is '{}'; and test (count (commandline -opc)) -eq 2\" -a "
          "{} -d {}\n",
          first, command.name.substr(first.size() + 1), shell_word(command.summary, true));
    }
  }
  for (const CommandFacts& command : commands) {
    for (const OptionFacts& option : command.options) text += fish_option(command, option);
  }
  return text;
}

}  // namespace assay
