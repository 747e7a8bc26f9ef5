// A workspace of its own for a test of the gates: a folder with a service map, a copy of the
// simulated worker with its manifest, and a history in memory. The experiment in it asks whether
// `rms_norm.cpu.avx2[unroll=2]` should replace `[unroll=1]`, in prefill and decode.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "engine/protocol/manifest.h"
#include "gates/memory_journal.h"
#include "gates/runner.h"
#include "gates/scratch_folder.h"

namespace assay {

class SimulatedWorkspace {
 public:
  static constexpr const char* kIncumbent = "rms_norm.cpu.avx2[unroll=1]";
  static constexpr const char* kCandidate = "rms_norm.cpu.avx2[unroll=2]";
  // Points of another lever.
  static constexpr const char* kTile64 = "attention_prefill.cpu.avx2[tkv=64]";
  static constexpr const char* kTile128 = "attention_prefill.cpu.avx2[tkv=128]";
  static constexpr const char* kSlug = "unroll-two";

  SimulatedWorkspace();

  // What the worker and its build say; `save` puts changes on disk for the next processes.
  nlohmann::json scenario;
  Manifest manifest;
  void save();
  // Sets a property of a variant in the scenario and saves.
  void set(const std::string& variant, const std::string& name, const nlohmann::json& value);
  // Drops every property of every variant.
  void heal();
  // Other code for a variant: another hash, and so another fingerprint.
  void edit_code(const std::string& variant, const std::string& code_hash);
  // Other text in a source, whose machine code stays as it is.
  void edit_source(const std::string& file, const std::string& text);

  std::string definition_text;
  // Replaces a part of the definition's text, which must be in it.
  void redefine(const std::string& part, const std::string& by);
  Definition definition() const;
  void propose() { propose(journal); }
  void propose(Journal& into) const;
  // 20 A/A runs of 8 pairs with this standard deviation, for the workloads and guards.
  void calibrated(double pair_sd = 0.002) { calibrated(journal, pair_sd); }
  void calibrated(Journal& into, double pair_sd) const;

  RunOptions options;  // no warm-up, no waiting, clocks far apart allowed
  MemoryJournal journal;
  std::atomic<bool> stop = false;
  std::vector<std::string> said;
  RunContext context();
  RunOutcome run();
  // run(), for what must be refused: the Error's exit code and text.
  RunOutcome run_refused();

  ExperimentView view() const;
  std::vector<Event> events(EventKind kind) const;  // of the experiment
  // Gate, outcome and reason of each gate of the last run: "identity red(crash)".
  std::vector<std::string> gates() const;
  // The sentence of the last result of a gate.
  std::string sentence(const std::string& gate) const;
  std::string service_map() const;  // the file's bytes
  std::string service_path() const { return path() + "/experiments/in_service.yaml"; }
  const std::string& path() const { return folder_.path(); }
  std::string worker() const { return path() + "/assay-worker"; }

 private:
  ScratchFolder folder_;
};

std::string read_whole(const std::string& path);
void write_whole(const std::string& path, const std::string& text);

}  // namespace assay
