#include "gates/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "engine/core/sha256.h"
#include "engine/core/whole_file.h"
#include "experiments/levers.h"
#include "gates/judged_device.h"
#include "gates/launch_pair.h"

namespace assay {
namespace {

std::string read_text(const std::string& path) {
  std::optional<std::string> text = read_whole_file(path);
  if (!text) {
    throw Error(ErrorKind::kUsage,
                path + ": cannot be read: a workspace needs its service map there");
  }
  return std::move(*text);
}

void apply_overrides(const RunOptions& options, Subject& subject) {
  const Lever* lever = find_lever(subject.definition.lever);
  for (const auto& [op, variant] : options.candidate) {
    const auto at = subject.candidate_ids.find(op);
    if (at == subject.candidate_ids.end()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--candidate {}: the definition has no candidate for op {}; name a "
                              "variant of lever {}",
                              variant, op, subject.definition.lever));
    }
    const bool known = lever != nullptr &&
                       (lever->op != op || std::find(lever->variants.begin(), lever->variants.end(),
                                                     variant) != lever->variants.end());
    if (!known) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--candidate {}: not a point of lever {}; `assay levers` lists them",
                              variant, subject.definition.lever));
    }
    at->second = variant;
  }
}

const ManifestVariant& built(const Subject& subject, const std::string& id) {
  const ManifestVariant* variant = subject.manifest.find(id);
  const auto& runnable = subject.device.variants;
  if (variant == nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is known but not built here: build it, or name another", id));
  }
  if (std::find(runnable.begin(), runnable.end(), id) == runnable.end()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} cannot run on this device ({}): run on a machine that has what it "
                            "needs",
                            id, subject.device.device_key));
  }
  return *variant;
}

void refuse_stale(const Subject& subject, const ManifestVariant& variant) {
  const std::vector<std::string> stale = stale_files(subject.manifest, variant);
  if (stale.empty()) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{} differs on disk from the file that {} was built from: rebuild first, "
                          "or run with --build",
                          stale.front(), variant.id));
}

// The map's row of one op that the definition's scope names, replaced by the candidate.
OpChange change_op(Subject& subject, ServiceMap& changed, const std::string& op,
                   const std::string& variant) {
  const Scope& scope = subject.definition.scope;
  const ScopedRow row =
      scoped_row(subject.map, subject.service_path, subject.device.device_key, scope, op);
  OpChange change;
  change.op = op;
  change.candidate = variant;
  change.device_key = row.device_key;
  change.incumbent = row.variant;
  changed = with_landed(changed, change.device_key, scope, op, variant, subject.definition.slug);
  return change;
}

}  // namespace

ScopedRow scoped_row(const ServiceMap& map, const std::string& path, const std::string& device_key,
                     const Scope& scope, const std::string& op) {
  const auto resolved = resolve(map, device_key);
  const auto at = resolved.find(op);
  if (at == resolved.end()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no row for {} that serves {}: write its first row by hand", path,
                            op, device_key));
  }
  const std::string& from = at->second.from_key;
  if (!scope.device.empty() && scope.device != from) {
    throw Error(ErrorKind::kUsage,
                fmt::format("scope names device {}, but on {} the row of {} comes from {}: run on "
                            "the named device, or change the scope",
                            scope.device, device_key, op, from));
  }
  Problem problem;
  if (scope.when_key == "nkv") problem.nkv = scope.when_low;
  if (scope.when_key == "t") problem.t = scope.when_low;
  const ServiceRow* row = select_row(at->second.rows, problem);
  const std::string serves = row == nullptr ? std::string() : row->variant;
  with_landed(map, from, scope, op, serves, "incumbent");  // refuses a range that is no row
  return {from, serves};
}

bool is_model_file(const std::string& model) {
  return model != "embedded" && !model.starts_with("synth:");
}

std::string model_path(const std::string& model, const std::string& workspace) {
  if (!is_model_file(model)) return model;
  const std::filesystem::path path(model);
  return path.is_absolute() ? model : (std::filesystem::path(workspace) / path).string();
}

std::string describe(const Workload& workload) {
  const std::string amount = workload.phase == "prefill"
                                 ? fmt::format("tokens={}", workload.tokens)
                                 : fmt::format("depth={} steps={}", workload.depth, workload.steps);
  return fmt::format("{} {} {} threads={}", workload.model, workload.phase, amount,
                     workload.threads);
}

std::string aa_key(const Manifest& manifest, const HelloReply& device,
                   const std::string& model_sha256, const Workload& workload) {
  Workload bare = workload;
  bare.model = model_sha256;
  const bool cuda = backend_of_key(device.device_key) == BackendKind::kCuda;
  const bool own = cuda && !manifest.cuda_compiler.empty();
  return fmt::format("{} | {} {}{} | {}", device.device_name,
                     own ? manifest.cuda_compiler : manifest.compiler,
                     own ? manifest.cuda_flags : manifest.flags,
                     cuda ? fmt::format(", {}", kGpuProcedure) : "", describe(bare));
}

Subject resolve_subject(const Definition& definition, const RunOptions& options,
                        const RunContext& context) {
  Subject subject;
  subject.definition = definition;
  subject.candidate_ids = definition.candidate;
  apply_overrides(options, subject);
  subject.manifest = read_manifest(context.worker_path);
  WorkerClient probe(
      {.path = context.worker_path, .stall_limit_s = options.stall_limit_s, .stop = context.stop});
  subject.device =
      as_device(value_or_throw(probe.hello()), backend_of_key(definition.scope.device));
  if (subject.device.protocol != kProtocolVersion) {
    throw Error(ErrorKind::kBaseline,
                fmt::format("{} speaks protocol {}, this program {}: rebuild both",
                            context.worker_path, subject.device.protocol, kProtocolVersion));
  }
  subject.service_path = "experiments/" + definition.service;
  const std::string file = context.workspace + "/" + subject.service_path;
  subject.service_text = read_text(file);
  subject.map = parse_service_map(subject.service_text, file);
  ServiceMap changed = subject.map;
  std::string code;
  std::string hashes;
  subject.no_op = true;
  for (const auto& [op, variant] : subject.candidate_ids) {
    OpChange change = change_op(subject, changed, op, variant);
    const ManifestVariant& candidate = built(subject, change.candidate);
    const ManifestVariant& incumbent = built(subject, change.incumbent);
    change.candidate_hash = candidate.code_hash;
    change.incumbent_hash = incumbent.code_hash;
    if (!candidate.reaches.empty()) subject.not_live.push_back(candidate.id);
    subject.no_op = subject.no_op && change.candidate_hash == change.incumbent_hash;
    code += change.candidate + "=" + change.candidate_hash + "\n";
    hashes += change.candidate_hash + "\n";
    subject.changes.push_back(std::move(change));
  }
  subject.fingerprint = sha256_hex(code);
  subject.alpha_key =
      sha256_hex(definition.lever + "\n" + hashes + describe(definition.workloads.front()) + "\n" +
                 subject.device.device_name);
  subject.baseline = selection(resolve(subject.map, subject.device.device_key));
  subject.candidate = selection(resolve(changed, subject.device.device_key));
  // Both arms run every op of their selection: any of them may have been edited since the build.
  for (const ServiceSelection* selected : {&subject.baseline, &subject.candidate}) {
    for (const auto& [op, rows] : *selected) {
      for (const ServiceRow& row : rows) refuse_stale(subject, built(subject, row.variant));
    }
  }
  return subject;
}

}  // namespace assay
