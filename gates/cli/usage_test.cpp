// What `assay` says to somebody who mistypes: whole messages and exit codes.
#include <gtest/gtest.h>

#include <algorithm>

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

TEST(Usage, CalibrateSaysNothingOnStandardOutputBeforeItRefuses) {
  const TestWorkspace workspace;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"calibrate", "--planted", "nosuch"},
        {"calibrate", "--model", "nosuch.gguf"}}) {
    const Finished done = workspace.assay(command);
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_NE(done.err.find("nosuch"), std::string::npos) << done.err;
  }
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
  for (const char* later : {"selftest", "campaign"}) {
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
  expect_usage({"new", "thing"}, "assay: no command `new thing`; did you mean `new variant`?");
  expect_usage({"new"}, "assay: no command `new`; did you mean `new variant`?");
  expect_usage({"model", "sinth", "x", "y"},
               "assay: no command `model sinth`; did you mean `model info` or `model quantize` or "
               "`model synth`?");
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
  expect_usage({"run", "--", "-1", "--workspace"},
               "assay: run: `--workspace` is one word too many: behind `--` nothing is an option");
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
  expect_usage({"query", "--since", "yesterday"},
               "assay: --since yesterday: not a date; write it as 2026-01-31");
  expect_usage({"query", "--since", "2026-13-45"},
               "assay: --since 2026-13-45: not a date; write it as 2026-01-31");
  expect_usage({"query", "--verdict", "LADN"},
               "assay: query: --verdict LADN: there is none such; did you mean `LAND`?");
  expect_usage({"query", "--state", "zzzzzz"},
               "assay: query: --state zzzzzz: there is none such; give closed, historical, landed, "
               "measured, open, proposed, reverted or unreached");
  expect_usage({"query", "--json", "--format", "csv"},
               "assay: query: --json and --format csv contradict each other: give one of them");
  for (const char* option : {"--runs", "--pairs", "--bar", "--backend"}) {
    expect_usage({"calibrate", "--show", option, option[2] == 'b' ? "cpu" : "4"},
                 "assay: calibrate: --show measures nothing and shows every device; leave out "
                 "--runs, --pairs, --bar, --backend and --planted");
  }
  expect_usage({"calibrate", "--for", "x", "--depth", "3"},
               "assay: calibrate: --for takes the experiment's own workload; leave out --model, "
               "--phase, --tokens, --depth, --steps, --threads and --backend");
}

TEST(Usage, NumbersOutOfRangeNameFlagValueAndRange) {
  const auto expect = [](std::vector<std::string> arguments, const std::string& what) {
    const std::string command = arguments.front();
    expect_usage(arguments, "assay: " + command + ": " + what + "; `assay " + command +
                                " --help` shows an example");
  };
  const std::string positions = "is not a whole number from 0 to 1048576";
  const std::string threads = "--threads: `257` is not a whole number from 0 to 256";
  const std::string seconds = "is not a number above 0, at most 1000000";
  expect({"bench", "-m", "embedded", "--prefill", "-1"}, "--prefill: `-1` " + positions);
  expect({"bench", "-m", "embedded", "--decode", "1e3"}, "--decode: `1e3` " + positions);
  expect({"bench", "-m", "embedded", "--depth", "9999999999"},
         "--depth: `9999999999` " + positions);
  expect({"bench", "-m", "embedded", "--repeat", "0"},
         "--repeat: `0` is not a whole number from 1 to 10000");
  expect({"bench", "-m", "embedded", "--threads", "257"}, threads);
  expect({"calibrate", "--threads", "257"}, threads);
  expect({"calibrate", "--tokens", "0"}, "--tokens: `0` is not a whole number from 1 to 1048576");
  expect({"calibrate", "--depth", "x"}, "--depth: `x` " + positions);
  expect({"calibrate", "--steps", "4097"}, "--steps: `4097` is not a whole number from 1 to 4096");
  expect({"calibrate", "--runs", "0"}, "--runs: `0` is not a whole number from 1 to 1000");
  expect({"calibrate", "--pairs", "97"}, "--pairs: `97` is not a whole number from 2 to 96");
  expect({"generate", "-m", "embedded", "-n", "0"},
         "--count: `0` is not a whole number from 1 to 1048576");
  expect({"generate", "-m", "embedded", "--threads", "257"}, threads);
  expect({"generate", "-m", "embedded", "--temp", "hot"},
         "--temp: `hot` is not a number from 0 to 100");
  expect({"generate", "-m", "embedded", "--top-k", "-1"},
         "--top-k: `-1` is not a whole number from 0 to 2147483647");
  expect({"generate", "-m", "embedded", "--top-p", "0"},
         "--top-p: `0` is not a number above 0, at most 1");
  expect({"generate", "-m", "embedded", "--temp", "1e3"},
         "--temp: `1e3` is not a number from 0 to 100");
  expect({"generate", "-m", "embedded", "--context", "-1"}, "--context: `-1` " + positions);
  expect({"generate", "-m", "embedded", "--top-p", "1.5"},
         "--top-p: `1.5` is not a number above 0, at most 1");
  expect({"generate", "-m", "embedded", "--seed", "2147483648"},
         "--seed: `2147483648` is not a whole number from 0 to 2147483647");
  expect({"run", "x", "--time-limit"}, "--time-limit needs a value");
  expect({"bench", "-m", "embedded", "--repeat", "3", "--repeat", "4"},
         "--repeat can be given once only");
  expect({"run", "x", "--time-limit", "0"}, "--time-limit: `0` " + seconds);
  expect({"query", "--sql", "select 1", "--time-limit", "0"}, "--time-limit: `0` " + seconds);
  expect({"run", "x", "--time-limit", "-3"}, "--time-limit: `-3` " + seconds);
  expect({"run", "x", "--time-limit", "nan"}, "--time-limit: `nan` " + seconds);
  expect({"run", "x", "--time-limit", "1000001"}, "--time-limit: `1000001` " + seconds);
  for (const std::string limit : {"0", "0.01", "0.999", "1000001"}) {
    expect({"run", "x", "--stall-limit", limit},
           "--stall-limit: `" + limit + "` is not a number from 1 to 1000000");
  }
  for (const char* bar : {"-1%", "100%", "nan", "5 percent"}) {
    expect_usage({"calibrate", "--bar", bar},
                 "assay: calibrate: --bar " + std::string(bar) +
                     ": write a share of the time from 0% to below 100%, as 5% or 0.05");
  }
}

TEST(Usage, FlagsTakeNoValue) {
  for (const char* value : {"yes", "no", "1", "2"}) {
    expect_usage({"profile", std::string("--no-graph=") + value},
                 "assay: profile: --no-graph takes no value; `assay profile --help` shows an "
                 "example");
  }
  expect_usage({"run", "x", "--premise=no"},
               "assay: run: --premise takes no value; `assay run --help` shows an example");
  expect_usage({"check", "--json=0"},
               "assay: check: --json takes no value; `assay check --help` shows an example");
}

TEST(Usage, ListsHaveNoEmptyEntries) {
  const auto expect = [](const std::string& list, const std::string& entry) {
    expect_usage({"generate", "-m", "embedded", "--tokens", list},
                 "assay: generate: --tokens: entry " + entry +
                     "; write whole numbers from 0 to 2147483647, with commas between them: 1,2,3");
  };
  expect("1,,2", "2 is empty");
  expect("", "1 is empty");
  expect(",1", "1 is empty");
  expect("1,", "2 is empty");
  expect("1,-2", "2 is `-2`");
  expect("1,2 ", "2 is `2 `");
  expect("1,2147483648", "2 is `2147483648`");
}

TEST(Usage, TwoCandidatesOfOneOp) {
  expect_usage({"run", "x", "--candidate", "rope.cpu.avx2", "--candidate", "rope.cpu.portable"},
               "assay: --candidate rope.cpu.portable: --candidate rope.cpu.avx2 names a variant of "
               "rope already; an attempt has one of each op");
}

TEST(Usage, EmptyValuesAreNotLeftOut) {
  expect_usage({"query", "--lever", ""},
               "assay: query: --lever is empty; give a value, or leave it out");
  expect_usage({"query", "--sql", " ; "},
               "assay: query: --sql: there is no statement; give one SELECT, or leave --sql out");
  expect_usage({"query", "--format", ""},
               "assay: --format : there is no such format; give table, json, csv or md");
  expect_usage({"show", "3", "--source", ""},
               "assay: show: --source is empty; give a path or a SHA-256, or leave it out");
  expect_usage({"merge", ""}, "assay: merge: PATH is empty; give a value");
  expect_usage({"export", ""}, "assay: export: FILE is empty; give a value");
  expect_usage({"restore", ""}, "assay: restore: FILE is empty; give a value");
  expect_usage({"laws", ""}, "assay: laws: LAW is empty; give a value, or leave it out");
  expect_usage({"show", "1", "--db", ""},
               "assay: show: --db is empty; give a path, or leave it out");
}

TEST(Usage, SqlTakesNoFilters) {
  expect_usage({"query", "--sql", "SELECT 1", "--op", "rope"},
               "assay: query: --op narrows the table of experiments and says nothing to --sql: put "
               "the condition into the statement, or leave one of them out");
  expect_usage({"query", "--time-limit", "3"},
               "assay: query: --time-limit is for --sql; the table of experiments needs none");
}

TEST(Usage, DrawingNeedsATemperature) {
  for (const char* flag : {"--seed", "--top-k", "--top-p"}) {
    expect_usage({"generate", "-m", "embedded", "-p", "x", flag, "1"},
                 std::string("assay: generate: ") + flag +
                     " says nothing to --temp 0, which takes the likeliest token each time: add "
                     "--temp with a number above 0, or leave " +
                     flag + " out");
  }
}

TEST(Usage, FlagsThatSayNothingToEachOther) {
  expect_usage({"generate", "-m", "embedded", "--tokens", "1", "--special"},
               "assay: generate: --special says nothing to --tokens, whose numbers are tokens "
               "already: leave one of them out");
  expect_usage({"bench", "-m", "embedded", "--decode", "0", "--depth", "4"},
               "assay: bench: --depth says nothing to --decode 0, which measures no decode: leave "
               "one of them out");
}

TEST(Usage, TextAndNamesAreUtf8) {
  expect_usage({"generate", "-m", "embedded", "-p", "The \xff"},
               "assay: generate: --prompt: byte 4 is not UTF-8");
  const std::string wrong =
      " a\\xff.gguf: byte 1 of the name is not UTF-8: rename the file, or link "
      "to it";
  expect_usage({"generate", "-m", "a\xff.gguf", "-p", "x"}, "assay: --model" + wrong);
  expect_usage({"model", "info", "a\xff.gguf"}, "assay: model info: FILE" + wrong);
  expect_usage({"model", "quantize", "a\xff.gguf", "b", "--type", "f16"},
               "assay: model quantize: IN" + wrong);
  expect_usage({"model", "synth", "tiny-q8_0", "a\xff.gguf"}, "assay: model synth: OUT" + wrong);
}

TEST(Usage, WordsInBracketsAreNoLists) {
  expect_usage({"help", "[a,b]"}, "assay: no command `[a,b]`; `assay help` lists the commands");
  expect_usage({"show", "3", "[a,b]"},
               "assay: show: `[a,b]` is one word too many; text of several words needs quotes");
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{"--candidate", "[a,b]"}, {"--candidate=[a,b]"}}) {
    std::vector<std::string> words{"run", "x"};
    words.insert(words.end(), given.begin(), given.end());
    expect_usage(words,
                 "assay: --candidate [a,b]: not a variant's id (op.backend.mechanism[k=v]); `assay "
                 "levers` lists them");
  }
  expect_usage({"profile", "-m", "embedded", "--override", "[a,b]"},
               "assay: profile: --override [a,b]: write OP=VARIANT, as rope=rope.cuda.pairs");
  const TestWorkspace workspace;
  EXPECT_EQ(workspace.assay({"tried", "[a,b]"}).out.rfind("tried: nothing on record matches [a,b]"),
            0u);
}

TEST(Usage, HelpOfAFamilyListsItsCommands) {
  const Finished done = run_assay("/", {"help", "model"});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.out,
            "  model info     what is in a model file, and whether this engine can run it\n"
            "  model quantize a model file in other element types\n"
            "  model synth    write a synthetic model of a known shape as a GGUF file\n\n"
            "`assay model COMMAND --help` shows the options and an example.\n");
}

TEST(Usage, WhatDoesNotExistYetSaysSo) {
  expect_usage({"generate", "-m", "embedded", "-p", "x", "--backend", "gpu"},
               "assay: --backend gpu: no such backend: write cpu or cuda");
  expect_usage(
      {"bench", "-m", "/no/such.gguf"},
      "assay: /no/such.gguf: no such file; -m takes a GGUF file, `embedded` for the model that "
      "ships, or `synth:SHAPE-QUANT` for a synthetic one");
}

TEST(Usage, ASyntheticModelOfNoKnownName) {
  const std::string known =
      ": write SHAPE-QUANT; shapes: tiny, qwen2.5-1.5b, qwen2.5-7b, qwen2.5-14b, llama-3-8b; "
      "quants: q4_k_m, q8_0, f16; an example: synth:tiny-q8_0";
  expect_usage({"bench", "-m", "synth:tiny-q5_0"},
               "assay: synth:tiny-q5_0: no synthetic model has quant `q5_0`" + known);
  expect_usage({"model", "synth", "huge-q8_0", "/tmp/none.gguf"},
               "assay: huge-q8_0: no synthetic model has this shape" + known);
  expect_usage({"model", "synth", "tiny-q8_0", "/"},
               "assay: /: is there already, and models are not written over: name another file, or "
               "remove this one");
}

TEST(Usage, ASyntheticModelGoesOnFromTokenNumbers) {
  expect_usage({"generate", "-m", "synth:tiny-q8_0", "-p", "x"},
               "assay: synth:tiny-q8_0: this model has no vocabulary, so a prompt must be given as "
               "numbers: --tokens 1,2,3");
  const Finished done =
      run_assay("/", {"generate", "-m", "synth:tiny-q8_0", "--tokens", "1,2,3", "-n", "4"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(std::count(done.out.begin(), done.out.end(), ' '), 4) << done.out;
}

TEST(Usage, ArgumentsAreQuotedForAShell) {
  EXPECT_EQ(quoted({"assay", "run", "x", "--candidate", "a.b[c=1]", "it's", ""}),
            "assay run x --candidate 'a.b[c=1]' 'it'\\''s' ''");
}

}  // namespace
}  // namespace assay
