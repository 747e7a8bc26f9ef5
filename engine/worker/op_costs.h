// Bytes and FLOP of a graph's ops at the shapes of a piece of work, by each op's own reference.
//
// The references know a shape as the dims of a case; here a graph op and a pass become such dims,
// and no operand is drawn.
#pragma once

#include <map>
#include <string>

#include "engine/graph/graph.h"
#include "engine/graph/plan.h"
#include "kernels/reference.h"

namespace assay {

// Rows and place of a pass.
struct PassShape {
  int t = 1;
  int first = 0;  // position of row 0
};

// What one run of the op costs. Error(kInternal) for an op without a reference.
CaseCost cost_of(const HyperParameters& hyper, const GraphOp& op, const PassShape& pass);

// All launches of the work together, by variant; with `prompt` false those of the steps alone.
std::map<std::string, CaseCost> costs_of(const Model& model, const Graph& graph,
                                         const ServiceSelection& service, const WorkShape& work,
                                         bool prompt);

}  // namespace assay
