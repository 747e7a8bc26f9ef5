// Which variants a piece of work will launch, and how often: from the graph and the service map
// alone, nothing runs.
//
// The runner compares a plan made by its own build with the counters of the worker under test, so
// that a silent fall-back or a skipped launch shows. A prompt is computed in chunks; each chunk
// runs the prefill list once, then each wanted row runs the output list; each decode step runs the
// decode list and the output list once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "kernels/selection.h"

namespace assay {

using LaunchCounts = std::map<std::string, std::uint64_t>;  // variant id -> launches

inline constexpr int kMaxChunk = 512;  // rows of a prefill pass on the CPU

struct Chunk {
  int first = 0;  // position of row 0
  int t = 0;      // rows
};
// The chunks of a prompt; `rows` in 1..most, or 0 for `most`.
std::vector<Chunk> chunks_of(int prompt, int rows, int most = kMaxChunk);

// The problems by which select_row chooses: rows of the pass, and cached positions that its last
// row reads.
Problem prefill_problem(const Chunk& chunk);
Problem decode_problem(int position);

struct WorkShape {
  int prompt = 1;         // tokens
  int chunk = 0;          // as chunks_of
  int most = kMaxChunk;   // as chunks_of
  bool all_rows = false;  // logits of every prompt row, not only of the last
  int steps = 0;          // decode steps
};

struct LaunchPlan {
  LaunchCounts prefill;
  LaunchCounts decode;
};

// Error(kUsage) names an op and problem that no row of the map serves.
LaunchPlan plan_launches(const Graph& graph, const ServiceSelection& service,
                         const WorkShape& work);

}  // namespace assay
