// Identity: do the tokens change?
//
// Both arms do the same work over the definition's workloads and on both sides of every edge that
// the op declares: prompts with logits of every row where the op serves prefill, greedy steps
// across the edge where it serves decode. Token streams and the digest of every logits row must be
// equal. The request that will be timed is run as well, so that each timed segment can prove itself
// by a digest that passed here. Liveness is checked on every piece of work, on both arms: a
// difference in the baseline is a fault of the instrument, in the candidate it is the verdict
// "not-live".
//
// Rejected: comparing tokens only. A change of a logit's last bit shows in the digest at once, in
// the tokens perhaps after a thousand steps.
#include <fmt/format.h>

#include <algorithm>

#include "engine/core/sha256.h"
#include "gates/gate.h"

namespace assay {
namespace {

constexpr int kGreedySteps = 32;

// Two replies that are empty in the same way must not pass for equal ones.
std::string missing_rows(const WorkRequest& request, const WorkReply& reply) {
  const std::size_t rows =
      (request.all_rows ? request.prompt.size() : 1) + static_cast<std::size_t>(request.steps);
  if (reply.digests.size() == rows &&
      reply.tokens.size() == static_cast<std::size_t>(request.steps)) {
    return "";
  }
  return fmt::format("{} logits rows and {} tokens instead of {} and {}", reply.digests.size(),
                     reply.tokens.size(), rows, request.steps);
}

// Empty when equal; else where the arms part.
std::string fork_point(const WorkReply& baseline, const WorkReply& candidate) {
  for (std::size_t i = 0; i < baseline.tokens.size() && i < candidate.tokens.size(); ++i) {
    if (baseline.tokens[i] != candidate.tokens[i]) {
      return fmt::format("token {} of {} is {} instead of {}", i + 1, baseline.tokens.size(),
                         candidate.tokens[i], baseline.tokens[i]);
    }
  }
  const std::size_t rows = std::max(baseline.digests.size(), candidate.digests.size());
  for (std::size_t i = 0; i < rows; ++i) {
    if (i >= baseline.digests.size() || i >= candidate.digests.size()) return "rows are missing";
    if (baseline.digests[i] != candidate.digests[i]) {
      return fmt::format("logits of row {} of {} differ (tokens are equal)", i + 1, rows);
    }
  }
  if (baseline.nonfinite != candidate.nonfinite) {
    return fmt::format("{} values were not finite instead of {} (logits are equal)",
                       candidate.nonfinite, baseline.nonfinite);
  }
  return baseline.digest == candidate.digest ? "" : "stream digests differ";
}

GateResult red(GateResult result, const std::string& reason, const std::string& sentence) {
  result.outcome = "red";
  result.reason = reason;
  result.sentence = sentence;
  return result;
}

}  // namespace

LoadRequest load_with(const GateInput& input, const ServiceSelection& service) {
  LoadRequest load = input.load;
  load.service = service;
  return load;
}

GateResult gate_identity(const GateInput& input, GateMemory& memory) {
  const Subject& subject = input.subject;
  GateResult result{.gate = "identity",
                    .outcome = "green",
                    .reason = "",
                    .sentence = "",
                    .values = nlohmann::json::object(),
                    .seconds = 0};
  Arm baseline(ArmRole::kBaseline, input.worker, load_with(input, subject.baseline));
  Arm planner_a(ArmRole::kReference, input.worker, load_with(input, subject.baseline));
  // Before its planner: a candidate that cannot even be loaded is the candidate's fault.
  Arm candidate(ArmRole::kCandidate, input.worker, load_with(input, subject.candidate));
  Arm planner_b(ArmRole::kReference, input.worker, load_with(input, subject.candidate));
  memory.model = baseline.model();
  if (!subject.not_live.empty()) {
    return red(result, "not-live",
               subject.not_live.front() + "'s code calls another variant's launch function");
  }
  std::vector<Context> contexts =
      identity_contexts(subject.definition, input.facts.edges, input.facts.prefill,
                        input.facts.decode, memory.model.vocab, memory.model.context, kGreedySteps);
  const auto timed = [&](const std::vector<Workload>& workloads) {
    for (const Workload& workload : workloads) {
      if (workload.model != subject.definition.workloads.front().model) continue;
      contexts.push_back(
          {"timed " + describe(workload), workload_request(workload, memory.model.vocab)});
    }
  };
  timed(subject.definition.workloads);
  timed(subject.definition.guards);
  std::string all_a;
  std::string all_b;
  std::size_t rows = 0;
  for (const Context& context : contexts) {
    const WorkReply a = baseline.work(context.request);
    const WorkReply b = candidate.work(context.request);
    const std::string fault_a = liveness_fault(planner_a.plan(context.request), a);
    if (!fault_a.empty()) {
      result.outcome = "error";
      result.sentence = "the baseline arm did not run as planned: " + fault_a;
      return result;
    }
    const std::string fault_b = liveness_fault(planner_b.plan(context.request), b);
    if (!fault_b.empty()) return red(result, "not-live", context.name + ": " + fault_b);
    const std::string missing = missing_rows(context.request, a);
    if (!missing.empty()) {
      result.outcome = "error";
      result.sentence = context.name + ": the baseline arm replied with " + missing;
      return result;
    }
    const std::string fork = fork_point(a, b);
    all_a += a.digest;
    all_b += b.digest;
    rows += a.digests.size();
    if (!fork.empty()) {
      result.values = {{"context", context.name},
                       {"fork", fork},
                       {"baseline_digest", a.digest},
                       {"candidate_digest", b.digest}};
      return red(result, "identity", context.name + ": " + fork);
    }
    if (context.name.rfind("timed ", 0) == 0)
      memory.timed_digests[context.name.substr(6)] = a.digest;
  }
  result.values = {{"contexts", contexts.size()},
                   {"rows", rows},
                   {"baseline_digest", sha256_hex(all_a)},
                   {"candidate_digest", sha256_hex(all_b)}};
  result.sentence = fmt::format("{} contexts, {} logits rows: tokens and bits equal to in-service",
                                contexts.size(), rows);
  return result;
}

}  // namespace assay
