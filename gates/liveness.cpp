// Was it really the planned variant that ran, as often as planned, and no other?
//
// The counts come from the launchers themselves; the plan comes from another process that walked
// the graph without running it. A fast path that never ran, and a launcher that calls the
// incumbent, both show as a difference here, whatever the numbers say.
#include <fmt/format.h>

#include "gates/gate.h"

namespace assay {
namespace {

std::string first_difference(const Counts& planned, const Counts& counted) {
  const auto count_of = [](const Counts& counts, const std::string& id) {
    const auto at = counts.find(id);
    return at == counts.end() ? std::uint64_t{0} : at->second;
  };
  for (const auto& [id, times] : planned) {
    if (count_of(counted, id) != times) {
      return fmt::format("{} ran {} times, planned {}", id, count_of(counted, id), times);
    }
  }
  for (const auto& [id, times] : counted) {
    if (times != 0 && count_of(planned, id) == 0) {
      return fmt::format("{} ran {} times, planned 0", id, times);
    }
  }
  return "";
}

}  // namespace

std::string liveness_fault(const PlanReply& plan, const WorkReply& reply) {
  if (!reply.prefill_reused) {
    const std::string fault = first_difference(plan.prefill_counts, reply.prefill_counts);
    if (!fault.empty()) return "prefill: " + fault;
  }
  const std::string fault = first_difference(plan.decode_counts, reply.decode_counts);
  return fault.empty() ? fault : "decode: " + fault;
}

}  // namespace assay
