// Margin: would a sampler notice?
//
// Both arms are fed the same tokens (teacher-forced), so that one difference cannot hide behind
// another. For class bitwise the argmax must be equal at every step; identity has shown the bits
// already. What this gate adds is how close a call it was: the smallest top-2 margin seen, and the
// share of steps whose margin exceeds 0.1. At those an argmax that moved would be a real change and
// no matter of the last bits, so they are the steps that were really tested.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gates/gate.h"

namespace assay {
namespace {

constexpr int kSteps = 64;
constexpr float kTestable = 0.1F;

std::vector<WorkRequest> forced_requests(const GateInput& input, const LoadReply& model) {
  std::vector<WorkRequest> requests;
  for (const std::uint64_t seed : {11U, 12U, 13U}) {
    WorkRequest request;
    request.phase = input.facts.decode ? "decode" : "prefill";
    request.prompt = drawn_tokens(std::min(96, model.context / 2), model.vocab, seed);
    request.steps = std::min(kSteps, model.context - static_cast<int>(request.prompt.size()));
    request.forced = drawn_tokens(request.steps, model.vocab, seed + 100);
    request.all_rows = input.facts.prefill;
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace

GateResult gate_margin(const GateInput& input, const GateMemory& memory) {
  GateResult result{.gate = "margin",
                    .outcome = "green",
                    .reason = "",
                    .sentence = "",
                    .values = nlohmann::json::object(),
                    .seconds = 0};
  Arm baseline(ArmRole::kBaseline, input.worker, load_with(input, input.subject.baseline));
  Arm candidate(ArmRole::kCandidate, input.worker, load_with(input, input.subject.candidate));
  float smallest = std::numeric_limits<float>::infinity();
  std::size_t steps = 0;
  std::size_t testable = 0;
  for (const WorkRequest& request : forced_requests(input, memory.model)) {
    const WorkReply a = baseline.work(request);
    const WorkReply b = candidate.work(request);
    if (b.nonfinite != a.nonfinite) {
      result.outcome = "red";
      result.reason = "margin";
      result.sentence = fmt::format("{} values were not finite instead of {} (forced steps)",
                                    b.nonfinite, a.nonfinite);
      return result;
    }
    for (std::size_t i = 0; i < a.top.size(); ++i) {
      const bool equal = i < b.top.size() && a.top[i] == b.top[i] && a.margins[i] >= 0;
      if (!equal) {
        result.outcome = "red";
        result.reason = "margin";
        result.sentence =
            fmt::format("argmax of row {} differs, margin {:.4f}", i + 1, a.margins[i]);
        return result;
      }
      smallest = std::min(smallest, a.margins[i]);
      testable += a.margins[i] > kTestable ? 1 : 0;
      ++steps;
    }
  }
  const double share = steps == 0 ? 0 : static_cast<double>(testable) / static_cast<double>(steps);
  result.values = {{"steps", steps}, {"smallest_margin", smallest}, {"testable_share", share}};
  result.sentence =
      fmt::format("argmax equal at {} forced steps, smallest margin {:.4f}, {:.0f} % above 0.1",
                  steps, smallest, 100 * share);
  return result;
}

}  // namespace assay
