#include "gates/prompts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/core/mix64.h"

namespace assay {
namespace {

constexpr std::uint64_t kWorkloadSeed = 1;

void add_prompts(const std::set<int>& lengths, bool all_rows, int vocab, int steps,
                 std::vector<Context>& contexts) {
  for (const int length : lengths) {
    Context context;
    context.name = fmt::format("prompt {}", length);
    context.request.phase = all_rows ? "prefill" : "decode";
    context.request.prompt = drawn_tokens(length, vocab, static_cast<std::uint64_t>(length) + 100);
    context.request.steps = steps;
    context.request.all_rows = all_rows;
    contexts.push_back(std::move(context));
  }
}

}  // namespace

std::vector<std::int32_t> drawn_tokens(int count, int vocab, std::uint64_t seed) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
  std::uint64_t state = seed;
  for (std::int32_t& token : tokens) {
    token =
        static_cast<std::int32_t>(mix64(state += kMix64Step) % static_cast<std::uint64_t>(vocab));
  }
  return tokens;
}

WorkRequest workload_request(const Workload& workload, int vocab) {
  WorkRequest request;
  request.phase = workload.phase;
  if (workload.phase == "prefill") {
    request.prompt = drawn_tokens(workload.tokens, vocab, kWorkloadSeed);
  } else {
    request.prompt = drawn_tokens(std::max(workload.depth, 1), vocab, kWorkloadSeed);
    request.steps = workload.steps;
  }
  return request;
}

std::vector<Context> identity_contexts(const Definition& definition, const std::vector<int>& edges,
                                       bool prefill, bool decode, int vocab, int context_length,
                                       int steps) {
  std::vector<Context> contexts;
  const auto add_workloads = [&](const std::vector<Workload>& workloads, const char* kind) {
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      if (workloads[i].model != definition.workloads.front().model) continue;
      Context context;
      context.name = fmt::format("{} {} ({})", kind, i, workloads[i].phase);
      context.request = workload_request(workloads[i], vocab);
      context.request.all_rows = workloads[i].phase == "prefill";
      const int room = context_length - static_cast<int>(context.request.prompt.size());
      context.request.steps = std::min(std::max(context.request.steps, steps), room);
      contexts.push_back(std::move(context));
    }
  };
  add_workloads(definition.workloads, "workload");
  add_workloads(definition.guards, "guard");
  std::set<int> rows{1, 2, 5};
  std::set<int> positions{1};
  for (const int edge : edges) {
    rows.insert({edge - 1, edge, edge + 1});
    positions.insert(edge - steps / 2);  // the greedy steps then cross the edge
  }
  const auto fits = [&](int length) { return length >= 1 && length + steps <= context_length; };
  std::erase_if(rows, [&](int length) { return !fits(length); });
  std::erase_if(positions, [&](int length) { return !fits(length); });
  if (prefill) add_prompts(rows, true, vocab, steps, contexts);
  if (decode) add_prompts(positions, false, vocab, steps, contexts);
  return contexts;
}

}  // namespace assay
