// Times differ between pairs by a fixed pattern, so that medians, differences and intervals can be
// written down in tests.
#include "recorder/played_history.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "engine/core/sha256.h"
#include "recorder/sqlite_connection.h"

namespace assay {
namespace {

nlohmann::json provenance() {
  return {{"host", "bench-host"},
          {"device", "cpu-avx2"},
          {"tree", {{"hash", "3f0c1a"}, {"dirty", nlohmann::json::array({"kernels/a.cpp"})}}},
          {"version", "0.1.0"}};
}

void gate(Store& store, const std::string& run, const std::string& name, const std::string& outcome,
          const std::string& reason, const std::string& sentence, nlohmann::json values) {
  GateResult result{name, outcome, reason, sentence, std::move(values), 0.25};
  store.append(run, EventKind::kGateResult, result);
}

void early_gates(Store& store, const std::string& run) {
  gate(store, run, "preflight", "green", "", "worth running", {{"predicted_gain", 0.1}});
  gate(store, run, "baseline", "green", "", "two runs agree",
       {{"anchor_key", "embedded/cpu-avx2"}, {"stream_sha256", "ab12"}, {"median_ms", 101.5}});
}

// Eight segments: the baseline takes 100 ms and a little more each pair.
PairSample pair(const std::string& stage, int ordinal, double effect) {
  PairSample sample;
  sample.stage = stage;
  sample.ordinal = ordinal;
  sample.labels = ordinal % 2 == 0 ? "ABBABAAB" : "BAABABBA";
  sample.environment = "quiet";
  sample.telemetry = {{"load", 0.5}};
  for (const char label : sample.labels) {
    const double base = 100e6 + 1e6 * ordinal;
    const double time = label == 'A' ? base : base / (1 + effect);
    sample.worker_ns.push_back(std::llround(time));
    sample.runner_ns.push_back(std::llround(time) + 1000);
  }
  return sample;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "assay-recorder-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string definition_text(const std::string& slug, const std::string& title) {
  return fmt::format(
      "slug: {}\n"
      "title: {}\n"
      "lever: attention_prefill.tkv\n"
      "class: bitwise\n"
      "hypothesis: A longer tile keeps more of K in the cache.\n"
      "mechanism: bytes\n"
      "candidate: {{attention_prefill: \"{}\"}}\n"
      "workloads: [{{model: embedded, phase: prefill, tokens: 128}}]\n"
      "expect: {{wall: 3%}}\n"
      "bar: 1%\n",
      slug, nlohmann::json(title).dump(), "attention_prefill.cpu.avx2[tkv=64]");
}

void play_proposal(Store& store, const std::string& slug, const std::string& definition) {
  store.number_for(slug);
  const std::string run =
      store.open_run(slug, {"propose", "assay propose " + slug + ".yaml", provenance()});
  store.append(run, EventKind::kProposed,
               Proposed{definition, sha256_hex(definition), nlohmann::json::object()});
  store.end_run(run, {"proposed", 0, "proposed"});
}

std::string open_attempt_run(Store& store, const std::string& slug, const std::string& fingerprint,
                             AdmissionResult* result) {
  const std::string run = store.open_run(slug, {"run", "assay run " + slug, provenance()});
  const std::string source = "// mechanism of " + fingerprint + "\nint tile = 64;\n";
  AttemptOpened attempt;
  attempt.fingerprint = fingerprint;
  attempt.candidate = {{"attention_prefill", "attention_prefill.cpu.avx2[tkv=64]"}};
  attempt.code_hashes = {{"attention_prefill.cpu.avx2[tkv=64]", "c0de" + fingerprint},
                         {"attention_prefill.cpu.avx2[tkv=32]", "ba5e"}};
  attempt.sources = {{"kernels/attention_prefill/cpu_avx2.cpp", sha256_hex(source)}};
  attempt.alpha_key = "alpha-" + fingerprint;
  early_gates(store, run);
  const AdmissionResult admitted = store.open_attempt(run, attempt, {{sha256_hex(source), source}});
  if (result) *result = admitted;
  return run;
}

std::string play_red_run(Store& store, const std::string& slug, const std::string& fingerprint) {
  AdmissionResult admitted;
  const std::string run = open_attempt_run(store, slug, fingerprint, &admitted);
  gate(store, run, "identity", "red", "identity", "token 19 differs: 311 became 298",
       {{"fork_step", 19}});
  store.append(run, EventKind::kVerdict,
               VerdictBody{admitted.ordinal, "REVERT", "identity", nullptr, {}, {}});
  store.end_run(run, {"red", 10, "REVERT identity"});
  return run;
}

std::string play_timed_run(Store& store, const std::string& slug, const std::string& fingerprint,
                           const PlayedTiming& timing) {
  AdmissionResult admitted;
  const std::string run = open_attempt_run(store, slug, fingerprint, &admitted);
  gate(store, run, "identity", "green", "", "32 tokens, 4 contexts: same bytes",
       {{"baseline_digest", "d1"}, {"candidate_digest", "d1"}});
  gate(store, run, "parity", "green", "", "40 cases within budget", {{"cases", 40}});
  gate(store, run, "margin", "green", "", "same argmax at 256 steps", {{"smallest_margin", 0.02}});
  store.append(run, EventKind::kPlanFrozen,
               {{"bar", 0.01},
                {"pairs_max", timing.pairs},
                {"looks", {timing.pairs / 2, timing.pairs}},
                {"segment_s", 0.15},
                {"workload", "embedded prefill tokens=128"}});
  for (int i = 0; i < timing.pairs; ++i) {
    store.append(run, EventKind::kSample, pair("ab", i, timing.effect));
    if (i + 1 != timing.pairs / 2 && i + 1 != timing.pairs) continue;
    store.append(run, EventKind::kLook,
                 Look{"ab",
                      i + 1,
                      {{"estimate", timing.effect},
                       {"low", timing.effect - 0.04 / (i + 1)},
                       {"high", timing.effect + 0.04 / (i + 1)},
                       {"se", 0.004},
                       {"df", i},
                       {"p_land", 0.0001},
                       {"p_boundary", 0.0113}}});
  }
  const AaEffect aa{
      "aa-1", "aa/embedded", "bench-host", "2026-11-01T00:00:00.000Z", {0.001, -0.002}};
  store.import_aa(aa);  // a verdict uses what its history has
  VerdictBody verdict;
  verdict.attempt = admitted.ordinal;
  verdict.verdict = timing.verdict;
  verdict.reason = timing.reason;
  verdict.effect = {{"estimate", timing.effect},
                    {"low", timing.effect - 0.01},
                    {"high", timing.effect + 0.01},
                    {"pairs", timing.pairs},
                    {"pair_sd", 0.003}};
  verdict.basis = {{"aa", {aa}}};
  if (timing.verdict == "LAND") {
    for (int i = 0; i < 2; ++i) {
      store.append(run, EventKind::kSample, pair("confirmation", i, timing.effect));
    }
    verdict.effect["confirmation"] = {{"estimate", timing.effect / 2},
                                      {"low", timing.effect / 4},
                                      {"high", timing.effect},
                                      {"pairs", 2}};
    verdict.intents = {{"experiments/in_service.yaml", "00", "version: 1\n"}};
  }
  gate(store, run, "ab", timing.verdict == "LAND" ? "green" : "red", timing.reason, "timed",
       {{"baseline_ms", 101.5}, {"candidate_ms", 90.6}});
  store.append(run, EventKind::kVerdict, verdict);
  if (timing.verdict == "LAND") {
    store.append(run, EventKind::kApplied, Applied{"experiments/in_service.yaml", "11"});
  }
  store.end_run(run, {timing.verdict == "LAND" ? "landed" : "reverted",
                      timing.verdict == "LAND" ? 0 : 10, timing.verdict + " " + timing.reason});
  return run;
}

AaEffect play_calibration(Store& store, const std::string& key) {
  const std::string run = store.open_run("", {"calibrate", "assay calibrate", provenance()});
  const AaEffect effect{
      run, key, "bench-host", "2026-11-20T10:00:00.000Z", {0.002, -0.001, 0.0005}};
  store.append(run, EventKind::kCalibrated, effect);
  store.end_run(run, {"calibrated", 0, "calibrated"});
  return effect;
}

void tamper(const std::string& database, const std::string& sql) {
  const Connection connection(database, SQLITE_OPEN_READWRITE);
  connection.execute(sql);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace assay
