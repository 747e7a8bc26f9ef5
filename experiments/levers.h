// Levers, derived from the registered variants: one parameter, or the mechanism, of an op.
#pragma once

#include <string>
#include <vector>

namespace assay {

struct Lever {
  std::string name;  // "attention_prefill.tkv", "matvec_q4k.mechanism"
  std::string op;
  std::vector<std::string> variants;  // ids that differ in it
};

std::vector<Lever> levers();
// Null when there is no such lever.
const Lever* find_lever(const std::string& name);

}  // namespace assay
