// An experiment's definition: the question, as its author wrote it in YAML.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace assay {

enum class LeverClass { kBitwise, kReorder, kOperand };

// One workload or guard.
struct Workload {
  std::string model;  // a file (relative to the workspace), "embedded" or "synth:SHAPE-QUANT"
  std::string phase;  // "prefill" or "decode"
  int tokens = 0;     // prefill: rows of the prompt per segment
  int depth = 0;      // decode: cached positions before the first step
  int steps = 32;     // decode: tokens per segment
  int threads = 0;    // 0: one per core
};

struct Scope {
  std::string device;    // a key of the service map's `devices`; empty: this device's own
  std::string when_key;  // "", "nkv" or "t"
  int when_low = 1;
  int when_high = 0;  // 0 with when_key "": the whole op
};

struct Definition {
  std::string slug;
  std::string title;
  std::string lever;  // "attention_prefill.kv"
  LeverClass lever_class = LeverClass::kBitwise;
  std::string hypothesis;
  std::string mechanism;  // "", "wait", "work", "bytes" or "launch"
  std::string service = "in_service.yaml";
  Scope scope;
  std::map<std::string, std::string> candidate;  // op -> variant id
  std::vector<Workload> workloads;               // the first is the primary one
  std::vector<Workload> guards;
  std::optional<double> expect_kernel;  // as a fraction: 0.15
  std::optional<double> expect_wall;
  double bar = 0;  // as a fraction: 0.005
  std::optional<double> guard_margin;
  std::vector<std::string> derived_from;
  std::string supersedes;
  std::string retry_when;
  std::string override_reason;
  std::map<std::string, std::string> answers;  // slug -> why this is different
  std::string campaign;                        // a slug that groups experiments; "": none
  std::string background;                      // optional author's text for the record
  std::string principle;
  std::string text;       // the file's own bytes
  std::string file_name;  // as messages name it
};

// Parses a definition. Error(kUsage) whose text is
//   FILE:LINE:COLUMN: MESSAGE\n<the line>\n<spaces>^
// for unknown keys, wrong types, impossible values, missing keys.
Definition parse_definition(const std::string& text, const std::string& file_name);
Definition read_definition(const std::string& path);

std::string to_string(LeverClass lever_class);

}  // namespace assay
