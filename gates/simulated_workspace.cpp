#include "gates/simulated_workspace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/service_map.h"
#include "gates/subject.h"

namespace assay {
namespace {

constexpr const char* kDefinition = R"(slug: unroll-two
title: Two vectors per step in the norm
lever: rms_norm.unroll
class: bitwise
hypothesis: two independent chains hide the adds' latency
service: in_service.yaml
scope: {device: cpu-avx2}
candidate: {rms_norm: "rms_norm.cpu.avx2[unroll=2]"}
workloads: [{model: embedded, phase: prefill, tokens: 16, threads: 1}]
guards: []
expect: {wall: 10%}
bar: 5%
)";

}  // namespace

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_whole(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

SimulatedWorkspace::SimulatedWorkspace() : definition_text(kDefinition) {
  namespace fs = std::filesystem;
  fs::create_directories(path() + "/experiments");
  fs::create_directories(path() + "/sources");
  fs::copy_file(ASSAY_SOURCE_ROOT "/experiments/in_service.yaml", service_path());
  fs::copy_file(ASSAY_BIN "/assay_simulated_worker", worker());
  const auto resolved = resolve(read_service_map(service_path()), "cpu-avx2");
  std::vector<std::string> ids{kCandidate, kTile64, kTile128};
  for (const auto& [op, served] : resolved) {
    for (const ServiceRow& row : served.rows) ids.push_back(row.variant);
  }
  manifest.worker_sha256 = sha256_file(worker());
  manifest.compiler = "simulated 1";
  manifest.flags = "-O2";
  manifest.source_root = path();
  manifest.tree = "unknown";
  for (const std::string& id : ids) {
    const std::string file = "sources/" + id + ".cpp";
    const std::string source = "// " + id + "\n";
    write_whole(path() + "/" + file, source);
    manifest.files[file] = pack_file(source);
    manifest.variants.push_back({id, sha256_hex(id), {file}, {}});
  }
  HelloReply hello;
  hello.program = "assay-worker";
  hello.version = "0.1.0";
  hello.device_key = "cpu-avx2";
  hello.device_name = "Simulated CPU";
  hello.cores = 2;
  hello.source_root = path();
  hello.variants = ids;
  scenario = {{"hello", hello},
              {"base_ns", 100000},
              {"noise", 0.002},
              {"variants", nlohmann::json::object()}};
  options.segment_s = 0.0002;
  options.warm_up_s = 0;
  options.baseline_measure_s = 0;
  options.settle_s = 0;
  options.clock_slack_s = 1;
  options.drop_foreign = false;  // tests run side by side
  save();
}

void SimulatedWorkspace::save() {
  write_whole(worker() + ".scenario.json", scenario.dump());
  write_whole(worker() + ".manifest.json", nlohmann::json(manifest).dump());
}

void SimulatedWorkspace::set(const std::string& variant, const std::string& name,
                             const nlohmann::json& value) {
  scenario["variants"][variant][name] = value;
  save();
}

void SimulatedWorkspace::heal() {
  scenario["variants"] = nlohmann::json::object();
  save();
}

void SimulatedWorkspace::edit_code(const std::string& variant, const std::string& code_hash) {
  for (ManifestVariant& known : manifest.variants) {
    if (known.id == variant) known.code_hash = code_hash;
  }
  save();
}

void SimulatedWorkspace::edit_source(const std::string& file, const std::string& text) {
  write_whole(path() + "/" + file, text);
  manifest.files[file] = pack_file(text);
  save();
}

void SimulatedWorkspace::redefine(const std::string& part, const std::string& by) {
  const std::size_t at = definition_text.find(part);
  ASSERT_NE(at, std::string::npos) << part;
  definition_text.replace(at, part.size(), by);
}

Definition SimulatedWorkspace::definition() const {
  return parse_definition(definition_text, "unroll-two.yaml");
}

void SimulatedWorkspace::propose(Journal& into) const {
  const std::string slug = definition().slug;
  into.number_for(slug);
  const std::string run = into.open_run(slug, {"propose", "assay propose", nullptr});
  into.append(run, EventKind::kProposed,
              Proposed{definition_text, sha256_hex(definition_text), nullptr});
  into.end_run(run, {"proposed", 0, ""});
}

void SimulatedWorkspace::calibrated(Journal& into, double pair_sd) const {
  const Definition asked = definition();
  const HelloReply device = scenario.at("hello").get<HelloReply>();
  std::vector<Workload> workloads = asked.workloads;
  workloads.insert(workloads.end(), asked.guards.begin(), asked.guards.end());
  for (const Workload& workload : workloads) {
    for (int i = 0; i < 20; ++i) {
      AaEffect effect;
      effect.id = into.open_run("", {"calibrate", "assay calibrate", nullptr});
      effect.key = aa_key(manifest, device, sha256_hex(workload.model), workload);
      effect.at = "2100-01-01T00:00:00.000Z";
      for (int pair = 0; pair < 8; ++pair) {
        effect.pair_values.push_back((pair % 2 == 0 ? 1 : -1) * pair_sd * (i % 2 == 0 ? 1.1 : 0.9) +
                                     (i % 2 == 0 ? 1 : -1) * pair_sd / 3);
      }
      into.append(effect.id, EventKind::kCalibrated, effect);
      into.end_run(effect.id, {"calibrated", 0, ""});
    }
  }
}

RunContext SimulatedWorkspace::context() {
  return {journal,
          journal,
          path(),
          worker(),
          "assay run",
          [this](const std::string& line) { said.push_back(line); },
          [this] { return stop.load(); }};
}

RunOutcome SimulatedWorkspace::run() {
  return run_experiment(definition(), options, context());
}

RunOutcome SimulatedWorkspace::run_refused() {
  const std::size_t before = journal.log.size();
  try {
    const RunOutcome outcome = run();
    EXPECT_EQ(journal.log.size(), before) << "a refused run must leave no trace";
    return outcome;
  } catch (const Error& error) {
    EXPECT_EQ(journal.log.size(), before) << "a refused run must leave no trace";
    return {error.exit_code(), "thrown", error.what(), ""};
  }
}

ExperimentView SimulatedWorkspace::view() const {
  return fold(journal.events(definition().slug));
}

std::vector<Event> SimulatedWorkspace::events(EventKind kind) const {
  std::vector<Event> found;
  for (const Event& event : journal.events(definition().slug)) {
    if (event.kind == kind) found.push_back(event);
  }
  return found;
}

std::vector<std::string> SimulatedWorkspace::gates() const {
  std::vector<std::string> lines;
  const ExperimentView now = view();
  for (const GateInRun& gate : now.runs.back().gates) {
    const GateResult& result = gate.result;
    lines.push_back(result.gate + " " + result.outcome +
                    (result.reason.empty() ? "" : "(" + result.reason + ")"));
  }
  return lines;
}

std::string SimulatedWorkspace::sentence(const std::string& gate) const {
  std::string last;
  for (const Event& event : events(EventKind::kGateResult)) {
    if (event.body.at("gate") == gate) last = event.body.at("sentence");
  }
  return last;
}

std::string SimulatedWorkspace::service_map() const {
  return read_whole(service_path());
}

}  // namespace assay
