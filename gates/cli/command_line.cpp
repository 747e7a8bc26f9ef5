#include "gates/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/Error.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "experiments/nearest_name.h"
#include "gates/cli/program_path.h"

namespace assay {
namespace {

// CLI11 takes a word in brackets for a list, `[tile=4, then 8]` for two words, wherever an option
// takes several. A mark behind the bracket keeps the word whole; the first check of every option
// takes it off again. A word that was typed with marks gets one more, so that none is lost.
constexpr char kMark = '\x01';

bool ends_in_bracket(const std::string& word) {
  const std::size_t last = word.find_last_not_of(kMark);
  return last != std::string::npos && word[last] == ']';
}

std::string marked(std::string word) {
  if (ends_in_bracket(word)) word += kMark;
  return word;
}

std::string unmarked(std::string word) {
  if (word.ends_with(kMark) && ends_in_bracket(word)) word.pop_back();
  return word;
}

// An app for one command, its options, and the ones that all commands share.
struct ParsedCommand {
  CLI::App app;
  CommonOptions common;
  Action action;

  explicit ParsedCommand(const Command& command)
      : app(std::string(command.summary), fmt::format("assay {}", command.name)) {
    app.allow_extras();
    app.footer(fmt::format("Example:\n  {}", command.example));
    app.set_help_flag("-h,--help", "show this and stop");
    action = command.define(app);
    const char* group = "Common options";
    app.add_option("--db", common.db, "history database (default: results/assay.db)")
        ->type_name("PATH")
        ->group(group);
    app.add_option("--workspace", common.workspace,
                   "folder with experiments/ and results/ (default: the nearest one upwards)")
        ->type_name("DIR")
        ->group(group);
    app.add_option("--worker", common.worker, "the worker program (default: beside assay)")
        ->type_name("PATH")
        ->group(group);
    if (command.json) {
      app.add_flag("--json", common.json, "print JSON for a program to read")->group(group);
    }
    for (CLI::Option* option : app.get_options()) {
      if (option->get_items_expected_max() > 0) {
        option->transform(unmarked);
      } else {
        // A flag takes no value: `--no-graph=no` would be taken as --no-graph.
        option->disable_flag_override();
      }
    }
  }
};

// "preflight,baseline}..." -> its words.
std::vector<std::string> choices_in(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == '}') break;
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return names;
}

// The command that the first words name, and how many words that took.
const Command& command_of(const std::vector<std::string>& arguments, std::size_t& words) {
  if (arguments.size() >= 2) {
    words = 2;
    if (const Command* found = find_command(arguments[0] + " " + arguments[1])) return *found;
  }
  words = 1;
  if (const Command* found = find_command(arguments[0])) return *found;
  std::string typed = arguments[0];
  const std::vector<std::string_view> names = command_names();
  std::vector<std::string> same_first_word;  // of "new", or "model"
  for (const std::string_view name : names) {
    if (name.starts_with(typed + " ")) same_first_word.push_back(fmt::format("`{}`", name));
  }
  if (!same_first_word.empty() && arguments.size() >= 2) typed += " " + arguments[1];
  if (typed.starts_with("-")) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("a command must come first, and {} is an option; `assay help` lists the "
                    "commands",
                    typed));
  }
  if (!same_first_word.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("no command `{}`; did you mean {}?", typed,
                                               fmt::join(same_first_word, " or ")));
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("no command `{}`{}", typed,
                          suggestion(typed, names, "`assay help` lists the commands")));
}

// The parser's complaint. Its own words for too many or too few values are not for people.
std::string what_is_wrong(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return text;
  const std::string flag = text.substr(0, text.find(':'));
  constexpr std::string_view kOverride = " was given a disallowed flag override";
  if (text.ends_with(kOverride)) {
    const std::string name = text.substr(0, text.size() - kOverride.size());
    return (name.size() == 1 ? "-" : "--") + name + " takes no value";
  }
  const bool missing = text.ends_with(" missing");
  return flag + (missing ? " needs a value" : " can be given once only");
}

// The first word that the command did not expect, as an error; returns when there is none.
void refuse_unexpected(const Command& command, const CLI::App& app,
                       const std::vector<std::string>& arguments) {
  std::string word;
  for (const std::string& left : app.remaining()) {
    const std::string rest = unmarked(left);
    if (rest == "--") continue;
    if (word.empty() || (!word.starts_with("-") && rest.starts_with("-"))) word = rest;
  }
  if (word.empty()) return;
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (word.starts_with("-") && std::find(dashes, arguments.end(), word) != arguments.end()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: `{}` is one word too many: behind `--` nothing is an option",
                            command.name, word));
  }
  if (!word.starts_with("-")) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: `{}` is one word too many; text of several words needs quotes",
                            command.name, word));
  }
  const std::string flag = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const std::string& name : option->get_snames()) known.push_back("-" + name);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: no option {}{}", command.name, flag,
                          suggestion(flag, names,
                                     fmt::format("`assay {} --help` lists them", command.name))));
}

// `--db "$UNSET"` means some file, and not the default one.
void refuse_empty_paths(const Command& command, const CLI::App& app) {
  for (const char* name : {"--db", "--workspace", "--worker"}) {
    const CLI::Option* option = app.get_option(name);
    if (option->count() == 0 || !option->as<std::string>().empty()) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: {} is empty; give a path, or leave it out", command.name, name));
  }
}

// `assay tried "$UNSET"` means some word, and not all that there is.
void refuse_empty_words(const Command& command, const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string>& words = option->results();
    const auto empty = [](const std::string& word) { return word.empty(); };
    if (!option->get_positional() || words.empty()) continue;
    if (!std::all_of(words.begin(), words.end(), empty)) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: {} is empty; give a value{}", command.name, option->get_name(true),
                            option->get_required() ? "" : ", or leave it out"));
  }
}

}  // namespace

std::string quoted(const std::vector<std::string>& arguments) {
  const auto plain = [](const std::string& word) {
    return !word.empty() && word.find_first_not_of(
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=:,+@%") == std::string::npos;
  };
  std::string text;
  for (const std::string& word : arguments) {
    if (!text.empty()) text += ' ';
    if (plain(word)) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

std::string help_of(const Command& command) {
  ParsedCommand parsed(command);
  return parsed.app.help();
}

CommandFacts facts_of_command(const Command& command) {
  const ParsedCommand parsed(command);
  CommandFacts facts{std::string(command.name), std::string(command.summary), {}};
  for (const CLI::Option* option : parsed.app.get_options()) {
    if (option->get_group().empty()) continue;
    OptionFacts one;
    for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
    one.takes_value = option->get_items_expected_max() > 0;
    one.help = option->get_description();
    // "GATE:{preflight,baseline}": its name, and what a check allows.
    const std::string type = option->get_type_name();
    one.value = one.names.empty() ? option->get_name(true) : type.substr(0, type.find(':'));
    const std::size_t brace = type.find('{');
    if (brace != std::string::npos) one.choices = choices_in(type.substr(brace + 1));
    facts.options.push_back(std::move(one));
  }
  return facts;
}

std::string help_of_family(const std::string& word) {
  std::string text;
  for (const Command& command : commands()) {
    if (!command.name.starts_with(word + " ")) continue;
    text += fmt::format("  {:<14} {}\n", command.name, command.summary);
  }
  if (text.empty()) return text;
  return text +
         fmt::format("\n`assay {} COMMAND --help` shows the options and an example.\n", word);
}

std::string help_of_all() {
  std::string text =
      "assay: decides, with evidence that holds up, whether a kernel change should land.\n";
  std::string_view group;
  for (const Command& command : commands()) {
    if (command.group != group) text += fmt::format("\n{}\n", command.group);
    group = command.group;
    text += fmt::format("  {:<14} {}\n", command.name, command.summary);
  }
  text +=
      "\nEverywhere an ID is asked for, a slug or a number will do. `assay COMMAND --help` shows "
      "the\n"
      "options and an example. Start with `assay doctor`.\n";
  return text;
}

int run_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::cerr << help_of_all();
    return static_cast<int>(ErrorKind::kUsage);
  }
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    std::cout << help_of_all();
    return 0;
  }
  if (arguments[0] == "--version") {
    std::cout << "assay " << ASSAY_VERSION << "\n";
    return 0;
  }
  std::size_t words = 0;
  const Command& command = command_of(arguments, words);
  ParsedCommand parsed(command);
  std::vector<std::string> rest(arguments.rbegin(), arguments.rend() - static_cast<long>(words));
  std::transform(rest.begin(), rest.end(), rest.begin(), marked);
  try {
    parsed.app.parse(rest);
  } catch (const CLI::CallForHelp&) {
    std::cout << parsed.app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    refuse_unexpected(command, parsed.app, arguments);
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}; `assay {} --help` shows an example",
                                               command.name, what_is_wrong(error), command.name));
  }
  refuse_unexpected(command, parsed.app, arguments);
  refuse_empty_paths(command, parsed.app);
  refuse_empty_words(command, parsed.app);
  if (parsed.common.worker.empty()) parsed.common.worker = default_worker_path();
  parsed.common.command = command.name;
  std::vector<std::string> whole = {"assay"};
  whole.insert(whole.end(), arguments.begin(), arguments.end());
  parsed.common.argv = quoted(whole);
  return parsed.action(parsed.common);
}

}  // namespace assay
