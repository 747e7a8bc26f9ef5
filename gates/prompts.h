// Token sequences that the gates feed, drawn from a seed and a vocabulary size alone.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/protocol/messages.h"
#include "experiments/definition.h"

namespace assay {

// `count` tokens in [0, vocab), by SplitMix64 from the seed. The same on every machine.
std::vector<std::int32_t> drawn_tokens(int count, int vocab, std::uint64_t seed);

// One piece of work that a gate asks of both arms.
struct Context {
  std::string name;  // "workload", "edge 32: prompt 33"
  WorkRequest request;
};

// The request that a timed segment repeats: the workload itself, logits of the last row only.
WorkRequest workload_request(const Workload& workload, int vocab);

// The definition's workloads and guards, and prompts or positions on both sides of every edge, each
// followed by `steps` greedy steps, or as many as a workload leaves room for. Other lengths that do
// not fit into `context_length` with their steps are left out.
std::vector<Context> identity_contexts(const Definition& definition, const std::vector<int>& edges,
                                       bool prefill, bool decode, int vocab, int context_length,
                                       int steps);

}  // namespace assay
