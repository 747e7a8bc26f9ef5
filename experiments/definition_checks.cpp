#include "experiments/definition_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/definition_place.h"
#include "experiments/op_facts.h"

namespace assay {
namespace {

constexpr int kMaxThreads = 256;  // of a worker

// One workload or guard, with its place.
struct Placed {
  const Workload& workload;
  DefinitionPath path;
  std::string name;
};

std::vector<Placed> placed(const Definition& definition) {
  std::vector<Placed> all;
  for (std::size_t i = 0; i < definition.workloads.size(); ++i) {
    all.push_back({definition.workloads[i],
                   {"workloads", std::to_string(i)},
                   fmt::format("workload {}", i + 1)});
  }
  for (std::size_t i = 0; i < definition.guards.size(); ++i) {
    all.push_back(
        {definition.guards[i], {"guards", std::to_string(i)}, fmt::format("guard {}", i + 1)});
  }
  return all;
}

bool same(const Workload& a, const Workload& b) {
  return a.model == b.model && a.phase == b.phase && a.tokens == b.tokens && a.depth == b.depth &&
         a.steps == b.steps && a.threads == b.threads;
}

void check_workloads(const Definition& definition) {
  const std::vector<Placed> all = placed(definition);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Placed& one = all[i];
    for (std::size_t j = 0; j < i; ++j) {
      if (!same(all[j].workload, one.workload)) continue;
      refuse_at(definition, one.path,
                fmt::format("{} is the same as {}: leave one out", one.name, all[j].name));
    }
    if (one.workload.threads > kMaxThreads) {
      DefinitionPath path = one.path;
      path.push_back("threads");
      refuse_at(definition, path,
                fmt::format("`threads` is {}; a worker takes 0 (one per core) to {}",
                            one.workload.threads, kMaxThreads));
    }
  }
}

// The verdict speaks of the first workload's phase: a changed op must be at work in it.
void check_phase(const Definition& definition) {
  const std::string& phase = definition.workloads.front().phase;
  for (const auto& [op, variant] : definition.candidate) {
    const OpFacts facts = op_facts(op, std::vector<std::string>{variant});
    if (phase == "prefill" ? facts.prefill : facts.decode) return;
  }
  refuse_at(definition, {"workloads", "0", "phase"},
            fmt::format("no op of the candidate works in {}, so the first workload would time "
                        "nothing that changes",
                        phase));
}

void check_numbers(const Definition& definition) {
  if (definition.bar <= 0) {
    refuse_at(definition, {"bar"},
              "`bar` is 0 %: say from which gain on the change is worth its place, such as 0.5%");
  }
  if (definition.expect_kernel && *definition.expect_kernel <= 0) {
    refuse_at(definition, {"expect", "kernel"},
              "`expect.kernel` is 0 %: a change that is expected to gain nothing needs no run");
  }
  if (definition.expect_wall && *definition.expect_wall <= definition.bar &&
      definition.override_reason.empty()) {
    refuse_at(
        definition, {"expect", "wall"},
        fmt::format("`expect.wall` is {:.2f} %, and only a gain above the bar of {:.2f} % can "
                    "land: raise the gain, lower the bar, or say in `override` why it "
                    "should run all the same",
                    100 * *definition.expect_wall, 100 * definition.bar));
  }
  if (!definition.guard_margin) return;
  if (*definition.guard_margin <= 0) {
    refuse_at(definition, {"guard_margin"},
              "`guard_margin` is 0 %: no measurement can show that nothing at all is lost; allow "
              "a loss, such as 1%");
  }
  if (*definition.guard_margin >= 1) {
    refuse_at(definition, {"guard_margin"},
              "`guard_margin` is 100 %: a guard that may lose everything guards nothing");
  }
}

}  // namespace

int positions(const Workload& workload) {
  return workload.phase == "prefill" ? workload.tokens
                                     : std::max(workload.depth, 1) + workload.steps;
}

void check_definition(const Definition& definition) {
  check_workloads(definition);
  check_phase(definition);
  check_numbers(definition);
}

}  // namespace assay
