#include "engine/graph/plan.h"

#include <fmt/format.h>
#include <algorithm>

#include "engine/core/error.h"

namespace assay {
namespace {

const std::string& variant_for(const ServiceSelection& service, const std::string& op,
                               const Problem& problem) {
  const auto rows = service.find(op);
  const ServiceRow* row = rows == service.end() ? nullptr : select_row(rows->second, problem);
  if (row == nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("service map: no row of {} serves t={}, nkv={}; add one", op, problem.t,
                            problem.nkv));
  }
  return row->variant;
}

void count(const std::vector<GraphOp>& ops, const ServiceSelection& service, const Problem& problem,
           std::uint64_t times, LaunchCounts& counts) {
  if (times == 0) return;
  for (const GraphOp& op : ops) counts[variant_for(service, op.op, problem)] += times;
}

}  // namespace

std::vector<Chunk> chunks_of(int prompt, int rows, int most) {
  const int step = rows == 0 ? most : rows;
  std::vector<Chunk> chunks;
  for (int first = 0; first < prompt; first += step) {
    chunks.push_back({.first = first, .t = std::min(step, prompt - first)});
  }
  return chunks;
}

Problem prefill_problem(const Chunk& chunk) {
  return {.t = chunk.t, .nkv = chunk.first + chunk.t};
}

Problem decode_problem(int position) {
  return {.t = 1, .nkv = position + 1};
}

LaunchPlan plan_launches(const Graph& graph, const ServiceSelection& service,
                         const WorkShape& work) {
  LaunchPlan plan;
  for (const Chunk& chunk : chunks_of(work.prompt, work.chunk, work.most)) {
    count(graph.prefill, service, prefill_problem(chunk), 1, plan.prefill);
    for (int row = 0; row < chunk.t; ++row) {
      const int position = chunk.first + row;
      if (!work.all_rows && position != work.prompt - 1) continue;
      count(graph.output, service, decode_problem(position), 1, plan.prefill);
    }
  }
  for (int step = 0; step < work.steps; ++step) {
    const Problem problem = decode_problem(work.prompt + step);
    count(graph.decode, service, problem, 1, plan.decode);
    count(graph.output, service, problem, 1, plan.decode);
  }
  return plan;
}

}  // namespace assay
