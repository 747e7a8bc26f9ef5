#include "gates/cli/command.h"

namespace assay {
namespace {

constexpr std::string_view kLook = "Look around";
constexpr std::string_view kExperiment = "Ask a question";
constexpr std::string_view kHistory = "Read and keep the history";
constexpr std::string_view kInstrument = "Know the instrument";
constexpr std::string_view kEngine = "Use the engine";

constexpr Command kCommands[] = {
    {"doctor", kLook, "what this machine offers: processor, tools, worker, models, database",
     "assay doctor", true, define_doctor},
    {"levers", kLook, "the levers of each backend, their variants, and which are in service",
     "assay levers --backend cpu", true, define_levers},
    {"help", kLook, "this list, or the options of one command", "assay help run", false,
     define_help},
    {"completion", kLook, "a script that completes commands and names in your shell",
     "eval \"$(assay completion bash)\"", false, define_completion},

    {"new variant", kExperiment, "start a kernel variant from an existing one, with a definition",
     "assay new variant \"rms_norm.cpu.two_rows\" --from rms_norm.cpu.portable", false,
     define_new_variant},
    {"propose", kExperiment, "check a definition, give it a number and freeze it",
     "assay propose experiments/definitions/my-lever.yaml", false, define_propose},
    {"run", kExperiment, "the gates in their order, the verdict, LAND or REVERT, the record",
     "assay run my-lever", true, define_run},
    {"close", kExperiment, "end an experiment that needs no (further) attempt",
     "assay close my-lever --as closed --because \"the copy is 0.1 % of the step\"", false,
     define_close},
    {"reproduce", kExperiment, "measure an attempt again; its verdict stays, nothing is pooled",
     "assay reproduce my-lever --as-built", true, define_reproduce},
    {"apply", kExperiment, "settle a LAND or an import whose change of files was interrupted",
     "assay apply my-lever", false, define_apply},

    {"tried", kHistory, "was this tried, on which GPU, and why did it fail?",
     "assay tried \"double buffer*\"", true, define_tried},
    {"show", kHistory, "one experiment, in the terminal", "assay show my-lever", true, define_show},
    {"report", kHistory, "one experiment as Markdown for a pull request, from stored data",
     "assay report my-lever", false, define_report},
    {"query", kHistory, "experiments by lever, verdict, gate, date or words; or SQL",
     "assay query --verdict REVERT --format md", true, define_query},
    {"laws", kHistory, "what is known to hold: each law, its evidence, and what verdicts say of it",
     "assay laws", true, define_laws},
    {"ledger", kHistory, "what all attempts together have put at stake: looks, alpha, false LANDs",
     "assay ledger", true, define_ledger},
    {"note", kHistory, "add a lesson, a veto mechanism, a retry condition or a correction",
     "assay note my-lever \"The second buffer pushed the loop out of the uop cache.\"", false,
     define_note},
    {"index", kHistory, "write every record and the index again", "assay index", false,
     define_index},
    {"check", kHistory, "derive again what can be derived, and say what differs", "assay check",
     true, define_check},
    {"export", kHistory, "this history as one file, to be imported elsewhere",
     "assay export history.assay --since 12", true, define_export},
    {"import", kHistory, "take in what another workspace exported, LANDs with their map rows",
     "assay import history.assay", true, define_import},
    {"merge", kHistory, "take in the history of another workspace or clone on this machine",
     "assay merge ../borrowed", true, define_merge},
    {"renumber", kHistory, "give an experiment another number; no hash changes",
     "assay renumber my-lever 21", false, define_renumber},

    {"backup", kHistory, "the database as one file", "assay backup ../assay-backup.db", true,
     define_backup},
    {"restore", kHistory, "a backup in the place of a missing or damaged database",
     "assay restore ../assay-backup.db", false, define_restore},

    {"calibrate", kInstrument, "in-service against itself: how noisy is this machine?",
     "assay calibrate --for my-lever --runs 6", true, define_calibrate},

    {"generate", kEngine, "text from a model", "assay generate -m embedded -p \"The ship\" -n 40",
     true, define_generate},
    {"bench", kEngine, "prefill and decode speed of a model",
     "assay bench -m embedded --prefill 128 --decode 64", true, define_bench},
    {"profile", kEngine, "where the time of a prefill or a decode step goes on a GPU, by kernel",
     "assay profile -m synth:qwen2.5-7b-q4_k_m --phase decode --depth 1641", true, define_profile},
    {"model info", kEngine, "what is in a model file, and whether this engine can run it",
     "assay model info embedded", true, define_model_info},
    {"model quantize", kEngine, "a model file in other element types",
     "assay model quantize model-f16.gguf model-q4.gguf --type q4_k_m", true,
     define_model_quantize},
    {"model synth", kEngine, "write a synthetic model of a known shape as a GGUF file",
     "assay model synth qwen2.5-1.5b-q4_k_m /tmp/synthetic.gguf", true, define_model_synth},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace assay
