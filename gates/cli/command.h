// A command of `assay`, as data: what it is called, what `assay help` says of it, and how it takes
// its flags.
//
// `define` adds the command's own options to a CLI11 app and returns what to do once they are
// parsed. Options live in a struct that the returned closure owns, so that a command is one file
// with no globals. Rejected: one CLI11 tree of subcommands. It parses into every command's options
// at once, and its messages for a mistyped subcommand name neither the mistake nor the nearest
// command.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace assay {

// The options that every command takes, and how the program was called.
struct CommonOptions {
  std::string db;         // --db; empty: results/assay.db of the workspace
  std::string workspace;  // --workspace; empty: found by walking up from the current folder
  std::string worker;     // --worker; never empty once parsed
  bool json = false;      // --json, where the command has it
  std::string command;    // its name: "run", "new variant"
  std::string argv;       // the whole command line, quoted for a shell
};

// Runs a parsed command; the result is the program's exit code.
using Action = std::function<int(const CommonOptions&)>;

struct Command {
  std::string_view name;     // "run", "new variant"
  std::string_view group;    // heading in `assay help`
  std::string_view summary;  // one line
  std::string_view example;  // a command line that works
  bool json;                 // takes --json
  Action (*define)(CLI::App& app);
};

// Every command, in the order of `assay help`. An explicit list (commands.cpp).
std::span<const Command> commands();
// Null when there is none of that name.
const Command* find_command(std::string_view name);

// One per file.
Action define_apply(CLI::App& app);
Action define_backup(CLI::App& app);
Action define_bench(CLI::App& app);
Action define_calibrate(CLI::App& app);
Action define_check(CLI::App& app);
Action define_close(CLI::App& app);
Action define_completion(CLI::App& app);
Action define_doctor(CLI::App& app);
Action define_export(CLI::App& app);
Action define_generate(CLI::App& app);
Action define_help(CLI::App& app);
Action define_import(CLI::App& app);
Action define_index(CLI::App& app);
Action define_laws(CLI::App& app);
Action define_ledger(CLI::App& app);
Action define_levers(CLI::App& app);
Action define_merge(CLI::App& app);
Action define_model_info(CLI::App& app);
Action define_model_quantize(CLI::App& app);
Action define_model_synth(CLI::App& app);
Action define_new_variant(CLI::App& app);
Action define_note(CLI::App& app);
Action define_profile(CLI::App& app);
Action define_propose(CLI::App& app);
Action define_query(CLI::App& app);
Action define_renumber(CLI::App& app);
Action define_report(CLI::App& app);
Action define_reproduce(CLI::App& app);
Action define_restore(CLI::App& app);
Action define_run(CLI::App& app);
Action define_show(CLI::App& app);
Action define_tried(CLI::App& app);

}  // namespace assay
