// Levers, derived from the registered variants: one parameter, or the mechanism, of an op.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/variant.h"

namespace assay {

struct Lever {
  std::string name;  // "attention_prefill.tkv", "matvec_q4k.mechanism"
  std::string op;
  std::vector<std::string> variants;  // ids that differ in it
};

std::vector<Lever> levers();
// Null when there is no such lever.
const Lever* find_lever(const std::string& name);

// The levers of a list of ops, in its order: an op's mechanism first, then its parameters as they
// first appear. A parameter is a lever when it takes more than one value within one mechanism, and
// the mechanism is one when a backend has more than one (a device has one backend, so a CPU and a
// GPU form are no choice).
std::vector<Lever> derive_levers(std::span<const OpVariants> ops);

}  // namespace assay
