// What the gates need to know of an op, from the variants' infos: which phases it serves, and at
// which lengths its code changes path.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct OpFacts {
  bool prefill = false;
  bool decode = false;
  std::vector<int> edges;  // rising, of the op and of the named variants
};

// The form in which a variant reads its activations, as a kernel_cases request names it: "half" or
// "".
std::string reads_of(const std::string& variant);

// The op of a planted variant (kernels/planted: faults and costs that are there on purpose); empty
// for every other text.
std::string planted_op(std::string_view variant);

// Error(kUsage) when an op or a variant is unknown.
OpFacts op_facts(const std::string& op, std::span<const std::string> variants);

}  // namespace assay
