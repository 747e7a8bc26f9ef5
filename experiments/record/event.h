// History is a log of events, and nothing else. States, attempts and verdicts are views over it
// (view.h). An event belongs to a run; a run belongs to one experiment (or to none: a calibration,
// an import, a renumbering) and is sealed when it ends. A proposal or a closing is a run of its
// own, and so are an import and a renumbering.
//
// Bodies are plain structs with a JSON form; the JSON is what is stored, hashed and exported.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class EventKind {
  kRunOpened,      // first of every run: RunOpened
  kProposed,       // Proposed: the definition is frozen here
  kAttemptOpened,  // AttemptOpened
  kGateResult,     // GateResult
  kPlanFrozen,     // AbPlan (gates/statistics): JSON owned by gates
  kSample,         // PairSample
  kLook,           // Look
  kVerdict,        // VerdictBody
  kApplied,        // Applied
  kClosed,         // Closed
  kCalibrated,     // AaEffect
  kImported,       // Imported
  kRenumbered,     // Renumbered
  kRunEnded,       // RunEnded: last of every run
};
std::string to_string(EventKind kind);
EventKind event_kind(const std::string& text);  // Error(kUsage) when unknown

struct Event {
  std::string slug;  // empty for a calibration
  std::string run;   // 32 hex digits
  int index = 0;     // within the run, from 0
  EventKind kind = EventKind::kRunOpened;
  std::string at;  // UTC, "2026-11-29T20:15:04.123Z"
  nlohmann::json body;
  // Of a sample that was read with many others: its body as stored, in the place of `body`, since
  // samples are most of a history and few are looked at. The reader keeps the text
  // (recorder/stored_experiment.h). sample_of() reads either.
  std::string_view stored_sample = {};
};

struct RunOpened {
  std::string command;  // "propose", "run", "premise", "until", "close", "calibrate", ...
  std::string argv;
  nlohmann::json provenance;  // host, device, tree, manifest, model and prompt hashes, versions
};

struct Proposed {
  std::string definition;  // the YAML's text
  std::string definition_sha256;
  nlohmann::json preflight;  // what propose showed
};

struct AttemptOpened {
  int ordinal = 0;                               // 1 or 2
  std::string fingerprint;                       // SHA-256 over the candidate's ids and code hashes
  std::map<std::string, std::string> candidate;  // op -> variant id
  std::map<std::string, std::string> code_hashes;  // variant id -> code hash
  std::map<std::string, std::string> sources;      // path -> SHA-256 of a stored blob
  // Alpha belongs to what is tested, not to a name: (lever, code hashes, primary workload, device).
  std::string alpha_key;
};

struct GateResult {
  std::string gate;  // "preflight", "baseline", "identity", "parity", "margin", "ab", "behaviour"
  std::string outcome;   // "green", "red", "invalid", "error", "skipped", "no-power"
  std::string reason;    // for red: a verdict reason ("identity", "not-live", "crash", "hang", ...)
  std::string sentence;  // one line for people
  nlohmann::json values;  // what was measured
  double seconds = 0;
};

// One launch pair. Times in ns, in the order they ran; logs are taken by the statistics.
struct PairSample {
  std::string stage;   // "ab", "confirmation", "guard:N"
  int ordinal = 0;     // within the attempt and stage, from 0, over all runs
  std::string labels;  // the eight segments' arms in order: "ABBABAAB"
  std::vector<std::int64_t> worker_ns;
  std::vector<std::int64_t> runner_ns;
  std::string environment;   // fingerprint of the environment
  nlohmann::json telemetry;  // load average, frequency, steal, affinity before and after
  std::string dropped;       // empty, or why (a foreign process)
};

// Of an event of this kind (json_reader.cpp). Error(kCheckFound) where a stored body is none.
PairSample sample_of(const Event& event);

struct Look {
  std::string stage;
  int pairs = 0;
  nlohmann::json values;  // estimate, SE, df, boundaries, p: as judged
};

// What a LAND is about to do to the service map; written with the verdict, in one transaction.
struct Intent {
  std::string path;  // relative to the workspace: "experiments/in_service.yaml"
  std::string before_sha256;
  std::string after_text;
};

struct VerdictBody {
  int attempt = 0;
  std::string verdict;    // "LAND" or "REVERT"
  std::string reason;     // "" for LAND; else identity, parity, margin, not-live, resources, race,
                          // crash, hang, slower, no-gain, guard, unproven
  nlohmann::json effect;  // null, or {estimate, low, high, pairs, confirmation, ...}: fractions
  nlohmann::json basis;   // A/A effects used, SE, plan hash: all that `check` needs to recompute
  std::vector<Intent> intents;  // empty, or one
};

struct Applied {
  std::string path;
  std::string after_sha256;
};

struct Closed {
  std::string as;  // "closed", "unreached", "measured", "reverted"
  std::string because;
};

// One A/A run: in-service on both arms, judged as an A/B.
struct AaEffect {
  std::string id;   // the run that measured it
  std::string key;  // device model, compiler and flags, model, workload, threads
  std::string host;
  std::string at;
  std::vector<double> pair_values;  // D of each pair, in order
};

// An archive that was taken in: what came with it into the database, and what is about to be done
// to files. Written in the transaction that takes it in.
struct Imported {
  std::string archive_sha256;
  std::vector<std::string> experiments;  // slugs of those that got runs, notes or a definition
  std::vector<Intent> files;             // before_sha256 is "" where there was no file
};

// An experiment has another number; written in the transaction that gives it. Files of the earlier
// numbers are about to go.
struct Renumbered {
  std::string slug;
  int number = 0;
  std::vector<int> earlier;
};

struct RunEnded {
  std::string outcome;  // "proposed", "landed", "reverted", "red", "inconclusive", "invalid",
                        // "error", "no-op", "killed", "green", "closed", "calibrated", "imported",
                        // "refused", "renumbered", "agrees", "disagrees"
  int exit_code = 0;
  std::string message;
};

void to_json(nlohmann::json& json, const Event& event);
void from_json(const nlohmann::json& json, Event& event);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunOpened, command, argv, provenance)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Proposed, definition, definition_sha256, preflight)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AttemptOpened, ordinal, fingerprint, candidate,
                                                code_hashes, sources, alpha_key)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateResult, gate, outcome, reason, sentence, values,
                                                seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PairSample, stage, ordinal, labels, worker_ns,
                                                runner_ns, environment, telemetry, dropped)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Look, stage, pairs, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Intent, path, before_sha256, after_text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(VerdictBody, attempt, verdict, reason, effect,
                                                basis, intents)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Applied, path, after_sha256)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Closed, as, because)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AaEffect, id, key, host, at, pair_values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Imported, archive_sha256, experiments, files)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Renumbered, slug, number, earlier)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunEnded, outcome, exit_code, message)

}  // namespace assay
