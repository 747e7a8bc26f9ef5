// Puts compound ops in place of runs of ops, where the service map has a row for the compound.
//
// A compound computes what its parts compute, to the bit, and leaves out what lies between them. So
// a run may be replaced only where nobody else reads what it would leave out:
//   (add,) rms_norm, quantize or halve   the normed rows (a float weight may read them, too)
//   swiglu, quantize or halve            the product
//   (add of biases,) rope, rope, kv_store   keys and values outside the cache
// The first layer and the output list have no add before their norm: x is only read there. Heads
// that are normed before the rotation keep their parts.
//
// A pass over finished lists, and not a choice in the builder: the builder says what a model is,
// and a list without the pass is the truth that the pass is tested against.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace assay {

using CompoundOps = std::set<std::string>;  // names of the registry

// The compound ops for which the map has a row.
CompoundOps compounds_of(const ServiceSelection& service);

// The list with every run replaced that a compound of `compounds` covers.
std::vector<GraphOp> fuse(const std::vector<GraphOp>& ops, const CompoundOps& compounds);

// All three lists of a graph, each by itself.
Graph fused(const Graph& graph, const CompoundOps& compounds);

}  // namespace assay
